"""Values that are made of named fields: dataclasses, named tuples, models, structs, attrs classes.

They are read from where their fields are kept and made again without ``__init__`` and validators, so that no code of
theirs decides what a recording holds. (A msgspec struct has no other way than its ``__init__``; what a
``__post_init__`` changed is put right afterwards.)
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from stepfork.instrument.making import check_harmless, put
from stepfork.instrument.named import class_name, find_class
from stepfork.trace.body import JsonValue

Write = Callable[[Any], JsonValue]
Read = Callable[[JsonValue], Any]

_NOTHING = object()
_MARKS = {"dataclass": "__dataclass_fields__", "attrs": "__attrs_attrs__", "namedtuple": "_fields"}
KINDS = ("model", "struct", *_MARKS)


def kind_of(kind: type) -> str | None:
    """Which of KINDS a class is; None for any other."""
    bases = type.__dict__["__mro__"].__get__(kind)
    if _base("pydantic.main", "BaseModel") in bases:
        return "model"
    if _base("msgspec", "Struct") in bases:
        return "struct"
    for name, mark in _MARKS.items():
        if any(mark in vars(base) for base in bases) and (name != "namedtuple" or tuple in bases):
            return name
    return None


def write_fields(value: Any, kind: str, write: Write) -> dict[str, JsonValue]:
    """The tag of a value of that kind. Fields that have no value are left out."""
    made: dict[str, JsonValue] = {"$py": kind, "type": class_name(type(value))}
    if kind == "model":
        return made | _write_model(value, write)
    if kind == "namedtuple":
        names = _names(type(value), kind)
        return made | {"value": {name: write(item) for name, item in zip(names, tuple.__iter__(value), strict=True)}}
    fields = {}
    for name in _names(type(value), kind):
        try:
            item = object.__getattribute__(value, name)
        except AttributeError:
            continue
        fields[name] = write(item)
    return made | {"value": fields}


def read_fields(tag: dict[str, JsonValue], read: Read) -> Any:
    """A new value from its tag. Raises LookupError where its class is not loaded, or has become another."""
    kind, found = tag["$py"], find_class(tag.get("type"))
    if found is None or kind_of(found) != kind:
        raise LookupError(tag.get("type"))
    check_harmless(found)
    fields = {name: read(item) for name, item in tag["value"].items()}
    if kind == "model":
        return _read_model(found, tag, fields, read)
    if kind == "namedtuple":
        return tuple.__new__(found, [fields.pop(name) for name in _names(found, kind)])
    if kind == "struct":
        return _read_struct(found, fields)
    made: Any = object.__new__(found)
    for name, item in fields.items():
        put(made, name, item)
    return made


def _base(module: str, name: str) -> Any:
    return vars(sys.modules[module]).get(name, _NOTHING) if module in sys.modules else _NOTHING


def _names(kind: type, which: str) -> list[str]:
    if which == "struct":
        return list(kind.__struct_fields__)  # type: ignore[attr-defined]
    held = type.__getattribute__(kind, _MARKS[which])
    if which == "dataclass":  # class variables and init-only variables stand among them, and are no fields
        return [name for name, field in held.items() if field._field_type.name == "_FIELD"]
    return [field.name for field in held] if which == "attrs" else list(held)


def _write_model(value: Any, write: Write) -> dict[str, JsonValue]:
    fields: dict[str, Any] = object.__getattribute__(value, "__dict__")
    made: dict[str, JsonValue] = {"value": {name: write(item) for name, item in fields.items()}}
    for part in ("extra", "private"):
        held = object.__getattribute__(value, f"__pydantic_{part}__")
        if held:
            made[part] = {name: write(item) for name, item in held.items()}
    unset = sorted(fields.keys() - object.__getattribute__(value, "__pydantic_fields_set__"))
    return made | ({"unset": unset} if unset else {})


def _read_model(kind: Any, tag: dict[str, JsonValue], fields: dict[str, Any], read: Read) -> Any:
    made: Any = object.__new__(kind)
    extra = {name: read(item) for name, item in tag.get("extra", {}).items()}
    private = {name: read(item) for name, item in tag.get("private", {}).items()}
    settings = type.__getattribute__(kind, "model_config")
    state = {
        "__dict__": fields,
        "__pydantic_extra__": extra if extra or settings.get("extra") == "allow" else None,
        "__pydantic_private__": private if private or type.__getattribute__(kind, "__private_attributes__") else None,
        "__pydantic_fields_set__": {*fields, *extra} - {*tag.get("unset", ())},
    }
    for name, item in state.items():
        if item is not None or type.__getattribute__(kind, name) is not None:  # a root model has them in its class
            object.__setattr__(made, name, item)
    return made


def _read_struct(kind: Any, fields: dict[str, Any]) -> Any:
    from msgspec.structs import force_setattr

    made = kind(**fields)
    for name, item in fields.items():
        force_setattr(made, name, item)
    return made
