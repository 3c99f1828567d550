"""Reading JSON of which nothing is promised: a value of another shape than asked for reads as nothing."""

from __future__ import annotations

from typing import Any


def dict_of(value: Any) -> dict[str, Any]:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """`value` if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def str_of(value: Any) -> str:
    """`value` if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def text_or_none(value: Any) -> str | None:
    """`value` if it is a string that says something, else None."""
    return value if isinstance(value, str) and value else None


def int_or_none(value: Any) -> int | None:
    """`value` if it is an integer (never a bool), else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def dicts_in(value: Any) -> list[dict[str, Any]]:
    """The objects among the items of an array."""
    return [item for item in list_of(value) if isinstance(item, dict)]


def is_list_of_dicts(value: Any) -> bool:
    """Whether `value` is an array (possibly empty) that holds objects only."""
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)
