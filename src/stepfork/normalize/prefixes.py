"""The prefixes of generated ids, known ones and a project's own: what stays in front of a placeholder."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stepfork.normalize.rules import ID_PREFIXES


class Prefixes:
    """Finds the longest prefix that fits; `own` are a project's."""

    def __init__(self, own: Iterable[str] = ()) -> None:
        found = sorted({*ID_PREFIXES, *own}, key=lambda prefix: (-len(prefix), prefix))
        words = "|".join(map(re.escape, found))
        self._begins = re.compile(words)
        self._ends = re.compile(rf"(?:{words})\Z")
        self._longest = len(found[0])

    def of(self, value: str) -> str:
        """The prefix that an id begins with, empty where it has none."""
        found = self._begins.match(value)
        return found[0] if found else ""

    def before(self, text: str, end: int) -> str:
        """The prefix of the id whose placeholder begins at `end` of a text, empty where it has none."""
        found = self._ends.search(text[max(end - self._longest, 0) : end])
        return found[0] if found else ""


PREFIXES = Prefixes()
"""Those that everybody has."""
