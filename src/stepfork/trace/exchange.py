"""One model call as it went over the wire: a request and the response it got."""

from __future__ import annotations

from typing import Literal

import msgspec

from stepfork.trace.body import Body

Ending = Literal["complete", "truncated", "reset", "client_closed", "unreadable"]
"""How a response ended. ``complete`` includes error statuses and error events: the provider said so itself.
``truncated``: more than is stored of one response; ``reset``: the upstream broke off; ``client_closed``: the agent
stopped reading before the end; ``unreadable``: a stream that does not parse."""

IN_PROCESS = "CALL"
"""The method of a request that was never sent: a model call that the program's own instrumentation told of."""


class Request(msgspec.Struct, frozen=True):
    """``path`` is what follows the route's prefix, percent-decoded, without the query; ``query`` is raw."""

    method: str
    path: str
    query: str = ""
    content_type: str = ""
    body: Body = None


class Response(msgspec.Struct, frozen=True):
    """``headers`` holds the allow-listed ones, names in lower case; ``body`` is decoded (never compressed)."""

    status: int
    content_type: str = ""
    headers: dict[str, str] = {}
    body: Body = None
    ending: Ending = "complete"


class Exchange(msgspec.Struct, frozen=True):
    """``provider`` is the name of a route (``openai``, ``anthropic``, or one that the project added); ``api`` says what
    form the bodies have: ``chat_completions``, ``responses``, ``messages``, ``other`` or ``opaque`` (see
    ``stepfork.providers.apis``)."""

    provider: str
    api: str
    request: Request
    response: Response

    @property
    def in_process(self) -> bool:
        """Whether this is an instrumented call, which no HTTP request can be answered with."""
        return self.request.method == IN_PROCESS
