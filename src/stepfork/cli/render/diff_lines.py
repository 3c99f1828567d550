"""The changed lines and fields of one change, as a terminal shows them: escaped, windowed, never two alike."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence

import msgspec

from stepfork.cli.escape import escape, escape_fully
from stepfork.cli.render.diff_clean import Clean, clean_field, clean_lines
from stepfork.diff.text_diff import changed_lines, hunks_of, windows
from stepfork.diff.values import FieldChange, Line
from stepfork.trace.body import JsonValue

WIDTH = 120
"""Characters of a changed line that are shown whole; a longer one is cut to what surrounds its changes."""
INLINE = 50
"""Two values of up to this many characters together stand on one line with an arrow."""


def shown_lines(lines: Sequence[Line], clean: Clean) -> Iterator[str]:
    """``- old`` and ``+ new``, one a line."""
    for gone, come in hunks_of(list(clean_lines(lines, clean))):
        pairs = [shown_pair(old, new) for old, new in zip(gone, come, strict=False)]
        yield from (f"- {old}" for old, _ in pairs)
        yield from (f"- {_cut(old)}" for old in gone[len(pairs) :])
        yield from (f"+ {new}" for _, new in pairs)
        yield from (f"+ {_cut(new)}" for new in come[len(pairs) :])


def shown_pair(old: str, new: str) -> tuple[str, str]:
    """Two different lines, as two texts that differ."""
    if old == new:
        return escape(old), f"{escape(new)}   (differs in what is redacted)"
    first, second = windows(old, new, WIDTH)
    if _look(first) == _look(second):
        return escape_fully(first), escape_fully(second)
    return escape(first), escape(second)


def shown_fields(fields: Sequence[FieldChange], clean: Clean) -> Iterator[str]:
    """One line a field, or its changed lines where it is a long text."""
    for field in fields:
        yield from _field(clean_field(field, clean))


def _field(field: FieldChange) -> Iterator[str]:
    path = escape(field.path)
    name = f"{path}: " if path else ""
    if field.change == "moved":
        where = f"{escape(field.old_path)} → {path}" if field.old_path is not None else f"{field.old} → {field.new}"
        yield f"~ moved {where}"
    elif field.old is msgspec.UNSET:
        yield f"+ {name}{_cut(_json(field.new))}"
    elif field.new is msgspec.UNSET:
        yield f"- {name}{_cut(_json(field.old))}"
    elif _is_text(field.old) and _is_text(field.new) and field.old != field.new:
        yield f"~ {path}"
        yield from (f"  {line}" for line in shown_lines(changed_lines(field.old, field.new), str))
    else:
        old, new = shown_pair(_json(field.old), _json(field.new))
        if len(old) + len(new) <= INLINE:
            yield f"~ {name}{old} → {new}"
        else:
            yield f"- {name}{old}"
            yield f"+ {name}{new}"


def _is_text(value: JsonValue) -> bool:
    return isinstance(value, str) and "\n" in value


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _cut(text: str) -> str:
    if len(text) <= WIDTH:
        return escape(text)
    return f"{escape(text[: WIDTH - 20])}… ({len(text) - WIDTH + 20:,} more characters)"


def _look(text: str) -> list[str]:
    """What the eye sees of a line."""
    return unicodedata.normalize("NFKC", escape(text)).split()
