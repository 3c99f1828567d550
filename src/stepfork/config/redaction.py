"""`[redact]` of config.toml: what a project adds to the rules of redaction.

A hook that finds no secret pays for what is loaded here, so TOML and regular expressions wait until the file has some.
"""

# Without pathlib, which takes longer to load than a clean file to scan.
# ruff: noqa: PTH100, PTH112, PTH118, PTH120, PTH123

from __future__ import annotations

import os

from stepfork.errors import ConfigError, UsageError
from stepfork.redact.rules import CLASSES, NO_RULES, Accepted, Rules
from stepfork.store.place import is_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

STORE = ".stepfork"
CONFIG = "config.toml"
_LONGEST = 100
_LISTS = ("keys", "variables", "personal", "names")
_HAS = "[redact] has keys, variables, patterns, personal, names, accepted"
_ENTRY = "write rule, blake3 and reason below [[redact.accepted]], as stepfork check-redaction --hash prints them"


def store_root(folder: str, override: str | None) -> str | None:
    """The store that `override` names, or the nearest ``.stepfork`` at or above `folder`; None where there is none.

    Raises UsageError where what is named is no store.
    """
    if override:
        root = os.path.join(folder, override)
        if not os.path.isdir(root):
            raise UsageError("there is no such store", where=override, fix="stepfork init makes one")
        if not is_store(root):
            raise UsageError("is a folder and no store", where=override, fix=f"name the {STORE} that init made")
        return root
    here = os.path.abspath(folder)
    while True:
        root = os.path.join(here, STORE)
        if os.path.isdir(root):
            return root
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above


def project_rules(folder: str, override: str | None) -> Rules:
    """The rules of the store that a command in `folder` uses (see `store_root`); none where there is no store."""
    root = store_root(folder, override)
    return NO_RULES if root is None else read_rules(root)


def read_rules(root: str) -> Rules:
    """The rules of the store at `root`. Raises ConfigError, naming the key; other tables are not looked at."""
    path = os.path.join(root, CONFIG)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return NO_RULES
    except OSError as error:
        raise ConfigError(f"cannot be read ({error.strerror})", where=_from_here(path)) from None
    if b"redact" not in data and b"\\" not in data and _may_be_toml(data):  # nor spelled with escapes
        return NO_RULES
    return rules_in(data, _from_here(path))


def _may_be_toml(data: bytes) -> bool:
    """Whether the bytes are UTF-8, and no UTF-16 in which every other word would be missed too."""
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False


def rules_in(data: bytes, where: str) -> Rules:
    """The rules that the bytes of a config.toml say; `where` is what messages call it."""
    from stepfork.config.document import read_document

    return rules_of(read_document(data, where).get("redact", {}), where)


def rules_of(table: Any, where: str) -> Rules:
    """The rules of a `[redact]` table, checked. Raises ConfigError, naming the key and never an entry of it."""
    if not isinstance(table, dict):
        raise ConfigError("redact is not a table", where=where, fix="write [redact]")
    if not table:
        return NO_RULES
    for name in table:
        if name not in (*_LISTS, "patterns", "accepted"):
            raise ConfigError(f"unknown key redact.{name[:40]!r}", where=where, fix=_HAS)
    keys, variables, personal, names = (_texts(name, table.get(name, []), where) for name in _LISTS)
    _check_all("keys", keys, lambda key: len(key) <= _LONGEST and any(map(str.isalnum, key)), where, "name a member")
    _check_all("variables", variables, lambda name: "=" not in name and name.isprintable(), where, "name a variable")
    _check_all("personal", personal, CLASSES.__contains__, where, f"it may have {', '.join(CLASSES)}")
    _check_all("names", names, lambda name: sum(map(str.isalpha, name)) > 1, where, "name a person")
    patterns = table.get("patterns", {})
    if patterns:
        from stepfork.config.expression import checked_patterns

        patterns = checked_patterns(patterns, where)
    elif not isinstance(patterns, dict):
        raise ConfigError("redact.patterns is not a table", where=where, fix="write [redact.patterns]")
    return Rules(
        keys=keys,
        variables=variables,
        patterns=patterns,
        personal=personal,
        names=names,
        accepted=_accepted(table.get("accepted", []), where),
    )


def _texts(name: str, value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        raise ConfigError(f"redact.{name} is not a list of names", where=where, fix=f'write {name} = ["…"]')
    return tuple(value)


def _check_all(name: str, entries: tuple[str, ...], is_right: Any, where: str, fix: str) -> None:
    for number, entry in enumerate(entries, 1):
        if not is_right(entry):
            raise ConfigError(f"entry {number} of redact.{name} cannot be used", where=where, fix=fix)


def _accepted(entries: Any, where: str) -> tuple[Accepted, ...]:
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ConfigError("redact.accepted is not a list of tables", where=where, fix=_ENTRY)
    return tuple(_entry(entry, number, where) for number, entry in enumerate(entries, 1))


def _entry(entry: dict[str, Any], number: int, where: str) -> Accepted:
    wrong = f"entry {number} of redact.accepted"
    for member in entry:
        if member not in ("rule", "blake3", "reason"):
            raise ConfigError(f"{wrong} has an unknown key {member[:40]!r}", where=where, fix=_ENTRY)
    for member in ("rule", "blake3", "reason"):
        value = entry.get(member)
        if not isinstance(value, str) or not value.strip():
            fix = "say why it is no secret" if member == "reason" else _ENTRY
            raise ConfigError(f"{wrong} has no {member}", where=where, fix=fix)
    digest = entry["blake3"].lower()
    if len(digest) != 64 or digest.strip("0123456789abcdef"):
        raise ConfigError(f"{wrong} has a blake3 that is no digest", where=where, fix=_ENTRY)
    return Accepted(entry["rule"], digest, entry["reason"])


def _from_here(path: str) -> str:
    from stepfork.config.process import from_here

    return from_here(path)
