"""Tagged values as a person reads them: what they hold, and beside that what they were."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from stepfork.canonical.pointer import pointer
from stepfork.trace.body import JsonValue
from stepfork.trace.in_process import ANSWER, ASKED
from stepfork.trace.step import Step
from stepfork.trace.wrapped import TAG, is_tag


def plain_form(value: JsonValue) -> JsonValue:
    """What a tagged value holds, without what it was. Two values may have the same form: see `types_in`."""
    if isinstance(value, list):
        return [plain_form(item) for item in value]
    if not isinstance(value, dict):
        return value
    if not is_tag(value):
        return {name: plain_form(held) for name, held in value.items()}
    kind, held = value[TAG], value.get("value")
    if held is not None and _is_pairs(value):
        return {_key(key): plain_form(item) for key, item in held}
    if kind == "exception":
        return {"type": _bare(value.get("type")), "args": plain_form(value.get("args") or [])}
    if kind == "fraction" and isinstance(held, list):
        return "/".join(str(plain_form(part)) for part in held)
    if kind == "opaque":
        return held or f"<{_bare(value.get('type'))}>"
    if kind == "model" and isinstance(held, dict) and isinstance(value.get("extra"), dict):
        held = held | value["extra"]
    if "value" not in value:
        return {name: plain_form(part) for name, part in value.items() if name not in (TAG, "type")}
    return plain_form(held)


def types_in(value: JsonValue) -> dict[str, str]:
    """What the parts of a tagged value were, where JSON does not say it: a kind, and the class where it has one, by the
    pointer to the part in the plain form."""
    return dict(_types(value, ""))


def plain_step(step: Step) -> Step:
    """A step whose values read like values. What only makes objects of an exchange is left out."""
    if not step.instrumented:
        return step
    told = {name: getattr(step, name) for name in ("arguments", "result", "raised")}
    made = {
        name: msgspec.UNSET if value is msgspec.UNSET or _is_shape(value) else plain_form(value)
        for name, value in told.items()
    }
    return msgspec.structs.replace(step, **made)


def types_of_step(step: Step) -> dict[str, str]:
    """`types_in` of all that an instrumented step holds, shapes around the values of its exchange included."""
    found: dict[str, str] = {}
    for name in ("arguments", "result", "raised") if step.instrumented else ():
        value = getattr(step, name)
        if _is_shape(value):
            found |= {pointer(f"/{name}", at): kind for at, kind in _shape_types(value.get("value"))}
        elif value is not msgspec.UNSET:
            found |= dict(_types(value, f"/{name}"))
    return found


def _types(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _types(item, pointer(path, index))
    elif isinstance(value, dict) and not is_tag(value):
        for name, held in value.items():
            yield from _types(held, pointer(path, name))
    elif isinstance(value, dict):
        yield path, _kind(value[TAG], value.get("type"))
        if _is_pairs(value):
            for key, item in value["value"]:
                yield from _types(item, pointer(path, _key(key)))
        elif value[TAG] == "exception":
            yield from _types(value.get("args"), pointer(path, "args"))
        elif isinstance(value.get("value"), dict | list):
            yield from _types(value["value"], path)


def _kind(kind: Any, name: Any) -> str:
    return f"{kind} {name}" if isinstance(name, str) else str(kind)


def _shape_types(rows: Any) -> Iterator[tuple[str, str]]:
    """The types that a shape, or the shapes of a stream, put around the values of an exchange."""
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, list):
            continue
        if len(row) == 2 and isinstance(row[1], list):
            yield from _shape_types(row[1])
        elif len(row) >= 3 and isinstance(row[0], list):
            yield ".".join(map(str, row[0])) or "whole", _kind(row[1], row[2])


def _is_shape(value: Any) -> bool:
    return isinstance(value, dict) and value.get(TAG) in (ASKED, ANSWER)


def _is_pairs(value: dict[str, Any]) -> bool:
    held = value.get("value")
    pairs = value[TAG] == "dict" and isinstance(held, list)
    return pairs and all(isinstance(row, list) and len(row) == 2 for row in held or ())


def _key(key: Any) -> str:
    plain = plain_form(key)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False, sort_keys=True)


def _bare(name: Any) -> str:
    """A class without its module."""
    return name.rpartition(":")[2] if isinstance(name, str) else ""
