"""One model call as it passes through, noted piece by piece.

Nothing is decoded or parsed while a call runs, so that the agent never waits for its recording; `conclude` does that
once the run is over.
"""

from __future__ import annotations

from collections.abc import Mapping

from stepfork.trace.exchange import Ending


class Transcript:
    """What has been seen of one call.

    Times are Unix nanoseconds; ``index`` counts calls from 0 in order of arrival; names of headers are in lower case.
    The bodies are as sent, each in one buffer: a large one goes back to the system as soon as it is let go.
    ``ending`` is what the wire says, None while the call runs, and ``why`` says more of a reset; ``cut`` says that the
    response had more bytes than were kept. ``told`` are the bytes of the response that a witness knows of, -1 where it
    knows nothing.
    """

    __slots__ = (
        "api",
        "arrived_ns",
        "connection",
        "cut",
        "ended_ns",
        "ending",
        "index",
        "method",
        "path",
        "provider",
        "query",
        "request_body",
        "request_headers",
        "request_whole",
        "response_body",
        "response_headers",
        "response_size",
        "status",
        "told",
        "url",
        "why",
    )

    def __init__(
        self,
        index: int,
        *,
        provider: str,
        api: str,
        method: str,
        path: str,
        query: str,
        arrived_ns: int,
        connection: int,
    ) -> None:
        self.index = index
        self.provider = provider
        self.api = api
        self.method = method
        self.path = path
        self.query = query
        self.arrived_ns = self.ended_ns = arrived_ns
        self.connection = connection
        self.url = ""
        self.request_headers: Mapping[str, str] = {}
        self.request_body = bytearray()
        self.request_whole = True
        self.status = 0
        self.response_headers: Mapping[str, str] = {}
        self.response_body = bytearray()
        self.response_size = 0
        self.cut = False
        self.ending: Ending | None = None
        self.why = ""
        self.told = -1

    def keep(self, piece: bytes, room: int) -> int:
        """Notes a piece of the response, as much of it as there is room for; how many bytes that was."""
        if len(piece) > room:
            self.cut = True
            piece = piece[:room]
        if piece:
            self.response_body += piece
            self.response_size += len(piece)
        return len(piece)

    def end(self, ending: Ending, at_ns: int, why: str = "") -> None:
        """The call is over. The first word counts: what follows, say, a hang-up is our own tidying."""
        if self.ending is None:
            self.ending = ending
            self.ended_ns = at_ns
            self.why = why
