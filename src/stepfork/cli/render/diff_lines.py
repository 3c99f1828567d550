"""The changed lines and fields of one change, one row each: redacted, escaped, windowed, never two that look alike.

A row says nothing of how it is shown: the text view indents and colours it, the Markdown view puts it in a fence.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

import msgspec

from stepfork.cli.escape import escape, escape_fully
from stepfork.cli.render.diff_clean import Clean, clean_field, clean_lines
from stepfork.cli.render.diff_words import BLOCK
from stepfork.cli.render.look import look, look_alike
from stepfork.diff.line_pairs import paired
from stepfork.diff.text_diff import Piece, changed_lines, hunks_of, joined, word_diff
from stepfork.diff.values import Change, FieldChange, Line
from stepfork.trace.body import JsonValue

WIDTH = 72
"""Characters of a changed line that are shown whole where a row should fit 80 columns; of a longer one, what surrounds
its changes."""
LONG = 120
"""Characters of a line that has no counterpart, and of a value, that are shown whole; of a longer one its start."""
START = 96
INLINE = 50
"""Two values of up to this many characters together stand on one line with an arrow."""
_REDACTED = "   (differs in what is redacted)"


class Row(NamedTuple):
    """A line of a change: ``-`` what is gone, ``+`` what came, ``~`` what is said of both, ``""`` neither.

    `pieces` are escaped; those that changed are marked where they can be told from the rest. `deep` stands below a
    path. `whole` is what the row stands for, redacted and uncut: rows of different ones must not look alike.
    """

    mark: str
    pieces: tuple[Piece, ...]
    whole: str
    deep: bool = False

    @property
    def text(self) -> str:
        """The row without its mark."""
        return joined(self.pieces)

    def __str__(self) -> str:
        return f"{'  ' if self.deep else ''}{self.mark}{' ' if self.mark else ''}{self.text}"


def rows_of(change: Change, clean: Clean, *, full: bool, width: int = WIDTH) -> tuple[list[Row], int]:
    """The rows of a change that are shown, and how many are left out; in full all of them, with lines as long as they
    are."""
    if change.section == "model":
        sides = [side for field in change.fields for side in (field.old, field.new)]
        names = ("(none)" if side is None else escape(clean(str(side))) for side in sides)
        return [_row("", " → ".join(names))], 0
    return rows_between(change.lines, change.fields, clean, full=full, width=width)


def rows_between(
    lines: Sequence[Line], fields: Sequence[FieldChange], clean: Clean, *, full: bool = False, width: int = WIDTH
) -> tuple[list[Row], int]:
    """The same for changed lines and fields. What is left out is counted and not made: there may be thousands."""
    width = sys.maxsize if full else width
    cleaned = list(clean_lines(lines, clean))
    fields = [clean_field(field, clean) for field in fields]
    total = len(cleaned) + sum(map(_height, fields))
    most = total if full or total <= BLOCK else BLOCK - 1
    rows = chain(_lines(cleaned, width), chain.from_iterable(_field(field, width) for field in fields))
    return _apart(list(islice(rows, most)), width), total - most


def _lines(lines: Sequence[Line], width: int) -> Iterator[Row]:
    for gone, come in hunks_of(lines):
        pairs = dict(paired(gone, come))
        stands_for = {to: at for at, to in pairs.items()}
        for at, text in enumerate(gone):
            yield _pair("", text, come[pairs[at]], width)[0] if at in pairs else _row("-", _cut(text, width), text)
        for to, text in enumerate(come):
            at = stands_for.get(to, -1)
            yield _pair("", gone[at], text, width)[1] if at >= 0 else _row("+", _cut(text, width), text)


def _pair(name: str, old: str, new: str, width: int) -> tuple[Row, Row]:
    """Two different lines, as two rows that differ; `name` stands before both."""
    wholes = f"{name}{old}", f"{name}{new}"
    if old == new:  # now that they are redacted
        shown = _cut(f"{name}{old}", width)
        return _row("-", shown, wholes[0]), _row("+", f"{shown}{_REDACTED}", f"{wholes[1]}{_REDACTED}")
    pair = word_diff(old, new, width)
    sides = [tuple(Piece(escape(text), changed) for text, changed in side) for side in (pair.old, pair.new)]
    if look_alike(joined(sides[0]), joined(sides[1])):
        sides = [
            tuple(Piece(escape_fully(text) if changed else escape(text), changed) for text, changed in side)
            for side in (pair.old, pair.new)
        ]
    if look_alike(joined(sides[0]), joined(sides[1])):
        sides = [(Piece(escape_fully(joined(side)), changed=True),) for side in (pair.old, pair.new)]
    before = (Piece(name, changed=False),) if name else ()
    rows = [
        Row(mark, before + tuple(Piece(text, changed and pair.akin) for text, changed in side), whole)
        for mark, side, whole in zip("-+", sides, wholes, strict=True)
    ]
    return rows[0], rows[1]


def _field(field: FieldChange, width: int) -> Iterator[Row]:
    path = shown_path(field.path)
    name = f"{path}: " if path else ""
    if field.change == "moved":
        apart = field.old_path is not None
        yield _row("~", f"moved {shown_path(field.old_path or '')} → {path}" if apart else _moved(field))
    elif field.old is msgspec.UNSET:
        yield _row("+", f"{name}{_cut(_json(field.new), width)}", f"{name}{_json(field.new)}")
    elif field.new is msgspec.UNSET:
        yield _row("-", f"{name}{_cut(_json(field.old), width)}", f"{name}{_json(field.old)}")
    elif _is_text(field.old) and _is_text(field.new) and field.old != field.new:
        yield _row("~", path)
        yield from (row._replace(deep=True) for row in _lines(changed_lines(field.old, field.new), width))
    else:
        old, new = _pair(name, _json(field.old), _json(field.new), width)
        if _height(field) == 1:
            yield _row("~", f"{name}{old.text[len(name) :]} → {new.text[len(name) :]}")
        else:
            yield old
            yield new


def _height(field: FieldChange) -> int:
    """How many rows a field has."""
    if field.change == "moved" or field.old is msgspec.UNSET or field.new is msgspec.UNSET:
        return 1
    if _is_text(field.old) and _is_text(field.new) and field.old != field.new:
        return 1 + len(changed_lines(field.old, field.new))
    return 1 if len(_json(field.old)) + len(_json(field.new)) <= INLINE else 2


def _moved(field: FieldChange) -> str:
    return escape(f"moved {field.old} → {field.new}")


def shown_path(path: str) -> str:
    """A pointer as it is; in quotes where it holds what could be taken for the words around it."""
    plain = escape(path)
    return plain if re.fullmatch(r"[^\s\\:\"'→`]*", plain) else json.dumps(path, ensure_ascii=path != plain)


def _is_text(value: JsonValue) -> bool:
    return isinstance(value, str) and "\n" in value


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _row(mark: str, shown: str, whole: str | None = None) -> Row:
    return Row(mark, (Piece(shown, changed=False),), shown if whole is None else whole)


def _cut(text: str, width: int) -> str:
    """An escaped line, its start alone where it is long."""
    if len(text) <= max(LONG, width):
        return escape(text)
    return f"{escape(text[:START])}… ({len(text) - START:,} more characters)"


def _apart(rows: Sequence[Row], width: int) -> list[Row]:
    """Rows that stand for different things and look alike, spelled out; where they are cut, told by a digest."""
    alike: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        alike[look(row.text).rstrip()].add(row.whole)
    return [
        row if len(alike[look(row.text).rstrip()]) == 1 else row._replace(pieces=(_spelled(row.whole, width),))
        for row in rows
    ]


def _spelled(whole: str, width: int) -> Piece:
    text = escape_fully(whole)
    if len(text) > max(LONG, width):
        digest = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        text = f"{text[:START]}… ({len(whole):,} characters, #{digest})"
    return Piece(text, changed=False)
