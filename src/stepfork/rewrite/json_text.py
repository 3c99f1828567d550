"""The tokens of a JSON text, where each stands, and the way back from what one says to how it is spelled.

Standard library only.
"""

from __future__ import annotations

import json
import re

from stepfork.rewrite.place import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

NO_JSON = object()
"""What a text parses to that is no JSON."""

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]|-?[0-9][0-9.eE+-]*')
_ESCAPE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.")


class Token:
    """A string, member name or number of a JSON text: `start` to `end` with its quotes, and the way to it."""

    __slots__ = ("end", "kind", "path", "start")

    def __init__(self, kind: str, start: int, end: int, path: tuple[str | int, ...]) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.path = path


def is_json_text(text: str) -> bool:
    """Whether `text` is a JSON object, array or string, white space around it aside."""
    return parsed(text) is not NO_JSON


def parsed(text: str) -> Any:
    """The value of a text that is a JSON object, array or string, white space around it aside; `NO_JSON` else."""
    if len(text) < 2:
        return NO_JSON
    if text[0] not in '{["' and (text[0] not in " \t\r\n" or not text.lstrip(" \t\r\n").startswith(("{", "[", '"'))):
        return NO_JSON
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return NO_JSON


def json_tokens(text: str) -> Iterator[Token]:
    """The tokens of a text that is known to be JSON, in the order in which they stand."""
    above: list[tuple[tuple[str | int, ...], bool]] = []
    path: tuple[str | int, ...] = ()
    step: str | int | None = None
    in_object = expects_key = False
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        mark = text[start]
        if mark == '"' and expects_key:
            step = decode(text[start + 1 : end - 1])
            yield Token("key", start, end, path)
            expects_key = False
        elif mark == ",":
            if in_object:
                expects_key = True
            else:
                step = step + 1 if isinstance(step, int) else 0
        elif mark in "{[":
            above.append((path, in_object))
            path = path if step is None else (*path, step)
            in_object = expects_key = mark == "{"
            step = None if in_object else 0
        elif mark in "}]":
            step = path[-1] if len(path) > len(above[-1][0]) else None
            path, in_object = above.pop()
            expects_key = False
        elif mark != ":":
            yield Token("string" if mark == '"' else "number", start, end, path if step is None else (*path, step))


def carry_back(inner: str, edits: Sequence[Edit], start: int) -> list[Edit]:
    """Edits of a decoded JSON string, in characters of its raw spelling `inner`, which begins at `start`."""
    if not edits:
        return []
    at = _offsets(inner)
    return [
        Edit(start + at(edit.start), start + at(edit.end), json.dumps(edit.text, ensure_ascii=False)[1:-1])
        for edit in edits
    ]


def string_of(text: str, token: Token) -> str:
    """What a string of a JSON text says."""
    return decode(text[token.start + 1 : token.end - 1])


def decode(inner: str) -> str:
    """The string that the raw spelling between two quotes stands for."""
    return json.loads(f'"{inner}"', strict=False) if "\\" in inner else inner


def _offsets(inner: str) -> Callable[[int], int]:
    if "\\" not in inner:
        return lambda index: index
    raw: list[int] = []
    cursor = 0
    for escape in _ESCAPE.finditer(inner):
        raw.extend(range(cursor, escape.start()))
        raw.append(escape.start())
        cursor = escape.end()
    raw.extend(range(cursor, len(inner) + 1))
    return raw.__getitem__
