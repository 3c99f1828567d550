"""The two states of which a command asks what changed between them: from the merge base to the work tree or HEAD."""

from __future__ import annotations

import os

from stepfork.errors import GitError, UsageError
from stepfork.git.checkout import Checkout
from stepfork.git.record import Record
from stepfork.select.base import Base, find_base
from stepfork.store.place import is_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from stepfork.git.changes import Changes
    from stepfork.select.watch import Watch

_STORE = ".stepfork"


class Compared(Record):
    """The two states: ``start`` is the commit or tree that stands for the old one, ``store`` the store's path from the
    top of the repository, None where its very folder is gone.

    ``watch`` is None where nothing says which files fixtures depend on; ``merge_base`` where there is none.
    """

    checkout: Checkout
    base: Base
    merge_base: str | None
    start: str
    store: str | None
    watch: Watch | None


def compare(
    checkout: Checkout,
    folder: str,
    environ: Mapping[str, str],
    *,
    asked: str | None,
    override: str | None,
    committed: bool,
) -> Compared:
    """The states for the store around ``folder``, or for that of ``override``, a path from there.

    ``asked`` is the base asked for; ``committed`` compares HEAD instead of the work tree. Raises `GitError`,
    `UsageError`, and `ConfigError` for the store's config.toml.
    """
    store = _store(checkout, folder, override)
    configured, watch = (None, None) if store is None else _configured(checkout, store)
    base = find_base(checkout, asked=asked, configured=configured, environ=environ, committed=committed)
    if committed and base.head is None:
        raise GitError("there is no commit yet to compare", fix="leave --committed out to compare the work tree")
    merge_base = _merge_base(checkout, base)
    start = merge_base or base.head or checkout.empty_tree()
    if override is not None and store is not None:
        _check_named(checkout, store, override, (start, "HEAD"))
    return Compared(checkout, base, merge_base, start, store, watch)


def _check_named(checkout: Checkout, store: str, named: str, states: Iterable[str]) -> None:
    """What somebody names is a store, or was one: that it is gone may be the change. Raises UsageError."""
    place = os.path.join(checkout.root, store)
    if os.path.lexists(place):
        if not is_store(place):
            raise UsageError("is no store", where=named, fix=f"name the {_STORE} that init made")
        return
    words = ("ls-tree", "-z", "--full-tree")
    if not any(checkout.git.run(*words, one, "--", store, codes=(0, 128)).out for one in states):
        raise UsageError("there is no such store", where=named, fix="stepfork init makes one")


def _merge_base(checkout: Checkout, base: Base) -> str | None:
    if base.commit is None or base.head is None or base.commit == base.head:
        return base.commit if base.head is not None else None
    return checkout.merge_base(base.commit, base.head)


def why_unsure(checkout: Checkout, base: Base) -> str:
    """Why there is no merge base, and what to do."""
    if base.unsure:
        return base.unsure
    if checkout.shallow:
        return f"no common history with {base.name} in this shallow clone: git fetch --unshallow brings it here"
    return f"no common history with {base.name}"


def _configured(checkout: Checkout, store: str) -> tuple[str | None, Watch | None]:
    """``[select] base`` and ``[watch]`` of the store's config.toml as it lies in the work tree, which is read only
    where it says more than the usual format.

    Raises `ConfigError`, for a newer format among others.
    """
    place = os.path.join(checkout.root, store)
    try:
        with open(os.path.join(place, "config.toml"), "rb") as file:
            text = file.read()
        if b"select" not in text and b"watch" not in text and b"\nformat = 1\n" in b"\n" + text:
            return None, None
    except FileNotFoundError:
        return None, None
    except OSError:
        pass  # told below, in the words of whoever reads settings
    from stepfork.config.project import read_settings

    settings = read_settings(place)
    if settings.watch is None:
        return settings.select_base, None
    from stepfork.select.watch import Watch

    return settings.select_base, Watch(settings.watch, store.rpartition("/")[0], f"{store}/config.toml")


def _store(checkout: Checkout, folder: str, override: str | None) -> str | None:
    """The store's path from the top of the repository; None where there is none here or above, up to that top."""
    if override is not None:
        place = os.path.realpath(os.path.join(folder, override))
        inner = os.path.relpath(place, checkout.root).replace(os.sep, "/")
        if inner.startswith("..") or inner == ".":
            raise UsageError("the store is not inside this repository", where=override)
        return inner
    for candidate in _candidates(checkout):
        if os.path.isdir(os.path.join(checkout.root, candidate)):
            return candidate
    return None


def vanished(checkout: Checkout, changes: Changes) -> str:
    """The store whose every file the change deleted, so that its very folder is gone; UsageError without one."""
    for candidate in _candidates(checkout):
        if any(path.startswith(candidate + "/") for path in changes.deleted):
            return candidate
    for candidate in _candidates(checkout):
        if checkout.git.run("ls-files", "-z", "--", f":(top,literal){candidate}").out:
            raise UsageError(f"this sparse checkout leaves {candidate} out", fix=f"git sparse-checkout add {candidate}")
    raise UsageError("there is no .stepfork here or above", fix="stepfork init makes one")


def _candidates(checkout: Checkout) -> list[str]:
    parts = [part for part in checkout.prefix.split("/") if part]
    return ["/".join([*parts[:count], _STORE]) for count in range(len(parts), -1, -1)]
