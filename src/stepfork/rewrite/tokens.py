"""A text that an answer repeats token by token, with its log probabilities: read as one, and given back token by token.

A token that is touched keeps what is left of it. Its bytes are those of what is left, its number is 0, and each token
that was not chosen in its place is said as it is, since the first of them is mostly the same. Standard library only.
"""

from __future__ import annotations

import json

from stepfork.providers.logprobs import TokenPlace, rows_of, token_rows
from stepfork.rewrite.joined import Joined
from stepfork.rewrite.json_text import Token, carry_back, json_tokens
from stepfork.rewrite.place import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from stepfork.rewrite.place import Place

    Path = tuple[str | int, ...]
    Change = tuple[Path, "str | None", Any]
    """Where something is to change, the text that stands there where it is to be told, and what is to stand there."""
    Find = Callable[[str, Place], Sequence[Edit]]
    """The edits of a text that stands at a place."""


def token_changes(row: Sequence[TokenPlace], place: Place, find: Find) -> tuple[list[int], dict[int, list[Change]]]:
    """The tokens of `row` in which each edit begins; and for each token that is touched all that is to change."""
    data = [_data(token) for token in row]
    text = b"".join(data).decode("utf-8", "surrogateescape")
    found = sorted(find(text, place), key=lambda edit: edit.start)
    if not found:
        return [], {}
    # Edits are of characters, tokens of bytes: a character for each byte serves for both.
    whole = Joined([one.decode("latin-1") for one in data])
    begins: list[int] = []
    left: dict[int, list[Edit]] = {}
    for edit in found:
        start, end = _length(text[: edit.start]), _length(text[: edit.end])
        begins.append(whole.at(start))
        put = edit.text.encode("utf-8", "surrogatepass").decode("latin-1")
        for number, share in whole.shares(Edit(start, end, put)):
            left.setdefault(number, []).append(share)
    return begins, {number: list(_changes(row[number], data[number], edits)) for number, edits in left.items()}


def _data(token: TokenPlace) -> bytes:
    return token.data if token.data is not None else token.text.encode("utf-8", "surrogatepass")


def _length(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _changes(token: TokenPlace, data: bytes, edits: Sequence[Edit]) -> Iterator[Change]:
    made, cursor = b"", 0
    for edit in edits:
        made += data[cursor : edit.start] + edit.text.encode("latin-1")
        cursor = max(cursor, edit.end)
    made += data[cursor:]
    text = made.decode("utf-8", "replace")
    yield token.path, token.text, text
    for path, old in (*token.beside, *token.others):
        if isinstance(old, str):
            yield path, None, text
        elif isinstance(old, list):
            yield path, None, list(text.encode("utf-8"))
        else:
            yield path, None, {} if isinstance(old, dict) else 0


def row_edits(text: str, value: Any, place: Place, find: Find) -> tuple[list[Edit], dict[Path, str]]:
    """The edits of the rows of tokens in a JSON text that holds `value`, and the tokens by path."""
    changes: list[Change] = []
    taken: dict[Path, str] = {}
    for path, row in token_rows(value):
        taken |= {token.path: token.text for token in row}
        for found in token_changes(row, place.child(*path), find)[1].values():
            changes += found
    return change_edits(text, changes), taken


def changed_value(value: Any, place: Place, find: Find) -> tuple[Any, set[Path]]:
    """What stands under a name of `HOLDERS`, with its rows of tokens changed; the same object where none is. And the
    places, below this one, of what was read so."""
    read: set[Path] = set()
    for path, row in rows_of(value, ()):
        read |= {token.path for token in row}
        for changes in token_changes(row, place.child(*path), find)[1].values():
            for at, _, new in changes:
                value = _with(value, at, new)
                read.add(at)
    return value, read


def _with(value: Any, path: Path, new: Any) -> Any:
    if not path:
        return new
    made = value.copy()
    made[path[0]] = _with(value[path[0]], path[1:], new)
    return made


def _difference(old: str, new: str) -> Edit:
    """The one edit that makes `new` of `old`: what the two share at either end stays as it is spelled."""
    most = min(len(old), len(new))
    head = next((index for index in range(most) if old[index] != new[index]), most)
    tail = next((index for index in range(most - head) if old[-1 - index] != new[-1 - index]), most - head)
    return Edit(head, len(old) - tail, new[head : len(new) - tail])


def change_edits(text: str, changes: Sequence[Change]) -> list[Edit]:
    """Edits of a JSON text that put new values at some paths: texts, numbers, and flat lists and objects.

    Where the old text is told, what it shares with the new one stays as it is spelled.
    """
    if not changes:
        return []
    at: dict[Path, list[Token]] = {}
    for token in json_tokens(text):
        at.setdefault(token.path, []).append(token)
        if token.path and token.kind == "number":
            at.setdefault(token.path[:-1], []).append(token)
    edits: list[Edit] = []
    for path, old, new in changes:
        tokens, spelled = at.get(path, ()), json.dumps(new, ensure_ascii=False)
        if old is not None:
            for token in tokens:
                edits += carry_back(text[token.start + 1 : token.end - 1], [_difference(old, new)], token.start + 1)
        elif not isinstance(new, dict | list):
            edits += [Edit(token.start, token.end, spelled) for token in tokens]
        elif tokens:
            start, end = tokens[0].start - 1, tokens[-1].end
            while text[start] not in "{[":
                start -= 1
            while text[end] not in "}]":
                end += 1
            edits.append(Edit(start, end + 1, spelled))
    return edits
