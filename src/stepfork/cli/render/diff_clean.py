"""Strings of a comparison, redacted again before they are shown: whole texts, since a cut one may hide its secret."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from stepfork.diff.values import FieldChange, Line
from stepfork.trace.body import JsonValue

Clean = Callable[[str], str]
"""Redacts a text; the workflow that calls a renderer knows the secrets."""


def as_it_is(text: str) -> str:
    """For what holds no secret."""
    return text


def clean_summary(text: str, clean: Clean, limit: int) -> str:
    """A summary on one line of at most `limit` characters; what was cut ends in ``…``."""
    line = " ".join(clean(text).split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def clean_lines(lines: Iterable[Line], clean: Clean) -> Iterator[Line]:
    """Lines that stand together are cleaned together: a key in PEM form spans many."""
    for op, run in groupby(lines, key=lambda line: line.op):
        text = clean("\n".join(line.text for line in run))
        yield from (Line(op, piece) for piece in text.split("\n"))


def clean_value(value: JsonValue, clean: Clean) -> JsonValue:
    """A JSON value with its strings and keys cleaned; keys that become equal stay apart."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list | tuple):
        return [clean_value(item, clean) for item in value]
    if not isinstance(value, dict):
        return value
    made: dict[str, JsonValue] = {}
    for name, item in value.items():
        key = clean(name)
        while key in made:
            key += "'"
        made[key] = clean_value(item, clean)
    return made


def clean_field(field: FieldChange, clean: Clean) -> FieldChange:
    """A changed field with its path and its values cleaned."""
    return FieldChange(
        path=clean(field.path),
        change=field.change,
        old=clean_value(field.old, clean),
        new=clean_value(field.new, clean),
        old_path=None if field.old_path is None else clean(field.old_path),
    )
