"""The product's modules as syntax trees, of those alone that a test may find something in: parsing is slow."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "stepfork"
SOURCES = sorted(SOURCE.rglob("*.py"))


def modules_with(words: Iterable[str]) -> Iterator[tuple[Path, ast.Module]]:
    """The modules that have one of the words as an identifier, and those where it may be spelled with other letters."""
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if pattern.search(text) or not text.isascii():
            yield path, ast.parse(text)
