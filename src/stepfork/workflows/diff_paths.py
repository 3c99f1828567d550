"""Paths behind ``--`` limit the fixtures that are compared, as git has it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Set
from fnmatch import fnmatchcase
from pathlib import Path

from stepfork.errors import UsageError
from stepfork.store.layout import manifest_file
from stepfork.workflows.locate import Locator

Pair = tuple[str | None, str | None]
"""The names of a fixture, old and new; None where that side has none."""


def limited(locator: Locator, paths: tuple[str, ...], pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs of which either name's manifest stands at or below one of `paths`, or fits a pattern; no path: all.

    Raises UsageError for a path at which no fixture of either side stands.
    """
    found = list(pairs)
    if not paths:
        return found
    root = locator.need_store().root
    kept: set[Pair] = set()
    for path in paths:
        typed = locator.cwd / path
        tops = {Path(os.path.normpath(typed)), typed.resolve()}
        fitting = {pair for pair in found if any(name and _fits(root / manifest_file(name), tops) for name in pair)}
        if not fitting:
            names = {name for pair in found for name in pair}
            shown = root / manifest_file(path) if path in names else None
            raise UsageError(
                "no fixture stands at or below this path",
                where=path,
                fix=None if shown is None else f"write {os.path.relpath(shown, locator.cwd)}",
            )
        kept |= fitting
    return [pair for pair in found if pair in kept]


def _fits(manifest: Path, tops: Set[Path]) -> bool:
    if manifest in tops or not tops.isdisjoint(manifest.parents):
        return True
    patterns = [top.as_posix() for top in tops if any(char in top.as_posix() for char in "*?[")]
    return any(fnmatchcase(manifest.as_posix(), pattern) for pattern in patterns)
