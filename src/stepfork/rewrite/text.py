"""Text that may be JSON text, which may hold JSON text: edits found at each depth, made in place.

Nothing that was not touched is written anew: an edit of a decoded string is carried back through its escapes to the
characters of the raw text. Standard library only.
"""

from __future__ import annotations

import json
import re

from stepfork.rewrite.place import Edit, Place, Rewriter, apply_edits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

NO_JSON = object()
"""What a text parses to that is no JSON."""

MAX_TEXT_DEPTH = 8
"""JSON text inside JSON text is looked into this many times; below, it is plain text."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|-?[0-9][0-9.eE+-]*')
_ESCAPE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.")


class Token:
    """A string, member name or number of a JSON text: `start` to `end` with its quotes, and the way to it."""

    __slots__ = ("end", "kind", "path", "start")

    def __init__(self, kind: str, start: int, end: int, path: tuple[str | int, ...]) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.path = path


def rewrite_text(text: str, place: Place, rewriter: Rewriter) -> str:
    """`text` as `rewriter` wants it."""
    return apply_edits(text, find_edits(text, place, rewriter))


def find_edits(text: str, place: Place, rewriter: Rewriter, depth: int = 0) -> Sequence[Edit]:
    """The edits of `text` in its own characters, those of JSON text inside it included."""
    value = parsed(text) if depth < MAX_TEXT_DEPTH else NO_JSON
    if value is NO_JSON:
        return rewriter.text(text, place)
    rewriter.document(value, place)
    edits: list[Edit] = []
    renamed: list[tuple[Token, Edit]] = []
    for token in json_tokens(text):
        found = token_edits(text, token, place, rewriter, depth)
        if found and token.kind == "key":
            renamed.append((token, _whole(text, token, found)))
        else:
            edits += found
    return edits + _kept_apart(text, renamed) if renamed else edits


def _whole(text: str, token: Token, edits: Sequence[Edit]) -> Edit:
    """The edits of a member's name as one edit of what stands between its quotes."""
    start, end = token.start + 1, token.end - 1
    moved = [Edit(edit.start - start, edit.end - start, edit.text) for edit in edits]
    return Edit(start, end, apply_edits(text[start:end], moved))


def _kept_apart(text: str, renamed: list[tuple[Token, Edit]]) -> list[Edit]:
    """Names that an edit would make equal to another of their object get a number, as in `rewrite_value`."""
    changed = {token.start for token, _ in renamed}
    taken = {
        (token.path, text[token.start + 1 : token.end - 1])
        for token in json_tokens(text)
        if token.kind == "key" and token.start not in changed
    }
    kept: list[Edit] = []
    for token, edit in renamed:
        name, count = edit.text, 1
        while (token.path, name) in taken:
            count += 1
            name = f"{edit.text}#{count}"
        taken.add((token.path, name))
        kept.append(Edit(edit.start, edit.end, name))
    return kept


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


def token_edits(text: str, token: Token, place: Place, rewriter: Rewriter, depth: int = 0) -> Sequence[Edit]:
    """The edits of one token of the JSON text `text`, in characters of `text`."""
    here = Place(place.part, place.path + token.path)
    if token.kind == "number":
        return _number_edits(text, token, here, rewriter)
    inner = text[token.start + 1 : token.end - 1]
    decoded = decode(inner)
    is_key = token.kind == "key"
    found = rewriter.key(decoded, here) if is_key else find_edits(decoded, here, rewriter, depth + 1)
    return carry_back(inner, found, token.start + 1)


def carry_back(inner: str, edits: Sequence[Edit], start: int) -> list[Edit]:
    """Edits of a decoded JSON string, in characters of its raw spelling `inner`, which begins at `start`."""
    if not edits:
        return []
    at = _offsets(inner)
    return [
        Edit(start + at(edit.start), start + at(edit.end), json.dumps(edit.text, ensure_ascii=False)[1:-1])
        for edit in edits
    ]


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


def _number_edits(text: str, token: Token, place: Place, rewriter: Rewriter) -> Sequence[Edit]:
    try:
        value = json.loads(text[token.start : token.end])
    except ValueError:  # more digits than Python reads
        return ()
    made = rewriter.number(value, place)
    if made is value or (made == value and type(made) is type(value)):
        return ()
    return [Edit(token.start, token.end, json.dumps(made, ensure_ascii=False))]


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
