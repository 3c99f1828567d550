"""From the transcript of a call to its exchange, and why a capture that holds it would fail.

A truncated answer, a reset, an error inside a 200, an incomplete answer and an agent that hangs up are five different
things, and no ending is ever made up. An agent that closes after the terminal event of a stream has finished its call;
a stream that comes to a clean end without one has not, whatever its framing says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import msgspec

from stepfork.listener.headers import kept
from stepfork.listener.limits import Limits
from stepfork.listener.problem import Problem, ProblemKind
from stepfork.listener.transcript import Transcript
from stepfork.providers.apis import MODEL_APIS, OPAQUE, asks_for_stream, label
from stepfork.providers.sse import events_of
from stepfork.providers.streams import is_terminal
from stepfork.trace.body import Body, EventsBody, JsonBody, TextBody
from stepfork.trace.coding import CodingError, Undo
from stepfork.trace.exchange import Ending, Exchange, Request, Response
from stepfork.trace.recorded import Recorded
from stepfork.trace.wire import body_bytes, media_type, read_body


class Concluded(msgspec.Struct, frozen=True):
    """A call that is over. ``size`` is its decoded bytes; ``notice`` is a hint that fails nothing, "" for none."""

    recorded: Recorded
    problems: tuple[Problem, ...]
    notice: str
    size: int


class _Decoded(msgspec.Struct, frozen=True):
    """A body with its codings undone: ``over`` the limit, ``whole`` (its own end was reached), or at fault."""

    data: bytes
    over: bool = False
    whole: bool = True
    fault: str = ""


_Flaw = tuple[ProblemKind, str]


def conclude(transcript: Transcript, limits: Limits, room: int) -> Concluded:
    """The exchange that `transcript` tells of; its bodies are let go. `room`: decoded bytes that may still be kept."""
    asked = _undone(transcript.request_body, transcript.request_headers, min(limits.request_bytes, room))
    got = _undone(transcript.response_body, transcript.response_headers, min(limits.response_bytes, room))
    transcript.request_body, transcript.response_body = bytearray(), bytearray()
    content_type = transcript.request_headers.get("content-type", "")
    request = Request(
        transcript.method, transcript.path, transcript.query, content_type, read_body(asked.data, content_type)
    )
    api = transcript.api
    response, flaw = _response(transcript, got, streamed=asks_for_stream(request))
    flaws: list[_Flaw] = [flaw] if flaw else []
    if asked.fault:
        flaws.append(("unreadable", f"the request body {asked.fault}"))
    if not transcript.request_whole and response.ending == "complete":
        flaws.append(("unfinished", "the agent did not send the whole request"))
    if asked.over:
        flaws.append(("limit", "the request body is larger than what is kept of one"))
    exchange = Exchange(transcript.provider, api, request, response)
    name = f"exchange {transcript.index} ({label(exchange)})"
    return Concluded(
        Recorded(exchange, transcript.arrived_ns, transcript.ended_ns, transcript.connection),
        tuple(Problem(kind, f"{name}: {text}", transcript.arrived_ns) for kind, text in flaws),
        f"{name}: the upstream answered 404 at {transcript.url}" if response.status == 404 else "",
        len(asked.data) + len(got.data),
    )


def _undone(body: bytearray, headers: Mapping[str, str], limit: int) -> _Decoded:
    raw = bytes(body)
    coding = headers.get("content-encoding", "")
    if not coding and len(raw) <= limit:
        return _Decoded(raw)
    try:
        undoing = Undo(coding, limit)
        data = undoing.feed(raw)
    except CodingError as error:
        return _Decoded(raw[:limit], fault=str(error))
    return _Decoded(data, over=undoing.over, whole=undoing.finished)


def _response(transcript: Transcript, got: _Decoded, *, streamed: bool) -> tuple[Response, _Flaw | None]:
    headers = transcript.response_headers
    content_type = headers.get("content-type", "")
    ending: Ending = transcript.ending or "client_closed"
    if got.over or transcript.cut:
        ending = "truncated"
    elif got.fault:
        ending = "unreadable"
    elif not got.whole and ending == "complete":
        ending = "reset"
    data = got.data if ending == "complete" else without_cut_character(got.data)
    body = read_body(data, content_type, streamed=streamed)
    if transcript.api == OPAQUE:
        body = _as_spelled(body, data)
    if ending not in ("truncated", "unreadable") and 200 <= transcript.status < 300:
        ending = _stream_ending(ending, body, content_type, transcript.api)
    response = Response(transcript.status, content_type, kept(headers), body, ending)
    return response, _flaw(ending, transcript, got)


def _as_spelled(body: Body, data: bytes) -> Body:
    """JSON of an opaque route is kept as text unless its spelling is the one that is given back: a tool may hand the
    text on to a model as it came."""
    if isinstance(body, JsonBody) and body_bytes(body) != data:
        return TextBody(data.decode(), "the spelling of its JSON is kept")
    return body


def _flaw(ending: Ending, transcript: Transcript, got: _Decoded) -> _Flaw | None:
    match ending:
        case "complete":
            return None
        case "truncated":
            return "limit", "the response is larger than what is kept of one"
        case "unreadable":
            return "unreadable", f"the response body {got.fault or 'is an event stream that does not parse'}"
        case "client_closed":
            return "unfinished", "the agent stopped reading before the end of the response"
    early = "the event stream ended without its last event"
    broken = "the upstream broke off the response"
    return "reset", transcript.why or (early if transcript.ending == "complete" and got.whole else broken)


def _stream_ending(ending: Ending, body: Body, content_type: str, api: str) -> Ending:
    """How a response ended, where it is an event stream: its terminal event decides."""
    if not isinstance(body, EventsBody):
        is_stream = media_type(content_type) == "text/event-stream"
        if not is_stream or ending != "complete" or api not in MODEL_APIS:
            return ending
        return "reset" if body is None else "unreadable"
    events = events_of(body)
    if ending == "complete" and api not in MODEL_APIS:
        return ending  # the terminal events of other APIs are not known
    if ending == "complete" and not all(_parses(event.data) for event in events):
        return "unreadable"
    if any(is_terminal(api, event) for event in reversed(events)):
        return "complete"
    return "reset" if ending == "complete" else ending


def _parses(data: str | None) -> bool:
    if not data or data.strip() == "[DONE]":
        return True
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def without_cut_character(data: bytes) -> bytes:
    """`data` without a UTF-8 character whose last bytes are not there any more.

    What is there of a text that broke off is still text: as bytes it could not be searched for secrets.
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return data[: error.start]
    return data
