"""Whether this process belongs to a command that stepfork watches, and what follows for its calls.

Little is loaded here: most programs that are instrumented are not watched.
"""

from __future__ import annotations

import atexit
import os
from functools import cache

from stepfork.config.environment import calls_url
from stepfork.instrument import context
from stepfork.instrument.elsewhere import refusals_file
from stepfork.instrument.session import Session


class Watched:
    """Where this process tells of its calls, as it was started, or forked, to: a variable that is set later is for the
    processes that it starts. Looked up at each call that would cost more than all else that one does where nobody
    listens."""

    def __init__(self) -> None:
        self.url: str | None = None
        self.look()

    def look(self) -> None:
        """What the environment has now counts."""
        self.url = calls_url()


watched = Watched()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=watched.look)


@cache
def look_outside() -> None:
    """Called where a program begins to be instrumented, before it makes a call: where it is watched, threads, tasks and
    processes that it starts from then on know where they were started. Only the first look counts."""
    context.watched_by(_session)
    if watched.url is not None and context.current() is None:  # else the variable is this process's own, for others
        from stepfork.instrument.children import telling_children
        from stepfork.instrument.forking import inherited

        for carrying in (inherited(), telling_children()):
            carrying.__enter__()
            atexit.register(carrying.__exit__, None, None, None)  # which holds it: else it would end here


def _session() -> Session | None:
    url = watched.url
    if url is None or refusals_file() is not None:  # of a replay that answers no process but its own
        return None
    from stepfork.instrument.remote import remote_session

    return remote_session(url)
