"""What a check of stored files finds: values, with the exact path."""

from __future__ import annotations

from typing import Literal

import msgspec

Kind = Literal[
    "hash",  # an object whose bytes do not hash to its name
    "missing",  # an object that a manifest names and that is not there
    "manifest",  # a manifest that cannot be read, or whose run digest does not fit
    "content",  # an object that is not what its place asks for
    "noncanonical",  # bytes that are not the canonical form of their value
    "edited",  # a manifest whose seal, or a fixture whose files do not fit its content
    "unknown",  # a file that no store has
    "link",  # a symbolic link
    "name",  # names that some file systems cannot tell apart
    "unmerged",  # a file that both sides of a merge changed, which git waits to be told about
    "staged",  # an object that a staged manifest names and the index does not hold
    "draft",  # a run that is not whole
]


class Finding(msgspec.Struct, frozen=True):
    """`path` is the file as messages call it, `what` one line, `fixtures` the names of those that need the file, `fix`
    what to do about it."""

    kind: Kind
    path: str
    what: str
    fixtures: tuple[str, ...] = ()
    fix: str = ""

    def __str__(self) -> str:
        of_an_object = self.kind in ("hash", "missing", "staged") and self.fixtures
        needed = f" (needed by {', '.join(self.fixtures)})" if of_an_object else ""
        fix = f"; {self.fix}" if self.fix else ""
        return f"{self.path}: {self.what}{needed}{fix}"
