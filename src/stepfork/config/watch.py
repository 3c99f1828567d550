"""`[watch]` of config.toml: the files that fixtures depend on, by the fixtures' names."""

from __future__ import annotations

from typing import Any

from stepfork.errors import ConfigError

_EXAMPLE = 'write "refund" = ["agent.py", "prompts/**"]'
_WAY_UP = "only ../ at the beginning leads up"


def read_watch(table: Any, path: str) -> dict[str, tuple[str, ...]]:
    """The patterns of a `[watch]` table by name, or glob of names, of fixtures. Raises ConfigError, naming the key.

    A name that no fixture has is no error: the fixture may come later, or be gone.
    """
    if not isinstance(table, dict):
        raise ConfigError("watch is not a table", where=path, fix="write [watch]")
    return {name: _patterns(name, patterns, path) for name, patterns in table.items()}


def _patterns(name: str, patterns: Any, path: str) -> tuple[str, ...]:
    key = f"watch.{name[:40]!r}"
    if wrong := _fault(name) or (name.startswith("!") and "a name has no !"):
        raise ConfigError(f"{key} is no name of fixtures", where=path, fix=wrong)
    if isinstance(patterns, dict):
        raise ConfigError(f"{key} is not a list of paths", where=path, fix="put the fixture's whole name in quotes")
    if not isinstance(patterns, list) or not all(isinstance(pattern, str) for pattern in patterns):
        raise ConfigError(f"{key} is not a list of paths", where=path, fix=_EXAMPLE)
    for number, pattern in enumerate(patterns, 1):
        if wrong := _fault(_without_way_up(pattern.removeprefix("!"))):
            raise ConfigError(f"entry {number} of {key} cannot be used", where=path, fix=wrong)
    if all(pattern.startswith("!") for pattern in patterns):
        raise ConfigError(f"{key} names no file", where=path, fix="name one without ! first")
    return tuple(patterns)


def _without_way_up(pattern: str) -> str:
    while pattern.startswith("../"):
        pattern = pattern[3:]
    return pattern


def _fault(pattern: str) -> str:
    """What to do about a pattern that could fit nothing; empty where it is fine."""
    if "\\" in pattern:
        return "write / between folders"
    if not pattern.isprintable() and any(ord(char) < 32 for char in pattern):
        return "leave control characters out"
    if pattern.startswith("/"):
        return "begin at the folder that holds .stepfork, without /"
    parts = pattern.removesuffix("/").split("/")
    if "" in parts:
        return "write a name between two /"
    if "." in parts:
        return "leave ./ out"
    return _WAY_UP if ".." in parts else ""
