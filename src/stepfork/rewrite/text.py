"""Text that may be JSON text, which may hold JSON text: edits found at each depth, made in place.

Nothing that was not touched is written anew: an edit of a decoded string is carried back through its escapes to the
characters of the raw text. Standard library only.
"""

from __future__ import annotations

import json

from stepfork.providers.logprobs import may_have_tokens
from stepfork.rewrite.json_text import NO_JSON, Token, carry_back, decode, json_tokens, parsed, string_of
from stepfork.rewrite.place import Edit, Place, Rewriter, apply_edits
from stepfork.rewrite.tokens import row_edits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

MAX_TEXT_DEPTH = 8
"""JSON text inside JSON text is looked into this many times; below, it is plain text."""


def rewrite_text(text: str, place: Place, rewriter: Rewriter) -> str:
    """`text` as `rewriter` wants it."""
    return apply_edits(text, find_edits(text, place, rewriter))


def find_edits(text: str, place: Place, rewriter: Rewriter, depth: int = 0) -> Sequence[Edit]:
    """The edits of `text` in its own characters, those of JSON text inside it included."""
    value = parsed(text) if depth < MAX_TEXT_DEPTH else NO_JSON
    if value is NO_JSON or rewriter.takes_whole(text):
        return rewriter.text(text, place)
    if not rewriter.reads_across or not may_have_tokens(text):
        return json_edits(text, value, place, rewriter, depth=depth)
    edits, taken = row_edits(text, value, place, lambda joined, at: find_edits(joined, at, rewriter, depth + 1))
    aside = lambda token: taken.get(token.path) == string_of(text, token)  # noqa: E731
    return [*json_edits(text, value, place, rewriter, depth=depth, aside=aside), *edits]


def json_edits(
    text: str,
    value: Any,
    place: Place,
    rewriter: Rewriter,
    *,
    depth: int = 0,
    aside: Callable[[Token], bool] | None = None,
) -> list[Edit]:
    """The edits of a JSON text that holds `value`. The strings that `aside` takes are left to it."""
    rewriter.document(value, place)
    edits: list[Edit] = []
    renamed: list[tuple[Token, Edit]] = []
    rows: dict[Any, list[Token]] = {}
    for token in json_tokens(text):
        if token.kind == "string":
            if aside is not None and aside(token):
                continue
            row = row_of(token.path) if rewriter.reads_across else None
            if row is not None:
                rows.setdefault(row, []).append(token)
        found = token_edits(text, token, place, rewriter, depth)
        if found and token.kind == "key":
            renamed.append((token, _whole(text, token, found)))
        else:
            edits += found
    for tokens in rows.values():
        edits += _across(text, tokens, place, rewriter)
    return edits + _kept_apart(text, renamed) if renamed else edits


ROW_MEMBERS = ("text", "thinking")
"""Members of the items of a list that spell one text together, as the blocks of a message do."""


def row_of(path: tuple[str | int, ...]) -> tuple[tuple[str | int, ...], str] | None:
    """The list in which a string stands, or the object that holds it in such a member, with the member's name."""
    if path and isinstance(path[-1], int):
        return path[:-1], ""
    if len(path) > 1 and path[-1] in ROW_MEMBERS and isinstance(path[-2], int):
        return path[:-2], str(path[-1])
    return None


def _across(text: str, tokens: Sequence[Token], place: Place, rewriter: Rewriter) -> Iterator[Edit]:
    """Edits of strings that stand in a row, read as one."""
    if len(tokens) < 2:
        return
    inner = [text[token.start + 1 : token.end - 1] for token in tokens]
    found = rewriter.across(list(map(decode, inner)), lambda number: place.child(*tokens[number].path))
    for token, raw, edits in zip(tokens, inner, found, strict=False):
        yield from carry_back(raw, edits, token.start + 1)


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


def token_edits(text: str, token: Token, place: Place, rewriter: Rewriter, depth: int = 0) -> Sequence[Edit]:
    """The edits of one token of the JSON text `text`, in characters of `text`."""
    here = Place(place.part, place.path + token.path)
    if token.kind == "number":
        return _number_edits(text, token, here, rewriter)
    inner = text[token.start + 1 : token.end - 1]
    decoded = decode(inner)
    is_key = token.kind == "key"
    number = None if is_key else rewriter.unquoted(decoded, here)
    if number is not None:
        return [Edit(token.start, token.end, str(number))]
    found = rewriter.key(decoded, here) if is_key else find_edits(decoded, here, rewriter, depth + 1)
    return carry_back(inner, found, token.start + 1)


def _number_edits(text: str, token: Token, place: Place, rewriter: Rewriter) -> Sequence[Edit]:
    try:
        value = json.loads(text[token.start : token.end])
    except ValueError:  # more digits than Python reads
        return ()
    made = rewriter.number(value, place)
    if made is value or (made == value and type(made) is type(value)):
        return ()
    return [Edit(token.start, token.end, json.dumps(made, ensure_ascii=False))]
