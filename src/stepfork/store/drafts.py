"""Drafts: what is left of a capture that could not become a fixture, so that a paid run is never lost.

A draft is a bundle below ``failed/``, which git ignores. The extension ``causes`` of its manifest says why.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from stepfork.errors import StoreError
from stepfork.store.bundle import write_bundle
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


def write_draft(store: Store, name: str, run: Run, causes: Sequence[str]) -> Path:
    """Keep a run, redacted already, with the causes why it is no fixture; an older draft of the name is replaced.

    Returns the path of the bundle, which ``validate --partial`` and ``show`` read.
    """
    path = draft_path(store, name)
    write_bundle(path, Fixture(name, run, extensions={CAUSES: list(causes)}), replace=True)
    return path


def draft_causes(fixture: Fixture) -> tuple[str, ...] | None:
    """Why a fixture is a draft, None where it is none."""
    causes = fixture.extensions.get(CAUSES)
    if causes is None:
        return None
    return tuple(cause for cause in causes if isinstance(cause, str)) if isinstance(causes, list) else ()


def remove_draft(store: Store, name: str) -> bool:
    """Remove the draft of that name, when a later capture made a fixture of it. False where there was none."""
    path = draft_path(store, name)
    if path.is_symlink() or not path.is_dir():
        return False
    try:
        shutil.rmtree(path)
    except OSError as error:
        raise StoreError(f"cannot be removed ({error.strerror})", where=store.shown(path)) from None
    remove_empty(path.parent, store.root)
    return True
