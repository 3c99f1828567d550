"""From a test's file to the folders and files that it names, written as a project moves: relative, forward slashes."""

from __future__ import annotations

from pathlib import PurePath
from typing import NamedTuple


class Root(NamedTuple):
    """The folder in which a test's entrypoint is looked for: ``depth`` folders above the test's own (0: that itself),
    then ``below``, which is empty where that is it."""

    depth: int
    below: str


def root_of(folder: PurePath, start: PurePath) -> Root | None:
    """The way from the `folder` of a test to `start`; None where they are on two drives. Both are absolute."""
    shared = _shared(folder, start)
    if not shared:
        return None
    return Root(len(folder.parts) - shared, "/".join(start.parts[shared:]))


def way(start: PurePath, to: PurePath) -> str | None:
    """`to` from the folder `start`, with ``..`` where it has to be; None where they are on two drives."""
    shared = _shared(start, to)
    if not shared:
        return None
    return "/".join([*[".."] * (len(start.parts) - shared), *to.parts[shared:]]) or "."


def _shared(one: PurePath, other: PurePath) -> int:
    """How many parts two paths have in common, as their platform compares names."""
    kind = type(one)
    pairs = zip(one.parts, other.parts, strict=False)
    differs = (at for at, (a, b) in enumerate(pairs) if kind(a) != kind(b))
    return next(differs, min(len(one.parts), len(other.parts)))
