"""What `[watch]` of a store says of its fixtures and files, what fits nothing, and what could be added to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stepfork.config.project import Settings, read_settings
from stepfork.errors import StoreError
from stepfork.git.ahead import LISTING
from stepfork.git.changes import untracked_files
from stepfork.git.checkout import Checkout, find_checkout
from stepfork.git.command import split_nul
from stepfork.redact.marker import MARKER
from stepfork.select.watch import Watch
from stepfork.store.manifest import read_manifest
from stepfork.store.store import Store
from stepfork.workflows.watch_proposal import Recorded, propose, toml_lines


@dataclass(frozen=True)
class Proposal:
    """What could be written below `[watch]`, which is there already or not; `unknown` are the fixtures that nothing
    watches and whose files cannot be told."""

    lines: tuple[str, ...]
    unknown: tuple[str, ...]
    has_table: bool


def fitting_nothing(store: Store, settings: Settings, checkout: Checkout) -> tuple[list[str], list[str]]:
    """The keys of `[watch]` that no fixture has, and the patterns that no file of the repository has, each with its
    key; ``!`` is not asked, since nothing may be left to exclude."""
    lists = settings.watch or {}
    names = store.names()
    files = sorted({*split_nul(checkout.git.run(*LISTING).out), *untracked_files(checkout)})
    project = checkout.prefix.rstrip("/")
    keys = [key for key in lists if not any(Watch({key: lists[key]}, project, "").watches(name) for name in names)]
    patterns = [
        f"{pattern} ({key})"
        for key, patterns in lists.items()
        for pattern in patterns
        if not pattern.startswith("!") and not Watch({"x": [pattern]}, project, "").files_of(["x"], files)
    ]
    return keys, patterns


def is_watched(settings: Settings, name: str) -> bool:
    """Whether `[watch]` names files of a fixture; so it is, too, where there is no such table to keep."""
    return settings.watch is None or Watch(settings.watch, "", "").watches(name)


def proposal_for(store: Store, environ: Mapping[str, str]) -> Proposal:
    """Lines for the fixtures that nothing watches; none outside of a repository, where nothing could be compared."""
    settings = read_settings(store.root)
    watched = None if settings.watch is None else Watch(settings.watch, "", "")
    names = store.names()
    unwatched = [name for name in names if watched is None or not watched.watches(name)]
    checkout = find_checkout(store.root.parent, environ) if unwatched else None
    if checkout is None:
        return Proposal((), (), settings.watch is not None)
    recorded = [one for name in unwatched if (one := _recorded(store, name)) is not None]
    folder = store.root.parent
    proposal = propose(recorded, names, project_files(checkout), lambda file: _read(folder / file))
    known = Watch(proposal, "", "")
    unknown = tuple(name for name in unwatched if not known.watches(name))
    return Proposal(tuple(toml_lines(proposal)), unknown, settings.watch is not None)


def project_files(checkout: Checkout) -> list[str]:
    """The files of the project in the folder that a checkout was asked about, as paths from there; what is recorded
    and what git ignores are none of them."""
    start = checkout.prefix
    every = {*split_nul(checkout.git.run(*LISTING).out), *untracked_files(checkout)}
    return sorted(
        path.removeprefix(start)
        for path in every
        if path.startswith(start) and ".stepfork/" not in path and ".sftrace/" not in path
    )


def _recorded(store: Store, name: str) -> Recorded | None:
    try:
        source = read_manifest(store.manifest(name), store.shown(store.manifest_path(name)), name).source
    except StoreError:
        return None
    words = tuple(word for word in source.command if MARKER not in word and "{{" not in word)
    return Recorded(name, words, source.cwd) if words and MARKER not in source.cwd else None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.stat().st_size <= 1 << 20 else b""
    except OSError:
        return b""
