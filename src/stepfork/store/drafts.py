"""Drafts: what is left of a capture that could not become a fixture, so that a paid run is never lost.

A draft is a bundle below ``failed/``, which git ignores. The extension ``causes`` of its manifest says why.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from stepfork.errors import StoreError
from stepfork.store.bundle import fill_bundle, write_bundle
from stepfork.store.claim import Claim, claim_one_of, clear_left, has_journal, is_held, spare_names
from stepfork.store.files import remove_empty
from stepfork.store.layout import BUNDLE, FAILED
from stepfork.store.names import check_name
from stepfork.store.store import Store
from stepfork.trace.fixture import Fixture, Run

CAUSES = "causes"
"""The name of the manifest extension that makes a bundle a draft."""


def draft_path(store: Store, name: str) -> Path:
    """Where the draft of that name is, whether it exists or not. Raises UsageError for a bad name."""
    return store.root / FAILED / f"{check_name(name)}{BUNDLE}"


def claim_draft(store: Store, name: str) -> Claim:
    """Take a folder for the journal of a recording of that name: the draft's, or one beside it where that is taken.
    Raises UsageError where there can be none."""
    return claim_one_of(spare_names(draft_path(store, name)))


def write_draft(store: Store, name: str, run: Run, causes: Sequence[str], claim: Claim | None = None) -> Path:
    """Keep a run, redacted already, with the causes why it is no fixture; an older draft of the name is replaced, the
    journal of another recording is not. `claim` is the folder of this recording's own journal, where it has one.

    Returns the path of the bundle, which ``validate --partial`` and ``show`` read.
    """
    draft = Fixture(name, run, extensions={CAUSES: list(causes)})
    wanted = draft_path(store, name)
    if claim is None:
        path = next(path for path in spare_names(wanted) if not has_journal(path))
        write_bundle(path, draft, replace=True)
        return path
    fill_bundle(claim.path, draft)
    return claim.path if has_journal(wanted) else _moved(claim, wanted)


def _moved(claim: Claim, wanted: Path) -> Path:
    """Where the draft is that fills a claimed folder: at `wanted`, in place of an older one, where that is possible."""
    if claim.path == wanted:
        return wanted
    claim.give_back()
    shutil.rmtree(wanted, ignore_errors=True)
    try:
        claim.path.rename(wanted)
    except OSError:  # another writer was there first
        return claim.path
    return wanted


def killed(store: Store, name: str | None = None) -> list[Path]:
    """The drafts (of that name) that are the journals of recordings which did not end, sorted by path."""
    folder = store.root / FAILED
    paths = folder.rglob(f"*{BUNDLE}") if name is None else _drafts_of(store, name)
    return sorted(path for path in paths if has_journal(path) and not is_held(path))


def clear_left_in(store: Store) -> list[Path]:
    """Remove the journals that a kill left beside whole drafts; where they were."""
    found = map(clear_left, (store.root / FAILED).rglob(f"*{BUNDLE}"))
    return sorted(path for path in found if path is not None)


def _drafts_of(store: Store, name: str) -> list[Path]:
    path = draft_path(store, name)
    return [path, *path.parent.glob(f"{path.name.removesuffix(BUNDLE)}~*{BUNDLE}")]


def draft_causes(fixture: Fixture) -> tuple[str, ...] | None:
    """Why a fixture is a draft, None where it is none."""
    causes = fixture.extensions.get(CAUSES)
    if causes is None:
        return None
    return tuple(cause for cause in causes if isinstance(cause, str)) if isinstance(causes, list) else ()


def remove_draft(store: Store, name: str) -> bool:
    """Remove the drafts of that name, when a later capture made a fixture of it, but for the journals of recordings
    that still run. False where there was none."""
    removed = [path for path in _drafts_of(store, name) if _removed(store, path)]
    if removed:
        remove_empty(removed[0].parent, store.root)
    return bool(removed)


def _removed(store: Store, path: Path) -> bool:
    if path.is_symlink() or not path.is_dir() or is_held(path):
        return False
    try:
        shutil.rmtree(path)
    except FileNotFoundError:  # another one did
        return False
    except OSError as error:
        raise StoreError(f"cannot be removed ({error.strerror})", where=store.shown(path)) from None
    return True
