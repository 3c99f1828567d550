"""A recorded exchange, read once for all that links, orders and derives."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from stepfork.providers.answer import answer_of
from stepfork.providers.apis import MODEL_APIS
from stepfork.providers.calls import Answer
from stepfork.providers.legible import legible
from stepfork.providers.normal import normal_request
from stepfork.providers.normal_form import NormalMessage
from stepfork.trace.body import EventsBody, JsonBody, JsonValue
from stepfork.trace.exchange import Exchange
from stepfork.trace.recorded import Recorded

_GIVEN = frozenset({"id", "call_id", "item_id"})
_TAKEN = frozenset({"id", "call_id", "tool_call_id", "tool_use_id", "item_id", "previous_response_id"})
_REQUEST_IDS = ("request-id", "x-request-id")
_EVENT_ID = re.compile(r'"(?:id|call_id|item_id)"\s*:\s*"([^"\\]{1,300})"')


class Call(msgspec.Struct, frozen=True):
    """`given` are the ids that the response made up, `taken` the ids that the request holds, in document order.

    `messages` are the request's, system prompt apart; `system` is its text. `opening` names the request as a whole:
    two equal requests have the same one.
    """

    exchange: Exchange
    start: int
    end: int
    answer: Answer
    given: frozenset[str]
    taken: tuple[str, ...]
    system: tuple[str, ...]
    messages: tuple[NormalMessage, ...]
    opening: bytes

    @property
    def is_model_call(self) -> bool:
        """Whether this asks a model to go on, rather than to count tokens, list models or say hello."""
        return self.exchange.api in MODEL_APIS

    @property
    def answered(self) -> bool:
        """Whether a model answered: also where the provider says that it cut the answer short."""
        return self.is_model_call and self.answer.outcome in ("ok", "incomplete")


def read_calls(recorded: Sequence[Recorded]) -> list[Call]:
    """The calls of a run, in order of arrival."""
    return [_read(record) for record in sorted(recorded, key=lambda record: record.arrived_ns)]


def as_recorded(exchanges: Sequence[Exchange]) -> list[Recorded]:
    """Exchanges of which only the order is known, one after the other."""
    return [Recorded(exchange, 2 * i, 2 * i + 1, 0) for i, exchange in enumerate(exchanges)]


def _read(record: Recorded) -> Call:
    exchange = record.exchange
    model_call = exchange.api in MODEL_APIS
    told = legible(exchange.request.body)
    request = normal_request(_with_request(exchange, told)) if model_call else None
    taken = tuple(_ids(told, _TAKEN))
    return Call(
        exchange=exchange,
        start=record.arrived_ns,
        end=record.ended_ns,
        answer=_storable(answer_of(exchange)),
        # Responses repeats members of the request, the id of a stored prompt among them.
        given=frozenset(_given(exchange)) - frozenset(taken),
        taken=taken,
        system=request.system if request else (),
        messages=request.messages if request else (),
        opening=digest(exchange.provider, exchange.request),
    )


def _with_request(exchange: Exchange, told: JsonValue | None) -> Exchange:
    """`exchange` with a request body that is kept as text read as the JSON that it tells."""
    if told is None or isinstance(exchange.request.body, JsonBody):
        return exchange
    return msgspec.structs.replace(exchange, request=msgspec.structs.replace(exchange.request, body=JsonBody(told)))


def _storable(answer: Answer) -> Answer:
    """`answer` as canonical JSON can hold it: a stream may spell half a character, or a number past 64 bits, in the
    JSON of its events, which are kept as text."""
    try:
        msgspec.msgpack.encode(answer)
    except (UnicodeEncodeError, OverflowError):
        return msgspec.convert(_held(msgspec.to_builtins(answer)), Answer)
    return answer


def _held(value: Any) -> Any:
    match value:
        case str():
            # The halves of a character that two events brought come together here.
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case int() if not -(2**63) <= value < 2**63:
            return None
        case dict():
            return {name: _held(held) for name, held in value.items()}
        case list() | tuple():
            return [_held(held) for held in value]
    return value


def digest(*parts: Any) -> bytes:
    """16 bytes that name `parts`."""
    return hashlib.blake2b(msgspec.msgpack.encode(parts), digest_size=16).digest()


def _given(exchange: Exchange) -> Iterator[str]:
    headers = exchange.response.headers
    yield from (headers[name] for name in _REQUEST_IDS if headers.get(name))
    body = exchange.response.body
    if isinstance(body, EventsBody):
        for event in body.events:
            yield from _EVENT_ID.findall(event)
    else:
        yield from _ids(legible(body), _GIVEN)


def _ids(value: Any, names: frozenset[str]) -> list[str]:
    found: list[str] = []
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            inner = []
            for name, held in node.items():
                if isinstance(held, str):
                    if name in names and held:
                        found.append(held)
                elif isinstance(held, dict | list):
                    inner.append(held)
            stack.extend(reversed(inner))
        elif isinstance(node, list):
            stack.extend(reversed(node))
    return found
