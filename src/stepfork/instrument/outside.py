"""Whether this process belongs to a command that stepfork watches, and what follows for its calls.

Little is loaded here: most programs that are instrumented are not watched.
"""

from __future__ import annotations

import atexit
from functools import cache

from stepfork.config.environment import calls_url
from stepfork.instrument import context
from stepfork.instrument.elsewhere import refusals_file
from stepfork.instrument.session import Session


@cache
def look_outside() -> None:
    """Called where a program begins to be instrumented, before it makes a call: where it is watched, threads, tasks and
    processes that it starts from then on know where they were started. Only the first look counts."""
    context.watched_by(_session)
    if calls_url() is not None and context.current() is None:  # else the variable is this process's own, for others
        from stepfork.instrument.children import telling_children
        from stepfork.instrument.forking import inherited

        for carrying in (inherited(), telling_children()):
            carrying.__enter__()
            atexit.register(carrying.__exit__, None, None, None)  # which holds it: else it would end here


def _session() -> Session | None:
    url = calls_url()
    if url is None or refusals_file() is not None:  # of a replay that answers no process but its own
        return None
    from stepfork.instrument.remote import remote_session

    return remote_session(url)
