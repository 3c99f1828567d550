"""What most commands start from: the store, the repository around it, the working directory."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from stepfork.cli.console import err
from stepfork.cli.escape import escape
from stepfork.config.environment import environ, store_override
from stepfork.config.process import from_here
from stepfork.config.project import Settings, read_settings
from stepfork.git.repository import Repository
from stepfork.store.store import Store, find_store
from stepfork.workflows.locate import Locator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from stepfork.redact.secrets import Secrets

STORE_HELP = "The store to use instead of the nearest .stepfork (also STEPFORK_DIR)."


def open_store(override: str | None) -> Store:
    """The store that `--store`, STEPFORK_DIR or the nearest `.stepfork` names.

    Raises NotFoundError without one, and ConfigError where its config.toml cannot be used: a store of a newer format is
    neither read nor written.
    """
    store = find_store(Path.cwd(), override or store_override())
    read_settings(store.root)
    return store


def open_locator(override: str | None) -> Locator:
    """Reads words against the store and repository here; a store is asked for only where a word needs one."""
    from stepfork.errors import NotFoundError

    try:
        store = open_store(override)
    except NotFoundError:
        if override or store_override():
            raise
        store = None
    start = store.root.parent if store is not None else Path.cwd()
    return Locator(store, Repository.find(start, environ()), Path.cwd())


def settings_of(locator: Locator) -> Settings:
    """What the store that a locator reads says; defaults where there is none."""
    return Settings() if locator.store is None else read_settings(locator.store.root)


def secrets_here(override: str | None) -> Secrets:
    """What this environment, the ``.env`` file here and the rules of the project (that of `override`, where a command
    was told one) call a secret: a fixture may be older than a secret, or than a rule.

    Raises ConfigError for a ``.env`` that cannot be read: nothing is written without its secrets.
    """
    from stepfork.config.environment import read_dotenv

    return _secrets(override, read_dotenv("."))


def secrets_shown(override: str | None, *, warn: bool = True) -> Secrets:
    """As `secrets_here`, for what is only looked at: a ``.env`` that cannot be read is warned of."""
    from stepfork.config.environment import read_dotenv
    from stepfork.errors import ConfigError

    try:
        dotenv = read_dotenv(".")
    except ConfigError as error:
        dotenv = {}
        if warn:
            err(f"stepfork: {escape(str(error))}; shown without them")
    return _secrets(override, dotenv)


def _secrets(override: str | None, dotenv: Mapping[str, str]) -> Secrets:
    from stepfork.config.redaction import project_rules
    from stepfork.redact.secrets import Secrets

    return Secrets.collect(environ(), dotenv, project_rules(".", override or store_override()))


def redactor(store: str | None = None, *, warn: bool = True) -> Callable[[str], str]:
    """Redacts a text with what is a secret here by now."""
    from stepfork.redact.redactor import redact_text

    secrets = secrets_shown(store, warn=warn)
    return lambda text: redact_text(text, secrets)


def warn_of_unmerged(locator: Locator, *names: str) -> None:
    """Say on stderr which fixtures (of `names`, where some are given) git calls unmerged: what the work tree has of
    them is one side's run."""
    from stepfork.workflows.maintenance import unmerged_files

    if locator.store is not None and locator.repository is not None:
        for finding in unmerged_files(locator.store):
            if not names or set(names).intersection(finding.fixtures):
                err(f"stepfork: {escape(str(finding))}")


def tell_of_left(journal: str, word: str) -> None:
    """Say that a journal is left beside a whole bundle; nothing for ""."""
    if journal:
        from stepfork.workflows.maintenance import LEFT

        err(escape(f"{journal}: {LEFT}; stepfork fsck {word} removes it"))


def shown_path(path: Path) -> str:
    """`path` from the working directory, with forward slashes; absolute where it is on another drive."""
    return from_here(path)


def annotated_path(path: Path) -> str:
    """`path` as GitHub's annotations name files: from the root of the repository around the working directory, with
    forward slashes; empty where it is no file of that."""
    repository = Repository.find(Path.cwd(), environ())
    root = Path.cwd() if repository is None else Path(repository.root)
    try:
        return path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return ""


def typed_path(path: Path) -> str:
    """`shown_path`, as one types it in a shell."""
    return shlex.quote(shown_path(path))
