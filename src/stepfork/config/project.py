"""`config.toml` of a store: format and options, checked on the way in."""

from __future__ import annotations

import os
import tomllib
from typing import Any

from stepfork.errors import ConfigError

FORMAT = 1
_KNOWN: dict[str, dict[str, type]] = {"select": {"base": str}}


class Settings:
    """What a project set: `select_base` is the ref that `select --changed` compares with, None for the default."""

    __slots__ = ("select_base",)

    def __init__(self, *, select_base: str | None = None) -> None:
        self.select_base = select_base


def read_settings(root: str | os.PathLike[str]) -> Settings:
    """The settings of the store at `root`; defaults where it has no config.toml.

    Raises ConfigError, naming the key, for what is no TOML, an unknown key, a value of another type or another format.
    """
    path = os.path.join(root, "config.toml")  # noqa: PTH118 - `select` starts here and does without pathlib
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            document = tomllib.load(file)
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        raise ConfigError("cannot be read", where=path, fix=error.strerror) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError("is not TOML", where=path, fix=str(error)[:80]) from None
    _check(document, path)
    return Settings(select_base=document.get("select", {}).get("base"))


def _check(document: dict[str, Any], path: str) -> None:
    version = document.pop("format", FORMAT)
    if version != FORMAT or isinstance(version, bool):
        raise ConfigError("has a format that this stepfork does not know", where=path, fix="upgrade stepfork")
    for table, members in document.items():
        known = _KNOWN.get(table)
        if known is None or not isinstance(members, dict):
            raise ConfigError(f"unknown key {table[:40]!r}", where=path, fix="see docs/reference/configuration.md")
        for name, value in members.items():
            if name not in known:
                raise ConfigError(f"unknown key {table}.{name[:40]!r}", where=path)
            if not isinstance(value, known[name]):
                raise ConfigError(f"{table}.{name} is not a {known[name].__name__}", where=path)
