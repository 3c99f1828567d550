"""A conversation as a flat list of messages and tool results: what is aligned when two requests are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Literal, cast

import msgspec

from stepfork.canonical.encode import dumps
from stepfork.canonical.parse import parse
from stepfork.diff.alignment import Item
from stepfork.diff.keys import canonical_text, digest
from stepfork.diff.renaming import map_texts, masked
from stepfork.errors import CanonicalError
from stepfork.providers.calls import ToolCall
from stepfork.providers.normal import NormalMessage, NormalRequest
from stepfork.trace.body import JsonValue

UnitSection = Literal["messages", "tool_results"]


class Unit(msgspec.Struct, frozen=True, dict=True):
    """One message without its tool results, or one tool result.

    ``index`` is the message's place in the request; ``label`` the tool's name of a result; ``text`` what is compared
    line by line; ``rest`` all else: the calls of a message, the call id of a result, and what has no field.
    """

    section: UnitSection
    index: int
    role: str
    text: str
    rest: dict[str, JsonValue]
    label: str = ""

    @cached_property
    def canonical(self) -> str:
        """Canonical JSON of all that counts; the place does not."""
        return canonical_text([self.section, self.role, self.label, self.text, self.rest])

    @cached_property
    def key(self) -> bytes:
        """Equal for equal units."""
        return digest(self.canonical)

    @cached_property
    def masked_key(self) -> bytes:
        """Equal for units that are equal but for the numbers of placeholders."""
        return digest(masked(self.canonical))

    def mapped(self, change: Callable[[str], str]) -> Unit:
        """This unit with all of its texts changed; itself where none is."""
        return cast(Unit, map_texts(self, change)) if "{{" in self.canonical else self

    @property
    def item(self) -> Item:
        """For alignment: equal wholly; then equal in text or, for a message without one, in the names of its calls."""
        calls = [call["name"] for call in self.rest.get("tool_calls", ())]
        loose = (self.section, self.role, self.label, self.text or tuple(calls))
        return Item((self.key, loose), (self.section, self.role, self.label), (self.canonical,))

    @property
    def call_lines(self) -> list[str]:
        """The calls of a message, a line each."""
        return [f"→ {call['name']} {call['arguments']}" for call in self.rest.get("tool_calls", ())]


class RequestForm(msgspec.Struct, frozen=True, dict=True):
    """A request as it is compared: all but its messages, and these as units."""

    head: NormalRequest
    units: tuple[Unit, ...]

    @cached_property
    def head_text(self) -> str:
        """Canonical JSON of all but the messages."""
        return canonical_text(self.head)

    @cached_property
    def places(self) -> list[int]:
        """Which units are of one message."""
        return [unit.index for unit in self.units]


class Forms:
    """Makes forms; a message that stands at one place of many requests becomes one unit."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], tuple[Unit, ...]] = {}

    def of(self, request: NormalRequest) -> RequestForm:
        """The form of a request."""
        units = [unit for index, message in enumerate(request.messages) for unit in self._units(index, message)]
        return RequestForm(msgspec.structs.replace(request, messages=()), tuple(units))

    def _units(self, index: int, message: NormalMessage) -> tuple[Unit, ...]:
        extra = canonical_text(message.extra) if message.extra else ""
        key = (index, message.role, message.text, message.tool_calls, message.tool_results, extra)
        if key not in self._known:
            self._known[key] = tuple(_units(index, message))
        return self._known[key]


def _units(index: int, message: NormalMessage) -> Iterator[Unit]:
    extra = {"extra": message.extra} if message.extra else {}
    for result in message.tool_results:
        rest: dict[str, JsonValue] = {"call_id": result.call_id} | ({"name": ""} if result.name == "" else {})
        if not message.text and not message.tool_calls:
            rest, extra = rest | extra, {}
        yield Unit("tool_results", index, message.role, result.text, rest, result.name or "")
    if message.text or message.tool_calls or extra or not message.tool_results:
        calls = {"tool_calls": calls_json(message.tool_calls)} if message.tool_calls else {}
        yield Unit("messages", index, message.role, message.text, calls | extra)


def calls_json(calls: tuple[ToolCall, ...]) -> list[JsonValue]:
    """Calls as JSON, arguments as the text that they are."""
    return [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in calls]


def read_json(text: str) -> Any:
    """The object or list that a text is; None where it is none, or one that canonical JSON cannot carry."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return parse(text)
    except CanonicalError:
        return None


def json_lines(text: str) -> list[str] | None:
    """A text that is a JSON object or list as lines, one a member or bracket, None for any other text.

    Indentation and commas are left out: they change with a neighbour, and brackets say the same.
    """
    value = read_json(text)
    return None if value is None else [line.strip().removesuffix(",") for line in dumps(value).decode().splitlines()]
