"""`[normalize]` of config.toml: what in a tool's result does not count, read and written; whether the day counts."""

from __future__ import annotations

import re
from typing import Any

from stepfork.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+\Z")


def read_volatile(table: Any, path: str) -> dict[str, tuple[str, ...]]:
    """The pointers of a `[normalize]` table, by tool. Raises ConfigError, naming the key."""
    tools = table.get("tool", {}) if isinstance(table, dict) else None
    if not isinstance(tools, dict):
        raise ConfigError("normalize is not as it should be", where=path, fix="write [normalize.tool.NAME]")
    for name in table:
        if name not in ("tool", "today"):
            raise ConfigError(f"unknown key normalize.{name[:40]!r}", where=path, fix="write [normalize.tool.NAME]")
    return {name: _pointers(f"normalize.tool.{name[:40]}", tools[name], path) for name in sorted(tools)}


def read_today(table: Any, path: str) -> bool:
    """`today` of a `[normalize]` table that `read_volatile` has read."""
    today = table.get("today", False)
    if not isinstance(today, bool):
        raise ConfigError("normalize.today is neither true nor false", where=path, fix="write today = true")
    return today


def _pointers(key: str, members: Any, path: str) -> tuple[str, ...]:
    if not isinstance(members, dict):
        raise ConfigError(f"{key} is not a table", where=path, fix='write volatile = ["/field"] below it')
    for name in members:
        if name != "volatile":
            raise ConfigError(f"unknown key {key}.{name[:40]!r}", where=path, fix="a tool has volatile")
    pointers = members.get("volatile", [])
    if not isinstance(pointers, list) or not all(isinstance(pointer, str) for pointer in pointers):
        raise ConfigError(f"{key}.volatile is not a list of JSON pointers", where=path, fix='write ["/field"]')
    for pointer in pointers:
        if pointer and not pointer.startswith("/"):
            raise ConfigError(
                f"{key}.volatile has {pointer[:40]!r}, which is no JSON pointer", where=path, fix="begin it with /"
            )
        if any(part[:1] not in ("0", "1") for part in pointer.split("~")[1:]):
            raise ConfigError(
                f"{key}.volatile has {pointer[:40]!r}, which is no JSON pointer", where=path, fix="write ~0 for a ~"
            )
    return tuple(pointers)


def volatile_lines(rules: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """The tables that say `rules`, two lines each; names and pointers of any text."""
    for tool, pointers in rules.items():
        yield f"[normalize.tool.{tool if _BARE_KEY.match(tool) else _quoted(tool)}]"
        yield f"volatile = [{', '.join(map(_quoted, pointers))}]"


def _quoted(text: str) -> str:
    """A TOML string, spelled as in JSON but for DEL, which TOML wants escaped."""
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
