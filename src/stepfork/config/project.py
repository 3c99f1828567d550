"""`config.toml` of a store: format and options, checked on the way in."""

from __future__ import annotations

import os
from typing import Any

from stepfork.config.document import read_document
from stepfork.config.normalize import read_own, read_today, read_volatile
from stepfork.config.process import from_here
from stepfork.config.redaction import rules_of
from stepfork.config.routes import RouteSetting, read_routes
from stepfork.config.watch import read_watch
from stepfork.errors import ConfigError
from stepfork.normalize.own import NO_OWN, OwnRules
from stepfork.redact.rules import NO_RULES, Rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stepfork.normalize.request_key import KeyRules

FORMAT = 1
TESTS = "tests/stepfork"
"""Where tests are drafted, from the folder that holds the store, unless a project says otherwise."""

_KNOWN: dict[str, dict[str, type]] = {"select": {"base": str}}


class Settings:
    """What a project set.

    `select_base` is the ref that `select --changed` compares with, None for the default. `routes` are the services
    that are recorded beside the built-in ones, in order of their names. `volatile` names, by tool, the JSON pointers
    of what in the tool's result does not count when requests are matched. `today` says that the day of a capture is no
    data where it stands as a date alone. `tests` is the folder of drafted tests, from
    the one that holds the store; None where none are drafted. `redact` and `normalize` are the project's own rules of
    redaction and of what is volatile. `watch` has the patterns of the files that fixtures depend on, by their names;
    None where nothing says so.
    """

    __slots__ = ("normalize", "redact", "routes", "select_base", "tests", "today", "volatile", "watch")

    def __init__(
        self,
        *,
        select_base: str | None = None,
        routes: tuple[RouteSetting, ...] = (),
        volatile: dict[str, tuple[str, ...]] | None = None,
        tests: str | None = TESTS,
        today: bool = False,
        redact: Rules = NO_RULES,
        normalize: OwnRules = NO_OWN,
        watch: dict[str, tuple[str, ...]] | None = None,
    ) -> None:
        self.select_base = select_base
        self.routes = routes
        self.volatile = volatile or {}
        self.tests = tests
        self.today = today
        self.redact = redact
        self.normalize = normalize
        self.watch = watch

    @property
    def key_rules(self) -> KeyRules:
        """What request keys are computed with."""
        from stepfork.normalize.request_key import KeyRules

        return KeyRules(self.volatile)


def read_settings(root: str | os.PathLike[str]) -> Settings:
    """The settings of the store at `root`; defaults where it has no config.toml.

    Raises ConfigError, naming the key, for what is no TOML, an unknown key, a value of another type or another format.
    """
    path = os.path.join(root, "config.toml")  # noqa: PTH118 - `select` starts here and does without pathlib
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            data = file.read()
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise ConfigError(f"cannot be read ({error.strerror})", where=from_here(path)) from None
    path = from_here(path)
    document = read_document(data, path)
    routes = read_routes(document.pop("routes", {}), path)
    normalize = document.pop("normalize", {})
    volatile = read_volatile(normalize, path)
    tests = _read_tests(document.pop("capture", {}), path)
    redact = rules_of(document.pop("redact", {}), path)
    watch = read_watch(document.pop("watch"), path) if "watch" in document else None
    _check(document, path)
    base = document.get("select", {}).get("base")
    return Settings(
        select_base=base,
        routes=routes,
        volatile=volatile,
        tests=tests,
        today=read_today(normalize, path),
        redact=redact,
        normalize=read_own(normalize, path),
        watch=watch,
    )


def _check(document: dict[str, Any], path: str) -> None:
    version = document.pop("format", FORMAT)
    if not isinstance(version, int) or isinstance(version, bool):
        raise ConfigError("format is not a number", where=path, fix=f"write format = {FORMAT}")
    if version != FORMAT:
        raise ConfigError("has a format that this stepfork does not know", where=path, fix="upgrade stepfork")
    for table, members in document.items():
        known = _KNOWN.get(table)
        if known is None or not isinstance(members, dict):
            raise ConfigError(f"unknown key {table[:40]!r}", where=path, fix="see docs/reference/configuration.md")
        for name, value in members.items():
            if name not in known:
                has = f"[{table}] has {', '.join(known)}"
                raise ConfigError(f"unknown key {table}.{name[:40]!r}", where=path, fix=has)
            if not isinstance(value, known[name]):
                raise ConfigError(f"{table}.{name} is not a string", where=path, fix="put it in quotes")


def _read_tests(table: Any, path: str) -> str | None:
    """`[capture] tests`: a folder, or false for none."""
    if not isinstance(table, dict):
        raise ConfigError("capture is not a table", where=path, fix="write [capture]")
    for name in table:
        if name != "tests":
            raise ConfigError(f"unknown key capture.{name[:40]!r}", where=path, fix="[capture] has tests")
    tests = table.get("tests", TESTS)
    if tests is False:
        return None
    if not isinstance(tests, str) or not tests:
        raise ConfigError("capture.tests is neither a folder nor false", where=path, fix=f'write "{TESTS}"')
    return tests
