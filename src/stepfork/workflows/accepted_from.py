"""Which findings are accepted as a revision says it: a change that is checked cannot accept its own."""

# ruff: noqa: PTH118

from __future__ import annotations

import os

from stepfork.config.redaction import CONFIG, STORE, rules_in
from stepfork.errors import UsageError
from stepfork.git.checkout import open_checkout
from stepfork.git.index import read_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from stepfork.redact.rules import Rules


def rules_at(revision: str, folder: str, override: str | None, environ: Mapping[str, str]) -> Rules | None:
    """The rules of the store that `folder` has at `revision`: the nearest one there, or that which `override` names.
    None where that revision has no config.toml. Raises UsageError for what names no revision, GitError without a
    repository, ConfigError for rules that cannot be used."""
    checkout = open_checkout(folder, environ)
    commit = checkout.commits([revision])[0]
    if commit is None:
        raise UsageError(f"no such revision: {revision[:80]}", fix="fetch it, or name another")
    paths = list(_nearest(checkout.prefix) if override is None else _named(folder, override, checkout.root))
    for path, data in zip(paths, read_named(checkout, [f"{commit}:{path}" for path in paths]), strict=True):
        if data is not None:
            return rules_in(data, f"{revision}:{path}")
    return None


def _nearest(prefix: str) -> Iterator[str]:
    """Where a store of the folder `prefix` may have its config.toml, the nearest first."""
    steps = [step for step in prefix.split("/") if step]
    for length in range(len(steps), -1, -1):
        yield "/".join((*steps[:length], STORE, CONFIG))


def _named(folder: str, override: str, root: str) -> Iterator[str]:
    store = os.path.realpath(os.path.join(folder, override))
    path = os.path.relpath(os.path.join(store, CONFIG), root).replace(os.sep, "/")
    if path.startswith("../"):
        raise UsageError("is outside this repository, so no revision has it", where=override)
    yield path
