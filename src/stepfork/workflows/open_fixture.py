"""A fixture that a program names: by the path of its manifest, by that of a bundle, or by its name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stepfork.config.project import Settings, read_settings
from stepfork.errors import NotFoundError
from stepfork.store.bundle import is_bundle, read_bundle
from stepfork.store.layout import BUNDLE, FIXTURES, OBJECTS, STORE_NAME
from stepfork.store.store import Store, find_store
from stepfork.trace.fixture import Fixture


@dataclass(frozen=True)
class Opened:
    """A fixture, the store that it is in (None for a bundle), and what the project set."""

    fixture: Fixture
    store: Store | None
    settings: Settings


def open_fixture(word: Path | str, *, near: Path, override: str | None = None) -> Opened:
    """The fixture at a path, or of a name in the store that `override` names, else the nearest one from `near` upwards.

    Every byte is verified. Raises NotFoundError and what reading a store raises, ConfigError for its settings.
    """
    if isinstance(word, Path) and (is_bundle(word) or word.suffix == BUNDLE):
        return Opened(read_bundle(word), None, _settings_near(near, override))
    store, name = _place(word) if isinstance(word, Path) else (find_store(near, override), word)
    settings = read_settings(store.root)
    return Opened(store.read(name), store, settings)


def stored_at(path: Path) -> tuple[Store, str] | None:
    """The store and the name of the fixture whose manifest is, or would be, at `path`; None where no such is."""
    for folder in path.absolute().parents:
        root = folder.parent
        if folder.name == FIXTURES and (root.name == STORE_NAME or (root / OBJECTS).is_dir()):
            store = Store(root)
            name = store.name_of_path(path)
            if name is not None:
                return store, name
    return None


def _place(path: Path) -> tuple[Store, str]:
    found = stored_at(path)
    if found is None:
        fix = f"write …/{STORE_NAME}/{FIXTURES}/NAME.json"
        raise NotFoundError("is no manifest of a fixture, nor a bundle", where=str(path), fix=fix)
    return found


def _settings_near(near: Path, override: str | None) -> Settings:
    try:
        return read_settings(find_store(near, override).root)
    except NotFoundError:
        if override:
            raise
        return Settings()
