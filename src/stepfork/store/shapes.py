"""Checked access to the members of a stored document, so that a wrong type anywhere is an error of ours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from stepfork.errors import DamagedError

T = TypeVar("T")


def member(document: dict[str, Any], name: str, kind: type[T], default: T | None = None) -> T:
    """The member of that name, of exactly that type. Raises DamagedError where it is another or absent."""
    value = document.get(name, default)
    if type(value) is not kind:
        raise DamagedError(f"member {name} is absent or of a wrong type")
    return value


def only(document: Any, names: Iterable[str]) -> dict[str, Any]:
    """`document` when it is an object with no other members than these. Raises DamagedError."""
    if not isinstance(document, dict):
        raise DamagedError("an object is of a wrong type")
    if document.keys() - set(names):
        raise DamagedError("an object has a member that the format does not know")
    return document
