"""The tools of this process that are instrumented, by name, from the moment that they are.

A replay gives no recorded answer that asks for a tool which nobody has declared: what a fixture says of a tool is no
reason to believe that its calls are answered.
"""

from __future__ import annotations

from contextlib import suppress

from stepfork.config.environment import calls_url
from stepfork.instrument.elsewhere import refusals_file

_names: set[str] = set()


def declare(name: str) -> None:
    """A tool is instrumented. Whoever answers this program's calls from a recording is told; a recording is not, which
    refuses nothing. Never raises: a tool that could not be told of is one that no answer may ask for."""
    if name in _names:
        return
    _names.add(name)
    url = calls_url()
    if url is not None and refusals_file() is None:
        with suppress(Exception):
            _tell(url, name)


def declared() -> frozenset[str]:
    """The names so far."""
    return frozenset(_names)


def _tell(url: str, name: str) -> None:
    from stepfork.listener.call_messages import ANSWERED

    if not url.endswith(f"?{ANSWERED}"):
        return
    from stepfork.instrument.remote import remote_session

    remote_session(url).declare(name)
