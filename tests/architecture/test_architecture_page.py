"""ARCHITECTURE.md leads to files that are there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import SOURCE

ROOT = Path(__file__).parents[2]
ROWS = [line for line in (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
_FILE = re.compile(r"`([\w./*-]+\.(?:py|css|js)|[\w./*-]+/[\w.*-]*)`")


def test_each_file_that_a_row_names_is_there() -> None:
    assert [missing for row in ROWS for missing in _missing(row)] == []


def test_each_folder_of_the_product_has_a_row() -> None:
    first = " ".join(row.split(" | ")[0] for row in ROWS)
    folders = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert {name for name in folders if f"`{name}/`" not in first} == set()


def _missing(row: str) -> Iterator[str]:
    """A name without a folder is a file beside one that the row has named before it."""
    beside: list[Path] = [SOURCE]
    for name in _FILE.findall(row):
        places = [SOURCE, ROOT, *beside] if "/" in name else beside
        found = next((hits for place in reversed(places) if (hits := list(place.glob(name)))), [])
        beside += [hit if hit.is_dir() else hit.parent for hit in found]
        if not found:
            yield f"{name} in {row[:60]}"
