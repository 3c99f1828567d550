"""Facts in one column: a name, what there is to say of it, and a fold where a terminal is too narrow for that."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from typing import TextIO

WIDTH = 14
"""Characters of the names of facts."""
INDENT = 2
NARROWEST = 60
"""Columns below which folding would leave ribbons."""


def row(name: str, text: str) -> Iterator[str]:
    """The fact, none where there is nothing to say. A fact without a name goes on with the one above it."""
    if text:
        yield f"{' ' * INDENT}{name.ljust(WIDTH)}{text}"


def fold(line: str, stream: TextIO | None) -> str:
    """`line` in pieces that fit a terminal, each below the text of the first; whole where `stream` is none."""
    if stream is None or not stream.isatty():
        return line
    columns = max(shutil.get_terminal_size().columns, NARROWEST)
    if len(line) <= columns:
        return line
    hanging = " " * (INDENT + WIDTH) if line.startswith(" " * INDENT) else "  "
    return textwrap.fill(
        line,
        columns,
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )
