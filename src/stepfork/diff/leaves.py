"""Where two JSON values differ: the outermost places whose values cannot be compared any further."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from stepfork.canonical.pointer import pointer
from stepfork.diff.keys import canonical_text
from stepfork.diff.text_diff import changed_hunks, windows

WIDTH = 60
"""Characters of a value that are shown."""


class _Absent:
    pass


ABSENT = _Absent()
"""Stands for a member that one side has not."""


class Leaf(NamedTuple):
    """A place (an RFC 6901 pointer, through JSON in text too) and what either side has there."""

    pointer: str
    old: Any
    new: Any


def leaves(old: Any, new: Any, at: str = "") -> Iterator[Leaf]:
    """The places at which two JSON values differ, in the order of the old one. A tuple counts as a list."""
    old, new = (list(side) if isinstance(side, tuple) else side for side in (old, new))
    if type(old) is type(new) and canonical_text(old) == canonical_text(new):
        return
    if isinstance(old, str) and isinstance(new, str):
        inside = json_in(old), json_in(new)
        if all(isinstance(value, dict | list) for value in inside) and inside[0] != inside[1]:
            old, new = inside
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys([*old, *new]):
            yield from leaves(old.get(name, ABSENT), new.get(name, ABSENT), pointer(at, name))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new) and not is_reordered(old, new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from leaves(before, after, pointer(at, index))
    else:
        yield Leaf(at, old, new)


def is_reordered(old: Any, new: Any) -> bool:
    """Whether two values are lists of the same items in another order."""
    if not isinstance(old, list) or not isinstance(new, list) or len(old) != len(new):
        return False
    texts = [canonical_text(item) for item in old], [canonical_text(item) for item in new]
    return texts[0] != texts[1] and sorted(texts[0]) == sorted(texts[1])


def json_in(text: str) -> Any:
    """The value of a text that is a JSON object or array, None for any other text."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def shown(leaf: Leaf) -> tuple[str, str]:
    """Both values of a place in one short line each: of texts the first lines that differ, of long lines what differs.

    Texts stand in quotation marks, so that ``"40"`` is not ``40``.
    """
    if isinstance(leaf.old, str) and isinstance(leaf.new, str):
        hunk = next(changed_hunks(leaf.old, leaf.new), ())
        gone = next((line.text for line in hunk if line.op == "-"), "")
        come = next((line.text for line in hunk if line.op == "+"), "")
        before, after = windows(gone, come, WIDTH)
        return _quoted(before), _quoted(after)
    return _short(leaf.old), _short(leaf.new)


def _short(value: Any) -> str:
    match value:
        case _Absent():
            return "(absent)"
        case list():
            return f"a list of {len(value)}"
        case dict():
            return f"an object of {len(value)}"
        case str():
            return _quoted(value.partition("\n")[0][:WIDTH])
    return canonical_text(value).strip()


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
