"""The key of a request: what a replay matches by, and what overlapping conversations are sorted by.

Computed on the normal form of the templated request, so that generated ids, clocks and addresses do not count, nor do
``cache_control``, the order of members, or a lone text block against a string. Never stored: a fixture's keys are
computed when it is read.
"""

from __future__ import annotations

from typing import Any

import msgspec

from stepfork.canonical.encode import dumps
from stepfork.canonical.names import name_of
from stepfork.errors import CanonicalError
from stepfork.normalize.known import Context
from stepfork.normalize.normalize import normalize_exchange
from stepfork.normalize.numbering import ValueNumbers
from stepfork.normalize.placeholders import BY_VALUE, Placeholder, parse, render
from stepfork.providers.normal import normal_request
from stepfork.trace.body import JsonValue
from stepfork.trace.exchange import Exchange
from stepfork.trace.wire import body_to_json


class RequestKey(msgspec.Struct, frozen=True, order=True):
    """``model`` as the request names it; ``params``, ``prompt`` and ``tools`` are BLAKE3-256 in lower-case hex.

    ``params`` covers the API and all that is neither prompt nor tools, ``metadata.user_id`` left out; ``prompt`` the
    system prompt and the messages; ``tools`` the tool schemas.
    """

    model: str | None
    params: str
    prompt: str
    tools: str

    def digest(self) -> bytes:
        """32 bytes that stand for the whole key."""
        return bytes.fromhex(_hash([self.model, self.params, self.prompt, self.tools]))


def request_key(exchange: Exchange, context: Context | None = None) -> RequestKey:
    """The key of an exchange's request.

    With a `context` the exchange is as it was captured (text in it that looks like a placeholder is text, clocks of
    that run do not count); without one it is an exchange of a fixture. Equal for the two forms of one exchange.
    """
    exchange = normalize_exchange(exchange, context, templated=context is None)
    request = normal_request(exchange)
    numbers = ValueNumbers()
    prompt = _local([msgspec.to_builtins(request.system), msgspec.to_builtins(request.messages)], numbers)
    tools = _local(request.tools, numbers)
    shape = {name: request.other[name] for name in ("system", "messages") if name in request.other}
    more_tools = request.other.get("tools")
    rest = {name: value for name, value in request.other.items() if name not in ("system", "messages", "tools")}
    params = _local([exchange.api, _without_user_id(request.params), rest], numbers)
    return RequestKey(
        model=request.model,
        params=_hash(params),
        prompt=_hash([prompt, _local(shape, numbers)]),
        tools=_hash([tools, _local(more_tools, numbers)]),
    )


def exchange_key(exchange: Exchange, context: Context) -> bytes:
    """Sorts captured exchanges blind to ids and clocks: by request key, then by the response, numbered locally."""
    key = request_key(exchange, context)
    local = normalize_exchange(exchange, context)
    response = local.response
    told = [response.status, response.content_type, response.headers, body_to_json(response.body), response.ending]
    return key.digest() + bytes.fromhex(_hash(told))


def _without_user_id(params: dict[str, JsonValue]) -> dict[str, JsonValue]:
    metadata = params.get("metadata")
    if not isinstance(metadata, dict) or "user_id" not in metadata:
        return params
    kept = {name: value for name, value in metadata.items() if name != "user_id"}
    others = {name: value for name, value in params.items() if name != "metadata"}
    return others | {"metadata": kept} if kept else others


def _local(value: JsonValue, numbers: ValueNumbers) -> JsonValue:
    """`value` with the placeholders that a fixture numbers over all its exchanges numbered within this request."""
    if isinstance(value, str):
        return _local_text(value, numbers) if "{{" in value else value
    if isinstance(value, dict):
        return {_local(name, numbers): _local(value[name], numbers) for name in sorted(value)}
    if isinstance(value, list | tuple):
        return [_local(item, numbers) for item in value]
    return value


def _local_text(text: str, numbers: ValueNumbers) -> str:
    def renumbered(piece: str | Placeholder) -> str | Placeholder:
        if isinstance(piece, str) or piece.kind not in BY_VALUE:
            return piece
        return Placeholder(piece.kind, numbers.number(piece.kind, str(piece)))

    return render(renumbered(piece) for piece in parse(text))


def _hash(value: Any) -> str:
    try:
        return name_of(dumps(value))
    except CanonicalError:
        return name_of(repr(value).encode("utf-8", "surrogatepass"))
