"""Two JSON values compared: which paths differ, and how.

One walk does it, and it is not deepdiff's: lists have to be aligned by content before anything can be compared inside
them, and what is then left between two lists (members by name, scalars by type and value) is a loop. deepdiff in that
place would take as long to import as everything else takes to run, and needs each list, bool, float, key with two
underscores and large change kept away from it. The tests hold this walk against deepdiff where both see alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from stepfork.diff.alignment import Item, align
from stepfork.diff.keys import canonical_text
from stepfork.diff.values import FieldChange
from stepfork.trace.body import JsonValue

_NAMES = ("id", "name", "key")
"""Members that tell which of several objects one is, so that it is found again when the rest of it changed."""


def json_diff(old: JsonValue, new: JsonValue, path: str = "") -> tuple[FieldChange, ...]:
    """What differs, in order of path; empty exactly where the canonical bytes are equal.

    An object is compared member by member, a list item by item after alignment; a value of another type is one change.
    Any depth that a value can have is walked: nothing here recurs.
    """
    if type(old) is type(new) and canonical_text(old) == canonical_text(new):
        return ()
    return tuple(_walk(old, new, path))


def pointer(path: str, step: str | int) -> str:
    """An RFC 6901 pointer one step further down."""
    return f"{path}/{str(step).replace('~', '~0').replace('/', '~1')}"


def _walk(old: JsonValue, new: JsonValue, path: str) -> Iterator[FieldChange]:
    stack: list[FieldChange] = [_change(path, path, old, new)]
    while stack:
        change = stack.pop()
        inner = None
        if change.change == "changed":
            before = change.path if change.old_path is None else change.old_path
            if isinstance(change.old, dict) and isinstance(change.new, dict):
                inner = list(_members(change.old, change.new, before, change.path))
            elif isinstance(change.old, list) and isinstance(change.new, list):
                inner = list(_items(change.old, change.new, before, change.path))
            elif _equal(change.old, change.new):
                continue
        if inner is None:
            yield change
        else:
            stack += reversed(inner)


def _change(old_path: str, path: str, old: JsonValue, new: JsonValue) -> FieldChange:
    return FieldChange(path, "changed", old, new, None if old_path == path else old_path)


def _equal(old: JsonValue, new: JsonValue) -> bool:
    """Of two values that are not containers of one kind: ``True``, ``1`` and ``1.0`` are three values."""
    if type(old) is not type(new):
        return False
    return old == new if isinstance(old, str) else canonical_text(old) == canonical_text(new)


def _members(old: dict[str, Any], new: dict[str, Any], before: str, path: str) -> Iterator[FieldChange]:
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            yield FieldChange(pointer(before, name), "removed", old=old[name])
        elif name not in old:
            yield FieldChange(pointer(path, name), "added", new=new[name])
        else:
            yield _change(pointer(before, name), pointer(path, name), old[name], new[name])


def _items(old: Sequence[Any], new: Sequence[Any], before: str, path: str) -> Iterator[FieldChange]:
    for op in align([_item(value) for value in old], [_item(value) for value in new]):
        if op.old is None and op.new is not None:
            yield FieldChange(pointer(path, op.new), "added", new=new[op.new])
        elif op.new is None and op.old is not None:
            yield FieldChange(pointer(before, op.old), "removed", old=old[op.old])
        elif op.old is not None and op.new is not None and op.kind != "same":
            old_path, new_path = pointer(before, op.old), pointer(path, op.new)
            if op.kind == "moved":
                yield FieldChange(new_path, "moved", old[op.old], new[op.new], old_path)
            else:
                yield _change(old_path, new_path, old[op.old], new[op.new])


def _item(value: JsonValue) -> Item:
    text = canonical_text(value)
    kind = type(value).__name__ if isinstance(value, dict | list) else ""
    named = _named(value) if isinstance(value, dict) else None
    return Item((text, named or text), kind, (text,))


def _named(value: dict[str, Any]) -> tuple[str, str] | None:
    return next(((name, value[name]) for name in _NAMES if isinstance(value.get(name), str)), None)
