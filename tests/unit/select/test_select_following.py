"""Modules are followed in rounds: one search for all of a round, whatever leads to whatever."""

from __future__ import annotations

from collections.abc import Sequence

from stepfork.select.collection import Collection
from stepfork.select.layout import Layout
from stepfork.select.selection import referenced_fixtures

COUNT = 30


class Files:
    """Files in memory, which count how often they are searched and read."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files
        self.searches = 0
        self.reads = 0

    def search(self, *patterns: str) -> Sequence[str]:
        import re

        self.searches += 1
        return sorted(
            path for path, text in self._files.items() if any(re.search(one, text, re.MULTILINE) for one in patterns)
        )

    def search_data(self, *patterns: str) -> Sequence[str]:
        return ()

    def under(self, folder: str) -> Sequence[str]:
        return sorted(path for path in self._files if path.startswith(folder))

    def read(self, path: str) -> bytes | None:
        self.reads += 1
        text = self._files.get(path)
        return None if text is None else text.encode()

    def read_old(self, path: str) -> bytes | None:
        return self.read(path)

    def fixture_names(self) -> Sequence[str]:
        return ("refund",)


def chained(count: int) -> Files:
    """Helpers and tests, each of which imports a name from the one before."""
    files = {"tests/help_0.py": "NAME_0 = 'refund'\n", "tests/test_0.py": "def test_0(): load('refund')\n"}
    for at in range(count):
        files[f"tests/test_a{at}.py"] = f"from help_0 import NAME_0\n\ndef test_a{at}(): load(NAME_0)\n"
        files[f"tests/other_{at}.py"] = f"NAME_X{at} = 'refund'\n"
        files[f"tests/test_b{at}.py"] = f"from other_{at} import NAME_X{at}\n\ndef test_b{at}(): load(NAME_X{at})\n"
    return Files(files)


def test_the_searches_do_not_grow_with_what_is_followed() -> None:
    few, many = chained(3), chained(COUNT)
    for files in (few, many):
        assert referenced_fixtures(Layout("", Collection()), files, folder=".stepfork").names == {"refund"}
    assert few.searches == many.searches


def test_each_file_is_read_a_few_times_only() -> None:
    few, many = chained(10), chained(COUNT)
    for files in (few, many):
        referenced_fixtures(Layout("", Collection()), files, folder=".stepfork")
    assert many.reads <= few.reads * COUNT / 10 + few.reads
