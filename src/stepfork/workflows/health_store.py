"""What a store and the repository around it say to whoever is about to use them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from stepfork.config.project import Settings, read_settings
from stepfork.errors import ConfigError, GitError, NotFoundError, StoreError
from stepfork.git.checkout import Checkout, find_checkout
from stepfork.store.drafts import killed
from stepfork.store.layout import ATTRIBUTES
from stepfork.store.store import Store, find_store
from stepfork.workflows.health import Check
from stepfork.workflows.maintenance import fsck

_PROBE = "fixtures/probe.json"


def settings_of(store: Store | None) -> tuple[Settings, Check | None]:
    """The project's settings, and what is wrong with its config.toml; the defaults then."""
    if store is None:
        return Settings(), None
    try:
        settings = read_settings(store.root)
    except ConfigError as error:
        return Settings(), Check("config.toml", "problem", error.what, error.fix or "")
    routes = ", ".join(route.name for route in settings.routes)
    return settings, Check("config.toml", "ok", f"read{f', routes: {routes}' if routes else ''}")


def store_here(folder: Path, override: str | None) -> tuple[Store | None, Check | None]:
    """The store that a command here would use; a check where there is none."""
    try:
        return find_store(folder, override), None
    except NotFoundError as error:
        if override:
            return None, Check("store", "problem", f"{error.where}: {error.what}", error.fix or "")
        return None, Check("store", "note", "none here or above; stepfork init makes one")
    except StoreError as error:
        return None, Check("store", "problem", error.what, error.fix or "")


def check_store(store: Store) -> Check:
    """Whether all of its files are what they say they are, and a fixture could be written beside them."""
    checked = fsck(store)
    scope = f"{store.root.name} (fixtures: {checked.fixtures}, objects: {checked.objects})"
    if checked.findings:
        text = f"{scope}, not all well: findings {len(checked.findings)}"
        return Check("store", "problem", text, "stepfork fsck names them")
    shut = _shut(store)
    if shut is not None:
        return Check("store", "problem", f"{scope}, {shut} cannot be written", "give yourself the right to write there")
    return Check("store", "ok", f"{scope}, all well")


def check_killed(store: Store) -> Check | None:
    """Whether recordings did not end, and what there is of them; None where all did."""
    paths = [store.shown(path) for path in killed(store)]
    if not paths:
        return None
    return Check("drafts", "note", f"recordings that did not end: {_few(paths)}", "stepfork show reads what there is")


def _shut(store: Store) -> str | None:
    """The first folder of a store in which nothing could be made. It is asked, not tried: doctor writes nothing."""
    folders = (store.root, store.fixtures, store.objects.folder)
    closed = (path for path in folders if path.is_dir() and not os.access(path, os.W_OK | os.X_OK))
    return next(map(store.shown, closed), None)


def check_git(folder: Path, store: Store | None, environ: Mapping[str, str]) -> Iterator[Check]:
    """Whether git is there, and does with a store's files what it must: keep them, byte for byte."""
    try:
        checkout = find_checkout(store.root.parent if store is not None else folder, environ)
        if checkout is None:
            yield Check("git", "note", "this is no repository")
            return
        version = checkout.git.run("version").out.decode("utf-8", "replace").strip().removeprefix("git version ")
        problem = _unkept(checkout, store) if store is not None else None
    except GitError as error:
        yield Check("git", "problem", error.what, error.fix or "")
        return
    yield problem or Check("git", "ok", f"{version}{', files of the store are kept as they are' if store else ''}")


def check_watch(store: Store, settings: Settings, environ: Mapping[str, str]) -> Iterator[Check]:
    """Whether what `[watch]` says fits the fixtures and the files there are; nothing where there is no such table."""
    from stepfork.workflows.watching import fitting_nothing

    try:
        checkout = find_checkout(store.root.resolve().parent, environ) if settings.watch else None
        keys, patterns = fitting_nothing(store, settings, checkout) if checkout is not None else ([], [])
    except (ConfigError, GitError, StoreError) as error:
        yield Check("watch", "problem", error.what, error.fix or "")
        return
    told = [f"fits no fixture: {_few(keys)}"] if keys else []
    told += [f"fits no file that git sees: {_few(patterns)}"] if patterns else []
    if told:
        yield Check("watch", "note", "; ".join(told))
    elif checkout is not None:
        yield Check("watch", "ok", "fits fixtures and files")


def _few(words: list[str]) -> str:
    return ", ".join(words[:3]) + (f" (and {len(words) - 3} more)" if len(words) > 3 else "")


def _unkept(checkout: Checkout, store: Store) -> Check | None:
    path = str(store.root.resolve() / _PROBE)
    if checkout.git.run("check-ignore", "-q", "--no-index", path, codes=(0, 1)).code == 0:
        return Check(
            "git", "problem", "files of the store are ignored", f"git check-ignore -v {store.root.name}/{_PROBE}"
        )
    told = checkout.git.run("check-attr", "-z", "text", "merge", "--", path).out.split(b"\0")
    values = dict(zip(told[1::3], told[2::3], strict=False))
    if any(values.get(name) != b"unset" for name in (b"text", b"merge")):
        wanted = ATTRIBUTES.splitlines()[1]
        return Check("git", "problem", f"attributes of the store are not {wanted!r}", "stepfork init adds them")
    return None
