"""A conversation as a flat list of messages and tool results: what is aligned when two requests are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Literal, cast

import msgspec

from stepfork.canonical.encode import dumps
from stepfork.canonical.parse import parse
from stepfork.diff.alignment import Item
from stepfork.diff.keys import canonical_text
from stepfork.diff.renaming import map_texts, masked
from stepfork.diff.values import MessageChange
from stepfork.errors import CanonicalError
from stepfork.providers.calls import ToolCall
from stepfork.providers.normal_form import NormalMessage, NormalRequest
from stepfork.trace.body import JsonValue
from stepfork.trace.wire import BODY_DEPTH

AUTHORS = ("user", "system", "developer")
"""Roles of what the agent's author says, or who uses it."""
UnitSection = Literal["messages", "tool_results"]


class Unit(msgspec.Struct, frozen=True, dict=True):
    """One message without its tool results, or one tool result.

    ``index`` is the message's place in the request; ``label`` the tool's name of a result; ``text`` what is compared
    line by line; ``rest`` all else: the calls of a message, the call id of a result, and what has no field.
    ``key`` has all texts but the place, what is no text as canonical JSON: equal for equal units.
    """

    section: UnitSection
    index: int
    role: str
    text: str
    rest: dict[str, JsonValue]
    label: str
    key: tuple[str, ...]

    @cached_property
    def canonical(self) -> str:
        """Canonical JSON of all but the place."""
        return canonical_text([self.section, self.role, self.label, self.text, self.rest])

    @cached_property
    def compared(self) -> dict[int, tuple[Unit, MessageChange]]:
        """How it differs from other units, by their ids; each is held, so that no id is given away again."""
        return {}

    @property
    def has_placeholders(self) -> bool:
        """Whether there is anything to rename."""
        return any("{{" in text for text in self.key)

    @cached_property
    def masked(self) -> tuple[str, ...]:
        """Equal for units that are equal but for the numbers of placeholders."""
        return tuple(map(masked, self.key))

    def mapped(self, change: Callable[[str], str]) -> Unit:
        """This unit with all of its texts changed; itself where none is."""
        return cast(Unit, map_texts(self, change)) if self.has_placeholders else self

    @cached_property
    def item(self) -> Item:
        """For alignment: equal wholly; equal in text or, for a message without one, in the names of its calls; then
        what an author says, in whatever role."""
        calls = [call["name"] for call in self.rest.get("tool_calls", ())]
        loose = (self.section, self.role, self.label, self.text or tuple(calls))
        said = ("said", self.text) if self.text and self.role in AUTHORS and self.section == "messages" else loose
        return Item((self.key, loose, said), (self.section, self.role, self.label), (self.canonical,))

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
            self._known[key] = tuple(_units(index, message, extra))
        return self._known[key]


def _units(index: int, message: NormalMessage, extra_text: str) -> Iterator[Unit]:
    role, text = message.role, message.text
    extra = {"extra": message.extra} if extra_text else {}
    for result in message.tool_results:
        rest: dict[str, JsonValue] = {"call_id": result.call_id} | ({"name": ""} if result.name == "" else {})
        told = ""
        if not text and not message.tool_calls:
            rest, extra, told, extra_text = rest | extra, {}, extra_text, ""
        key = ("tool_results", role, result.name or "", result.text, told, result.call_id, str(result.name == ""))
        yield Unit("tool_results", index, role, result.text, rest, result.name or "", key)
    if text or message.tool_calls or extra or not message.tool_results:
        calls = {"tool_calls": calls_json(message.tool_calls)} if message.tool_calls else {}
        said = tuple(part for call in message.tool_calls for part in (call.id, call.name, call.arguments))
        yield Unit("messages", index, role, text, calls | extra, "", ("messages", role, "", text, extra_text, *said))


def calls_json(calls: tuple[ToolCall, ...]) -> list[JsonValue]:
    """Calls as JSON, arguments as the text that they are."""
    return [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in calls]


def read_json(text: str) -> Any:
    """The object or list that a text is; None where it is none, or one that a body could not hold."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return parse(text, limit=BODY_DEPTH)
    except CanonicalError:
        return None


def json_lines(text: str) -> list[str] | None:
    """A text that is a JSON object or list as lines, one a member or bracket, None for any other text.

    Indentation and commas are left out: they change with a neighbour, and brackets say the same.
    """
    value = read_json(text)
    return None if value is None else [line.strip().removesuffix(",") for line in dumps(value).decode().splitlines()]
