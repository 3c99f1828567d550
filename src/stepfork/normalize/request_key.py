"""The key of a request: what a replay matches by, and what overlapping conversations are sorted by.

Computed on the normal form of the templated request, so that generated ids, clocks and addresses do not count, nor do
``cache_control``, the order of members, or a lone text block against a string. Never stored: a fixture's keys are
computed when it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from stepfork.canonical.encode import dumps
from stepfork.canonical.names import name_of
from stepfork.errors import CanonicalError
from stepfork.normalize.claude_code import without_surroundings
from stepfork.normalize.known import Context
from stepfork.normalize.normalize import normalize_exchange
from stepfork.normalize.normalizer import Normalizer
from stepfork.normalize.numbering import ValueNumbers
from stepfork.normalize.placeholders import BY_POSITION, BY_VALUE, LOOK_ALIKE, PERSONAL, Placeholder, as_placeholder
from stepfork.normalize.telling import told_by
from stepfork.normalize.volatile import without
from stepfork.providers.calls import ToolResult, bare_tool
from stepfork.providers.normal import normal_request
from stepfork.providers.normal_form import NormalMessage, NormalRequest
from stepfork.trace.body import JsonValue
from stepfork.trace.exchange import Exchange


class KeyRules(msgspec.Struct, frozen=True):
    """What does not count in a project's requests: ``tools`` maps a tool's name to JSON pointers into its results.

    A name stands for the tool of that name at any server too (``mcp__orders__lookup``), unless it has rules of its own.
    """

    tools: dict[str, tuple[str, ...]] = {}

    def of_result(self, result: ToolResult) -> tuple[str, ...] | None:
        """The pointers into a result, None where its tool has no rule."""
        name = result.name or ""
        return self.tools.get(name, self.tools.get(bare_tool(name)))


NO_RULES = KeyRules()


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
        return bytes.fromhex(name_of(dumps([self.model, self.params, self.prompt, self.tools])))


def request_key(exchange: Exchange, context: Context | None = None, rules: KeyRules = NO_RULES) -> RequestKey:
    """The key of an exchange's request, under a project's `rules`.

    Without a `context` the exchange is one of a fixture. With one it is as it was captured: it is templated first, so
    that text that looks like a placeholder is text, and clocks of that run do not count. The two are equal for one
    exchange.
    """
    if context is not None:
        exchange = normalize_exchange(exchange, context)
    return form_key(exchange.api, keyed_form(exchange, rules), Names())


class Names(ValueNumbers):
    """The placeholders of one request, numbered in order of first appearance whatever their numbers were.

    Those of the kinds in `alike` are not told apart, as times never are: ``times`` and ``others`` have each occurrence
    of the two, for who compares further than by the key.
    """

    def __init__(self, *, alike: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.times: list[str] = []
        self.others: list[tuple[str, str]] = []
        self._alike = alike

    def number(self, kind: str, value: str) -> int:
        """The number of a placeholder, by its spelling."""
        if kind in self._alike:
            self.others.append((kind, value))
            return 1
        return super().number(kind, value)


def form_key(api: str, request: NormalRequest, names: Names) -> RequestKey:
    """The key of a form that `keyed_form` made of a templated request; `names` learns its placeholders."""
    other = request.other
    prompt = [request.system, request.messages, other.get("system"), other.get("messages")]
    rest = {name: value for name, value in other.items() if name not in ("system", "messages", "tools")}
    return RequestKey(
        model=request.model,
        prompt=_hash(msgspec.to_builtins(prompt), names),
        tools=_hash([request.tools, other.get("tools")], names),
        params=_hash([api, request.params, rest], names),
    )


def keyed_form(exchange: Exchange, rules: KeyRules = NO_RULES) -> NormalRequest:
    """The normal form of an exchange's request with only what counts in its key: what a miss is explained by.

    Left out are ``metadata.user_id``, what Claude Code says of the machine and the day, and what `rules` name as
    volatile in results of tools.
    """
    request = normal_request(without_surroundings(exchange))
    return msgspec.structs.replace(
        request,
        params=_without_user_id(request.params),
        messages=tuple(_counting(message, rules) for message in request.messages) if rules.tools else request.messages,
    )


def _counting(message: NormalMessage, rules: KeyRules) -> NormalMessage:
    found = [(result, rules.of_result(result)) for result in message.tool_results]
    if all(pointers is None for _, pointers in found):
        return message
    results = tuple(
        result if pointers is None else msgspec.structs.replace(result, text=without(result.text, pointers))
        for result, pointers in found
    )
    return msgspec.structs.replace(message, tool_results=results)


_SORTED = 400
"""Characters of a message that calls are sorted by as people would; the digest of the key says the rest."""
_NUMBER = re.compile(r"[0-9]{1,15}")


class RunKeys:
    """Keys of the requests of one captured run, blind to ids and clocks: overlapping calls are sorted by them.

    The words that a request ends with come first: conversations that run at once then stand in the order of what they
    are about, and a change of the prompt or of a tool moves none past another. The digest of the whole key follows.

    Texts that calls repeat are templated once, so that a long conversation costs its length.
    """

    def __init__(self, exchanges: Iterable[Exchange], context: Context, rules: KeyRules = NO_RULES) -> None:
        self._normalizer = Normalizer(context, told_by(exchanges, context=context), values=ValueNumbers(spelled=True))
        self._rules = rules

    def __call__(self, exchange: Exchange) -> bytes:
        """What one of the exchanges is sorted by."""
        request = self._normalizer.request(exchange)
        form = keyed_form(msgspec.structs.replace(exchange, request=request), self._rules)
        return _last_words(form) + b"\0" + form_key(exchange.api, form, Names()).digest()


def _last_words(form: NormalRequest) -> bytes:
    """What the last message says, its placeholders numbered anew and its numbers in order of their size. What is no
    conversation comes last: the call of a tool's service then stands where its answer is given to the model."""
    if not form.messages:
        return b"\xff"
    last = form.messages[-1]
    text = "\n".join([last.text, *(result.text for result in last.tool_results)])
    if "{{" in text:
        names = Names()
        text = LOOK_ALIKE.sub(lambda match: _local(match, names), text)
    return _NUMBER.sub(lambda match: match[0].zfill(15), text[:_SORTED]).encode("utf-8", "surrogatepass")


def _without_user_id(params: dict[str, JsonValue]) -> dict[str, JsonValue]:
    metadata = params.get("metadata")
    if not isinstance(metadata, dict) or "user_id" not in metadata:
        return params
    kept = {name: value for name, value in metadata.items() if name != "user_id"}
    others = {name: value for name, value in params.items() if name != "metadata"}
    return others | {"metadata": kept} if kept else others


def _hash(value: Any, names: Names) -> str:
    """The hash of a value whose placeholders, which a fixture numbers over all its exchanges, are numbered anew."""
    try:
        data = dumps(value)
    except CanonicalError:
        data = repr(value).encode("utf-8", "surrogatepass")
    if b"{{" in data:
        text = data.decode("utf-8", "surrogatepass")
        data = LOOK_ALIKE.sub(lambda match: _local(match, names), text).encode("utf-8", "surrogatepass")
    return name_of(data)


def _local(match: re.Match[str], names: Names) -> str:
    found = as_placeholder(match)
    if found is not None and found.kind == BY_POSITION:
        # Where a time stands says all: its number, and how many digits its fraction has, do not count.
        names.times.append(match.group())
        return str(Placeholder(BY_POSITION, 1))
    if found is None or found.kind not in BY_VALUE:
        return match.group()
    shape = None if found.kind in PERSONAL else found.shape  # a number is the same with other marks between its digits
    return str(Placeholder(found.kind, names.number(found.kind, str(found.plain)), shape))
