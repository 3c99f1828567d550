"""Objects of plain classes: no fields that anybody declares, only attributes, in ``__dict__`` or in ``__slots__``.

They are read from where their attributes are kept and made again without ``__init__``. What a class of the standard
library or of an extension module keeps is not seen that way, so those are opaque.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from stepfork.instrument.making import check_harmless, put
from stepfork.instrument.named import class_name, find_class
from stepfork.trace.body import JsonValue

KIND = "object"
MAX_NODES = 10_000
"""Values in one object. A session or a client holds everything that it was ever given."""

Write = Callable[[Any], JsonValue]
Read = Callable[[JsonValue], Any]

_HEAP = 1 << 9
"""Py_TPFLAGS_HEAPTYPE: the class was made while the program ran."""
_NAMESPACE = types.SimpleNamespace


def is_plain(kind: type) -> bool:
    """Whether all that an object of a class holds are attributes that can be read and set again."""
    if kind is _NAMESPACE:
        return True
    bases = type.__dict__["__mro__"].__get__(kind)[:-1]
    module = type.__getattribute__(kind, "__module__")
    if not bases or not isinstance(module, str) or module.partition(".")[0] in sys.stdlib_module_names - {"__main__"}:
        return False
    return all(map(_is_of_python, bases))


def write_object(value: Any, write: Write) -> dict[str, JsonValue]:
    """The tag of an object. Attributes that have no value are left out."""
    fields = {name: write(item) for name, item in _attributes(value) if isinstance(name, str)}
    return {"$py": KIND, "type": class_name(type(value)), "value": fields}


def read_object(tag: dict[str, JsonValue], read: Read) -> Any:
    """A new object from its tag. Raises LookupError where its class is not loaded, or has become another."""
    found, fields = find_class(tag.get("type")), tag["value"]
    if found is None or not is_plain(found) or not isinstance(fields, dict):
        raise LookupError(tag.get("type"))
    check_harmless(found)
    made = found.__new__(found) if found is _NAMESPACE else object.__new__(found)
    for name, item in fields.items():
        put(made, name, read(item))
    return made


def holds_opaque(tag: JsonValue) -> bool:
    """Whether anything in a tagged value is opaque."""
    waiting: list[Any] = [tag]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if one.get("$py") == "opaque":
                return True
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return False


def _is_of_python(base: type) -> bool:
    """Whether a class statement made it: one of an extension module holds what no attribute tells."""
    made = vars(base).get("__new__")
    return bool(base.__flags__ & _HEAP) and (made is None or isinstance(made, staticmethod))


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    for name, slot in _slots(type(value)):
        try:
            yield name, slot.__get__(value)
        except AttributeError:
            continue
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return
    yield from held.items()


def _slots(kind: type) -> Iterator[tuple[str, Any]]:
    for base in type.__dict__["__mro__"].__get__(kind):
        for name, held in vars(base).items():
            if isinstance(held, types.MemberDescriptorType):
                yield name, held
