"""Facts in one column: a name, what there is to say of it, and a fold where a terminal is too narrow for that."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from typing import TextIO

WIDTH = 14
"""Characters of the names of facts."""
INDENT = 2
NARROWEST = 60
"""Columns below which folding would leave ribbons."""
RIGHT = 65
"""Characters of a first line before what stands to its right."""
COLUMNS = 80
"""What a first line is kept to, where its own words leave room."""


def headline(left: str, right: str) -> str:
    """The first line of a screen: what came of it, and to its right how long it took, always two spaces apart."""
    return f"{left.ljust(min(RIGHT, COLUMNS - len(right)) - 2)}  {right}" if right else left


def row(name: str, text: str) -> Iterator[str]:
    """The fact, none where there is nothing to say. A fact without a name goes on with the one above it."""
    if text:
        yield f"{' ' * INDENT}{name.ljust(WIDTH)}{text}"


def size_of(size: int) -> str:
    """How many bytes, as people say it: ``9,999 bytes``, ``14.2 kB``."""
    if size < 10_000:
        return f"{size:,} bytes"
    return f"{size / 1000:,.1f} kB" if size < 1_000_000 else f"{size / 1_000_000:,.1f} MB"


def fold(line: str, stream: TextIO | None, *, hanging: int | None = None) -> str:
    """`line` in pieces that fit a terminal, each below the text of the first (in column `hanging`, where that is told);
    whole where `stream` is none."""
    if stream is None or not stream.isatty():
        return line
    columns = max(shutil.get_terminal_size().columns, NARROWEST)
    if len(line) <= columns:
        return line
    return textwrap.fill(
        line,
        columns,
        subsequent_indent=" " * (_hanging(line) if hanging is None else hanging),
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )


def fold_list(name: str, parts: Sequence[str], stream: TextIO | None) -> str:
    """`name` and its parts on one line, or in a column beside the name where a terminal is too narrow for that."""
    line = "   ".join([name, *parts])
    if stream is None or not stream.isatty() or len(line) <= max(shutil.get_terminal_size().columns, NARROWEST):
        return line
    return f"\n{' ' * len(name)}   ".join([f"{name}   {parts[0]}", *parts[1:]])


def _hanging(line: str) -> int:
    """Where the text of a fact begins: behind its name, or with the line where it has none."""
    indent = len(line) - len(line.lstrip())
    named = re.match(r" +\S+(?: \S+)* {2,}", line) if 0 < indent < INDENT + WIDTH else None
    return named.end() if named and named.end() <= NARROWEST // 2 else indent or INDENT
