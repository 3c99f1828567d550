"""init: a store, and what git must know about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stepfork.config.project import read_settings
from stepfork.errors import UsageError
from stepfork.store.layout import STORE_NAME, init_store


@dataclass(frozen=True)
class InitResult:
    """The store's folder and one line for each change made; none where it was up to date."""

    root: Path
    changes: tuple[str, ...]


def init_project(folder: Path) -> InitResult:
    """Make `folder`/.stepfork, or bring it up to date.

    Raises UsageError where `folder` is none or what is there is a link, ConfigError for a store of a newer format.
    """
    if not folder.is_dir():
        raise UsageError("is no folder", where=folder.as_posix())
    root = folder / STORE_NAME
    if root.is_symlink():
        raise UsageError("is a symbolic link, beyond which git does not look", where=root.as_posix(), fix="remove it")
    if root.is_dir():
        read_settings(root)
    return InitResult(root, tuple(init_store(folder)))
