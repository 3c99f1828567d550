"""What a project says does not count in a tool's result: JSON pointers, which reach through JSON in text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from stepfork.canonical.encode import dumps
from stepfork.canonical.parse import parse
from stepfork.errors import CanonicalError

ANY = "*"
"""A pointer's step that stands for each member and each item."""


def without(text: str, pointers: Sequence[str]) -> str:
    """A tool's result without what `pointers` lead to, in canonical form; as it is where it is no JSON.

    A member that a pointer leads to is taken away, so that it counts neither by its value nor by its presence; an item
    of a list becomes null, so that the items behind it keep their places. The empty pointer is the whole result. A
    step that leads into a string looks into the JSON that it holds.
    """
    if "" in pointers:
        return ""
    try:
        value = parse(text)
        for pointer in pointers:
            value = _without(value, [_unescaped(step) for step in pointer.split("/")[1:]])
        return dumps(value).decode()
    except CanonicalError:
        return text


def _unescaped(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


def _without(value: Any, steps: Sequence[str]) -> Any:
    step, rest = steps[0], steps[1:]
    if isinstance(value, str):
        return _inside(value, steps)
    if isinstance(value, dict):
        names = list(value) if step == ANY else [step] if step in value else []
        changed = {name: _without(value[name], rest) for name in names} if rest else {}
        return {name: changed.get(name, member) for name, member in value.items() if rest or name not in names}
    if isinstance(value, list):
        return [
            (_without(item, rest) if rest else None) if step in (ANY, str(index)) else item
            for index, item in enumerate(value)
        ]
    return value


def _inside(text: str, steps: Sequence[str]) -> str:
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        value = parse(text)
    except CanonicalError:
        return text
    return json.dumps(_without(value, steps), ensure_ascii=False, sort_keys=True)
