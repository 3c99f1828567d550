"""`[normalize]` of config.toml, read and written: a project's own rules, whether the day counts, volatile results."""

from __future__ import annotations

import re
from typing import Any

from stepfork.config.document import quoted
from stepfork.errors import ConfigError
from stepfork.normalize.own import FIELDS, NO_OWN, PATTERNS, OwnRules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_HAS = f"[normalize] has today, {', '.join((*FIELDS, *PATTERNS))} and [normalize.tool.NAME]"
_ENTRY = re.compile(r'"(?:[^"\\]|\\.)*"')
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+\Z")


def read_volatile(table: Any, path: str) -> dict[str, tuple[str, ...]]:
    """The pointers of a `[normalize]` table, by tool. Raises ConfigError, naming the key."""
    tools = table.get("tool", {}) if isinstance(table, dict) else None
    if not isinstance(tools, dict):
        raise ConfigError("normalize is not as it should be", where=path, fix="write [normalize.tool.NAME]")
    for name in table:
        if name not in ("tool", "today", *FIELDS, *PATTERNS):
            raise ConfigError(f"unknown key normalize.{name[:40]!r}", where=path, fix=_HAS)
    return {name: _pointers(f"normalize.tool.{name[:40]}", tools[name], path) for name in sorted(tools)}


def read_today(table: Any, path: str) -> bool:
    """`today` of a `[normalize]` table that `read_volatile` has read."""
    today = table.get("today", False)
    if not isinstance(today, bool):
        raise ConfigError("normalize.today is neither true nor false", where=path, fix="write today = true")
    return today


def read_own(table: Any, path: str) -> OwnRules:
    """The fields and patterns of a `[normalize]` table that `read_volatile` has read. Raises ConfigError, naming the
    key."""
    fields = {name: _fields(name, table.get(name, []), path) for name in FIELDS}
    patterns = {name: _patterns(name, table.get(name, []), path) for name in PATTERNS}
    lists = {name: key for key in FIELDS for name in fields[key]}
    for key in FIELDS:
        for name in fields[key]:
            if lists[name] != key:
                raise ConfigError(
                    f"normalize.{key} and normalize.{lists[name]} both have {name[:40]!r}",
                    where=path,
                    fix="name it in one of the two",
                )
    return OwnRules(**fields, **patterns) if any((*fields.values(), *patterns.values())) else NO_OWN


def _fields(key: str, names: Any, path: str) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise ConfigError(
            f"normalize.{key} is not a list of names of fields", where=path, fix=f'write {key} = ["booking_ref"]'
        )
    return tuple(names)


def _patterns(key: str, sources: Any, path: str) -> tuple[str, ...]:
    if not isinstance(sources, list):
        raise ConfigError(
            f"normalize.{key} is not a list of regular expressions",
            where=path,
            fix=f'write {key} = ["ORD-[0-9a-f]{{12}}"]',
        )
    if sources:
        from stepfork.config.expression import check_expression

        for number, source in enumerate(sources, 1):
            check_expression(f"entry {number} of normalize.{key}", source, path)
    return tuple(sources)


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
        yield f"[normalize.tool.{tool if _BARE_KEY.match(tool) else quoted(tool)}]"
        yield f"volatile = [{', '.join(map(quoted, pointers))}]"


def merged_lines(lines: Iterable[str]) -> Iterator[str]:
    """Lines of several tables (as `field_lines` and `volatile_lines` write them) with each table once and each list
    whole, so that they can be copied together."""
    tables: dict[str, dict[str, dict[str, None]]] = {}
    table: dict[str, dict[str, None]] = {}
    for line in lines:
        key, is_list, entries = line.partition(" = [")
        if is_list:
            table.setdefault(key, {}).update(dict.fromkeys(_ENTRY.findall(entries)))
        else:
            table = tables.setdefault(line, {})
    for header, lists in tables.items():
        yield header
        yield from (f"{key} = [{', '.join(entries)}]" for key, entries in lists.items())


def field_lines(fields: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """The table that says `fields`, by their key (`id_fields`, …); none where there are none."""
    if fields:
        yield "[normalize]"
        yield from (f"{key} = [{', '.join(map(quoted, names))}]" for key, names in fields.items())
