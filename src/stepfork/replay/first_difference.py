"""The first difference of a miss as lines for an exception, which is shown where no screen of ours is: ``- recorded``
and ``+ asked``, redacted, on one line each, without control characters."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from stepfork.diff.text_diff import hunks_of, windows
from stepfork.diff.values import FieldChange, Line
from stepfork.providers.lines import clean_line
from stepfork.providers.shapes import json_text
from stepfork.replay.report import Miss
from stepfork.replay.telling import parts_of
from stepfork.trace.body import JsonValue

WIDTH = 120
SHOWN = 6
"""Lines of it that are shown."""


def first_difference(miss: Miss, clean: Callable[[str], str]) -> tuple[str, ...]:
    """The lines, none where there is nothing that `miss` could be compared with; `clean` redacts a text."""
    parts = parts_of(miss.difference)
    if not parts:
        return ()
    part = parts[0]
    lines = [*_lines(part.lines, clean), *(line for field in part.fields for line in _field(field, clean))]
    return tuple(lines) if len(lines) <= SHOWN else (*lines[: SHOWN - 1], f"… {len(lines) - SHOWN + 1:,} more")


def _lines(lines: tuple[Line, ...], clean: Callable[[str], str]) -> Iterator[str]:
    for gone, come in hunks_of(lines):
        # Cleaned together: a key in PEM form spans many lines.
        old, new = (clean("\n".join(side)).split("\n") if side else [] for side in (gone, come))
        if len(old) == len(new) == 1:
            yield from _pair("", old[0], new[0])
            continue
        yield from (f"- {_shown(text)}" for text in old)
        yield from (f"+ {_shown(text)}" for text in new)


def _field(field: FieldChange, clean: Callable[[str], str]) -> Iterator[str]:
    path = clean_line(clean(field.path), WIDTH)
    name = f"{path}: " if path else ""
    old, new = (None if value is msgspec.UNSET else clean(_text(value)) for value in (field.old, field.new))
    if field.change == "moved":
        yield f"moved: {path}"
        return
    if old is not None and new is not None:
        yield from _pair(name, old, new)
    elif old is not None:
        yield f"- {name}{_shown(old)}"
    elif new is not None:
        yield f"+ {name}{_shown(new)}"


def _pair(name: str, old: str, new: str) -> Iterator[str]:
    """Two values, cut to what surrounds their difference."""
    first, second = map(_shown, windows(old, new, WIDTH))
    why = "" if first != second else "   (differs in what is redacted)" if old == new else "   (differs in white space)"
    yield from (f"- {name}{first}", f"+ {name}{second}{why}")


def _shown(text: str) -> str:
    return clean_line(text, 2 * WIDTH)


def _text(value: JsonValue | msgspec.UnsetType) -> str:
    return value if isinstance(value, str) else json_text(value)
