"""Fixtures with personal data and those without: in which of them text such as ``{{name_1}}`` is a placeholder.

In memory it always is one, and text of a run that looks like it has a mark more (``{{!name_1}}``). On disk it is one
only where the manifest requires the feature: fixtures that were written before there were such placeholders, and all
that hold none, say that text as it was. So what was written before is read as it was meant, and written as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from stepfork.normalize.placeholders import LOOK_ALIKE, PERSONAL, escape, unescape
from stepfork.rewrite.place import Edit, Place, Rewriter
from stepfork.rewrite.run import rewrite_run
from stepfork.trace.fixture import Run

FEATURE = "personal"
"""What the manifest of a fixture with personal data requires."""

_WORDS = tuple(f"{kind}_".encode() for kind in PERSONAL)
_STORED = re.compile(rb"\{\{(!*)(?:" + b"|".join(_WORDS) + rb")[0-9]")
# Text inside of JSON text may spell its braces by number.
_READ = re.compile(rb"(?:\{|\\u007[bB])!*(?:" + b"|".join(_WORDS) + rb")[0-9]")


def marks_in(documents: Iterable[bytes]) -> set[bool]:
    """Of all that looks like personal data in what is to be stored, whether it has a mark."""
    return {
        bool(found[1]) for data in documents if any(word in data for word in _WORDS) for found in _STORED.finditer(data)
    }


def looks_personal(data: bytes) -> bool:
    """Whether stored text may look like a placeholder of personal data."""
    return any(word in data for word in _WORDS) and _READ.search(data) is not None


def with_marks(run: Run) -> Run:
    """A run that was read, with one mark more in text that only looks like personal data."""
    return rewrite_run(run, _Marks(more=True))


def without_marks(run: Run) -> Run:
    """The inverse of `with_marks`."""
    return rewrite_run(run, _Marks(more=False))


class _Marks(Rewriter):
    def __init__(self, *, more: bool) -> None:
        self._change = escape if more else unescape

    def text(self, text: str, place: Place) -> Sequence[Edit]:  # noqa: ARG002
        """Edits of a text."""
        if "{{" not in text:
            return ()
        found = (match for match in LOOK_ALIKE.finditer(text) if match[2] in PERSONAL)
        return [Edit(match.start(), match.end(), self._change(match.group())) for match in found]

    def key(self, text: str, place: Place) -> Sequence[Edit]:
        """Edits of a member's name."""
        return self.text(text, place)
