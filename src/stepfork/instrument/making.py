"""Objects of a program's classes made from a recording, without any code of the class.

A recording may be forged, so that what an object holds says nothing of what its class had let it hold. No method of
the class sees it: neither ``__new__``, ``__init__`` and validators nor ``__setattr__``, properties and other
descriptors; and none of a class whose objects do something when nobody has them any more.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

_KEPT_BY_C = (types.MemberDescriptorType, types.GetSetDescriptorType)
_NOT_DATA = frozenset({"__class__", "__dict__", "__weakref__", "__traceback__"})


def check_harmless(kind: type) -> None:
    """Raises LookupError for a class with a ``__del__``: it would run on what a recording says."""
    if any("__del__" in held for held in _dictionaries(kind)):
        raise LookupError("an object of that class does something when it is gone")


def put(made: Any, name: str, value: Any) -> None:
    """Give an object an attribute where it is kept: in its slot, else in its dictionary. Raises AttributeError where
    there is neither."""
    if name in _NOT_DATA:
        raise AttributeError(name)
    held: Any = next((held[name] for held in _dictionaries(type(made)) if name in held), None)
    if type(held) in _KEPT_BY_C:
        held.__set__(made, value)
    else:
        object.__getattribute__(made, "__dict__")[name] = value


def _dictionaries(kind: type) -> Iterator[Any]:
    of_type = type.__dict__["__dict__"]
    return (of_type.__get__(base) for base in type.__dict__["__mro__"].__get__(kind))
