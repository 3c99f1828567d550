"""Tagged values taken out of their wrappers and put back: a plain value, and the shape that was around it.

A tag is ``{"$py": KIND, "value": …}`` with other members beside (see ``docs/reference/format.md``). What a model was
asked and answered stands in an exchange as plain JSON; its step keeps the shape, so that no text stands twice.
"""

from __future__ import annotations

from typing import Any

from stepfork.trace.body import JsonValue

TAG = "$py"
"""The member that makes an object a tag; a user's own object with such a member is tagged itself."""

Shape = list[Any]
"""A row for each tag, outer ones first: the path to its value in the plain one, its kind, its type (None where it has
none), and, where there are any, its other members."""


def is_tag(value: Any) -> bool:
    """Whether a value of a tagged one is a tag."""
    return isinstance(value, dict) and isinstance(value.get(TAG), str)


def held_in(value: Any) -> Any:
    """What is in a tag, and in a tag in that; any other value itself."""
    while is_tag(value):
        value = value.get("value")
    return value


def unwrapped(value: JsonValue) -> tuple[JsonValue, Shape]:
    """The plain value in a tagged one, and its shape. A tag without a ``value`` stays where it is."""
    shape: Shape = []
    return _unwrapped(value, (), shape), shape


def _unwrapped(value: Any, path: tuple[str | int, ...], shape: Shape) -> Any:
    while is_tag(value) and "value" in value:
        others = {name: held for name, held in value.items() if name not in (TAG, "type", "value")}
        row = [list(path), value[TAG], value.get("type")]
        shape.append([*row, others] if others else row)
        value = _without_unset(value["value"], others)
    if isinstance(value, dict):
        return {name: _unwrapped(held, (*path, name), shape) for name, held in value.items()}
    if isinstance(value, list):
        return [_unwrapped(held, (*path, index), shape) for index, held in enumerate(value)]
    return value


def _without_unset(value: Any, others: dict[str, Any]) -> Any:
    """The fields of a model without those that nobody set and that are null: `wrapped` puts them back."""
    unset = _names(others)
    if not unset or not isinstance(value, dict):
        return value
    return {name: held for name, held in value.items() if held is not None or name not in unset}


def _names(others: dict[str, Any]) -> list[str]:
    unset = others.get("unset")
    return [name for name in unset if isinstance(name, str)] if isinstance(unset, list) else []


def wrapped(plain: JsonValue, shape: Shape) -> JsonValue:
    """The tagged value of a plain one and a shape, the inverse of `unwrapped`. `plain` is not changed; a row whose
    path leads nowhere, or that is none, is passed over."""
    if not shape:
        return plain
    rows: dict[tuple[Any, ...], list[Any]] = {}
    for row in shape:
        if isinstance(row, list) and len(row) in (3, 4) and isinstance(row[0], list):
            rows.setdefault(tuple(row[0]), []).append(row)
    above = {path[:length] for path in rows for length in range(len(path) + 1)}
    return _wrapped(plain, (), rows, above)


def _wrapped(
    value: Any, path: tuple[Any, ...], rows: dict[tuple[Any, ...], list[Any]], above: set[tuple[Any, ...]]
) -> Any:
    if path not in above:
        return value
    if isinstance(value, dict):
        value = {name: _wrapped(held, (*path, name), rows, above) for name, held in value.items()}
    elif isinstance(value, list):
        value = [_wrapped(held, (*path, index), rows, above) for index, held in enumerate(value)]
    for row in reversed(rows.get(path, ())):
        others = row[3] if len(row) > 3 and isinstance(row[3], dict) else {}
        if isinstance(value, dict):
            value = value | {name: None for name in _names(others) if name not in value}
        value = {TAG: row[1], **({} if row[2] is None else {"type": row[2]}), "value": value, **others}
    return value
