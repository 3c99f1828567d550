"""Which fields of a part mean an id, a time, a duration: told by the provider's structure, never by a value's look.

A mark stands for one exact path of a body as it was parsed. Text that is JSON text is not looked into here, so that a
tool's result that happens to have a member ``id`` is never taken for a message frame.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal

from stepfork.normalize import rules
from stepfork.normalize.documents import document_values
from stepfork.normalize.durations import without_length
from stepfork.trace.body import Body, EventsBody, JsonBody
from stepfork.trace.step import Trace

Mark = Literal["id", "conversation", "time", "duration", "fingerprint", "padding", "opaque"]
Path = tuple[str | int, ...]
Marks = dict[Path, Mark]

LONGEST_VALUE = 300
"""Characters of a field's text that can be an id, a time or a duration."""

_NUMBERED = re.compile(r"[A-Za-z_-]*\{\{[a-z]+_[0-9]+\}\}")
_DATA_LINE = re.compile(r"(?:\A|(?<=[\r\n]))data: ?([^\r\n]+)")
_MARK_OF: dict[str, Mark] = {
    **dict.fromkeys(rules.ID_FIELDS, "id"),
    **dict.fromkeys(rules.OPAQUE_FIELDS, "opaque"),
    **dict.fromkeys(rules.TIME_FIELDS, "time"),
    **dict.fromkeys(rules.DURATION_FIELDS, "duration"),
    **dict.fromkeys(rules.FINGERPRINT_FIELDS, "fingerprint"),
}
_IN_MESSAGES: frozenset[Mark] = frozenset({"id", "opaque"})


def message_marks(message: Any) -> Marks:
    """Ids and sealed values of one message (or input item) of a request: its frame, its calls and its blocks."""
    return dict(_walk(message, (), rules.MESSAGE_FRAME, _IN_MESSAGES))


def rest_marks(rest: dict[str, Any]) -> Marks:
    """Ids among the remaining fields of a request."""
    marks: Marks = {
        (name,): "id"
        for name in rest
        if name in rules.ID_FIELDS and name not in rules.BOOKKEEPING_FIELDS and _is_id(rest[name])
    }
    metadata = rest.get("metadata")
    marks.update({(name,): "id" for name in rest if _is_bookkeeping(name, rest[name])})
    if isinstance(metadata, dict):
        marks.update({("metadata", name): "id" for name in metadata if _is_bookkeeping(name, metadata[name])})
    for name in rules.CONVERSATIONS:
        if isinstance(rest.get(name), list):
            marks.update(_walk(rest[name], (name,), rules.MESSAGE_FRAME, _IN_MESSAGES))
    for name in ("conversation", "container"):
        holder = rest.get(name)
        if _is_id(holder):
            marks[(name,)] = "id"
        elif isinstance(holder, dict) and _is_id(holder.get("id")):
            marks[(name, "id")] = "id"
    return marks


def response_marks(headers: dict[str, str], body: Body) -> Marks:
    """Fields of a response's headers and body."""
    marks: Marks = dict(_headers(headers))
    if isinstance(body, JsonBody):
        marks.update(_walk(body.value, ("body",), rules.ENVELOPE, None))
    elif isinstance(body, EventsBody):
        for index, event in enumerate(body.events):
            for value in event_values(event):
                path: Path = ("body", "events", index)
                marks.update(_walk(value, path, rules.ENVELOPE, None))
                marks.update(
                    {(*path, name): "padding" for name in rules.PADDING_FIELDS if isinstance(value.get(name), str)}
                )
    for number, value in document_values(body):
        marks.update(_walk(value, ("body", "documents", number), rules.ENVELOPE, None))
    return marks


def metadata_mark(path: Path, item: Any) -> Mark | None:
    """What a value is that a framework took out of an envelope and keeps as data."""
    mark = _MARK_OF.get(path[-1]) if path else None  # type: ignore[arg-type]
    if mark is None or rules.METADATA.isdisjoint(path):
        return None
    return mark if _fits(mark, item) else None


def envelope_marks(value: Any) -> Marks:
    """Fields of one decoded response body or event."""
    return dict(_walk(value, (), rules.ENVELOPE, None))


def trace_marks(trace: Trace) -> Marks:
    """The conversation, and the call ids of the steps."""
    marks: Marks = {("steps", index, "call_id"): "id" for index, step in enumerate(trace.steps) if step.call_id}
    if trace.conversation:
        marks[("conversation",)] = "conversation"
    return marks


def event_values(event: str) -> Iterator[dict[str, Any]]:
    """The JSON object that the data lines of one event spell together; where they spell none, those of single lines."""
    lines = _DATA_LINE.findall(event)
    whole = _object_in("\n".join(lines))
    if whole is not None:
        yield whole
    elif len(lines) > 1:
        yield from (value for line in lines if (value := _object_in(line)) is not None)


def _object_in(text: str) -> dict[str, Any] | None:
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def user_ids(rest: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Kind and value of what Claude Code says of itself in ``metadata.user_id``, in either of its two forms."""
    metadata = rest.get("metadata")
    text = metadata.get("user_id") if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        return
    old = rules.CLAUDE_CODE_USER.fullmatch(text)
    if old:
        found: Sequence[Any] = old.groups()
    else:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return
        names = ("device_id", "account_uuid", "session_id")
        found = [value.get(name) for name in names] if isinstance(value, dict) else ()
    for kind, item in zip(("device", "account", "session"), found, strict=False):
        if isinstance(item, str) and item:
            yield kind, item


def value_at(value: Any, path: Path) -> Any:
    """The value at a path, None where there is none."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _walk(
    value: Any, path: Path, inside: Collection[str], wanted: Collection[Mark] | None
) -> Iterator[tuple[Path, Mark]]:
    stack: list[tuple[Any, Path]] = [(value, path)]
    while stack:
        node, here = stack.pop()
        if isinstance(node, list):
            stack.extend((item, (*here, index)) for index, item in enumerate(node))
        elif isinstance(node, dict) and node.get("object") != "model":  # a model's id is its name
            for name, item in node.items():
                mark = _MARK_OF.get(name)
                if mark is None and name in rules.USAGE_TIME_FIELDS and here[-1:] == ("usage",):
                    mark = "time"
                if mark is not None and (wanted is None or mark in wanted) and _fits(mark, item):
                    yield (*here, name), mark
                elif name in inside and isinstance(item, dict | list):
                    stack.append((item, (*here, name)))
            if node.get("type") == "redacted_thinking" and isinstance(node.get("data"), str):
                yield (*here, "data"), "opaque"


def _fits(mark: Mark, item: Any) -> bool:
    if isinstance(item, str):
        if mark == "duration":
            return without_length(item) is not None
        return _is_id(item) if mark == "id" else bool(item)
    return mark in ("time", "duration") and isinstance(item, int | float) and not isinstance(item, bool)


def _is_bookkeeping(name: str, value: Any) -> bool:
    """Whether a member beside a prompt is an id that the program made up for the run."""
    if name not in rules.BOOKKEEPING_FIELDS or not _is_id(value):
        return False
    return bool(rules.GENERATED.fullmatch(value) or rules.ID.fullmatch(value) or _NUMBERED.fullmatch(value))


def _is_id(item: Any) -> bool:
    return isinstance(item, str) and 0 < len(item) <= LONGEST_VALUE and not any(mark.isspace() for mark in item)


def _headers(headers: dict[str, str]) -> Iterator[tuple[Path, Mark]]:
    for name, value in headers.items():
        lower = name.lower()
        if lower in rules.ID_HEADERS and _is_id(value):
            yield ("headers", name), "id"
        elif lower in rules.TIME_HEADERS:
            yield ("headers", name), "time"
        elif lower in rules.DURATION_HEADERS:
            yield ("headers", name), "duration"
