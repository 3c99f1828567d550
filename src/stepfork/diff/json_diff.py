"""Two JSON values compared: which paths differ, and how.

deepdiff walks the objects and says which members came, went or differ. Every other pair is judged here, by type and
canonical bytes, and lists are aligned by content first, so that one inserted item is one change: deepdiff by itself
takes ``[true]`` for ``[1]``, passes over keys with two underscores, and reports a cascade where an item was inserted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

from stepfork.canonical.pointer import pointer
from stepfork.diff.alignment import Item, align
from stepfork.diff.keys import canonical_text
from stepfork.diff.values import FieldChange
from stepfork.trace.body import JsonValue

_NAMES = ("id", "name", "key")
"""Members that tell which of several objects one is, so that it is found again when the rest of it changed."""


def json_diff(old: JsonValue, new: JsonValue, path: str = "") -> tuple[FieldChange, ...]:
    """What differs, in order of path; empty exactly where the canonical bytes are equal.

    An object is compared member by member, a list item by item after alignment; a value of another type is one change.
    """
    if type(old) is type(new) and canonical_text(old) == canonical_text(new):
        return ()
    return tuple(_walk(old, new, path))


def _walk(old: JsonValue, new: JsonValue, path: str) -> Iterator[FieldChange]:
    stack: list[FieldChange] = [_change(path, path, old, new)]
    while stack:
        change = stack.pop()
        before = change.path if change.old_path is None else change.old_path
        if change.change == "changed" and isinstance(change.old, dict) and isinstance(change.new, dict):
            stack += reversed(list(_members(change.old, change.new, before, change.path)))
        elif change.change == "changed" and isinstance(change.old, list) and isinstance(change.new, list):
            stack += reversed(list(_items(change.old, change.new, before, change.path)))
        elif change.change != "changed" or not _equal(change.old, change.new):
            yield change


def _change(old_path: str, path: str, old: JsonValue, new: JsonValue) -> FieldChange:
    return FieldChange(path, "changed", old, new, None if old_path == path else old_path)


def _equal(old: JsonValue, new: JsonValue) -> bool:
    """By type and canonical bytes: ``True``, ``1`` and ``1.0`` are three values."""
    if type(old) is not type(new):
        return False
    return old == new if isinstance(old, str) else canonical_text(old) == canonical_text(new)


def _members(old: dict[str, Any], new: dict[str, Any], before: str, path: str) -> Iterator[FieldChange]:
    """The members of two objects, at every depth down to what is no pair of objects, in order of path."""
    from deepdiff import DeepDiff  # 100 ms that a change of prompts and messages alone does not pay

    tree = DeepDiff(
        old,
        new,
        view="tree",
        custom_operators=[_Pairs()],
        ignore_private_variables=False,
        threshold_to_diff_deeper=0,
    )
    found = [(level.path(output_format="list"), kind, level) for kind, levels in tree.items() for level in levels]
    for steps, kind, level in sorted(found, key=lambda item: item[0]):
        old_path, new_path = (reduce(pointer, steps, start) for start in (before, path))
        if kind == "dictionary_item_removed":
            yield FieldChange(old_path, "removed", old=level.t1)
        elif kind == "dictionary_item_added":
            yield FieldChange(new_path, "added", new=level.t2)
        else:
            yield _change(old_path, new_path, level.t1, level.t2)


class _Pairs:
    """Takes every pair that is not two objects out of deepdiff's hands."""

    def match(self, level: Any) -> bool:
        return not (isinstance(level.t1, dict) and isinstance(level.t2, dict))

    def give_up_diffing(self, level: Any, diff_instance: Any) -> bool:
        if not _equal(level.t1, level.t2):
            diff_instance.custom_report_result("pair", level)
        return True


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
