"""Reading JSON of which nothing is promised: a value of another shape than asked for reads as nothing."""

from __future__ import annotations

import json
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


def index_of(value: Any, position: int) -> int:
    """The ``index`` member of an object, or its position where it has none."""
    index = int_or_none(dict_of(value).get("index"))
    return position if index is None else index


def texts_in(value: Any, *names: str) -> str:
    """The text of a content value: a string, or the strings under `names` of the objects of a list, joined."""
    if isinstance(value, list):
        return "".join(next((str_of(part[name]) for name in names if name in part), "") for part in dicts_in(value))
    return str_of(value)


def json_text(value: Any) -> str:
    """JSON text of a value: members sorted, a space after ``:`` and ``,``; empty where it nests too deep to write."""
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    except (RecursionError, ValueError, TypeError):
        return ""
