"""Objects of other packages made instrumented where they stand: each gets a subclass of its own class.

The object stays the one that everybody holds, `isinstance` and the class's name stay true, and copies that its own
methods make are instrumented as well. The object outside of a session does what it did.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from stepfork.errors import UsageError
from stepfork.instrument.outside import look_outside

_made: dict[tuple[type, str], type] = {}


def loaded(name: str) -> ModuleType | None:
    """A module that the program has imported; None where it has not."""
    return sys.modules.get(name)


def is_wrapped(value: Any) -> bool:
    """Whether `reclass` has been here."""
    return "__stepfork__" in type(value).__dict__


def reclass(value: Any, adapter: str, methods: Callable[[type], Mapping[str, Any]]) -> None:
    """Give `value` a subclass that has the methods which `methods` makes for its class.

    Raises UsageError where the object's class cannot be changed. Wrapping twice is wrapping once.
    """
    if is_wrapped(value):
        return
    kind = type(value)
    made = _made.get((kind, adapter))
    if made is None:
        members = {
            "__module__": kind.__module__,
            "__qualname__": kind.__qualname__,
            "__doc__": kind.__doc__,
            "__stepfork__": adapter,
            **methods(kind),
        }
        metaclass: Any = type(kind)
        made = _made[kind, adapter] = metaclass(kind.__name__, (kind,), members)
    look_outside()
    try:
        object.__setattr__(value, "__class__", made)
    except TypeError as error:
        raise UsageError(f"{adapter} cannot instrument a {kind.__module__}.{kind.__qualname__}") from error
