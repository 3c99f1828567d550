"""Regular expressions that config.toml gives: refused where they cannot do what they are for."""

from __future__ import annotations

import re
import warnings
from typing import Any

from stepfork.errors import ConfigError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}\Z")
_PROBES = ("", "a", "Z9", " ", "_-.:/\n", "key = value")
"""Texts in which a pattern that finds nothing at all, a place between two characters, shows itself."""
_TOKEN = re.compile(
    r"""(?P<open>\((?:\?(?:P?<[^>=!]*>|<?[=!]|[:>|(]|[aiLmsux-]*:))?)
    | (?P<close>\))
    | (?P<many>[*+]|\{[0-9]*,\})[?+]?
    | (?P<maybe>\?|\{0*(?:,[0-9]+)?\})[?+]?
    | (?P<times>\{[0-9]+(?:,[0-9]+)?\})[?+]?
    | (?P<or>\|)
    | (?P<any>\.|\[(?:\\s\\S|\\S\\s|\\d\\D|\\D\\d|\\w\\W|\\W\\w)\])
    | (?P<edge>\^|\$|\\[bBAZ])
    | (?P<one>\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|.)""",
    re.DOTALL | re.VERBOSE,
)


def checked_patterns(table: Any, where: str) -> dict[str, str]:
    """The patterns of `[redact.patterns]` by the name of their rule. Raises ConfigError, naming the key."""
    if not isinstance(table, dict):
        raise ConfigError("redact.patterns is not a table", where=where, fix="write [redact.patterns]")
    for name, source in table.items():
        key = f"redact.patterns.{name[:40]}" if _NAME.match(name) else f"redact.patterns.{name[:40]!r}"
        if not _NAME.match(name):
            raise ConfigError(f"{key} is no name of a rule", where=where, fix="use letters, digits, -, _ and .")
        check_expression(key, source, where)
    return dict(table)


def check_expression(key: str, source: Any, where: str) -> None:
    """Raises ConfigError where the value of `key` is no regular expression, finds the empty text, or could take time
    without end on a text that it does not fit."""
    if not isinstance(source, str) or not source:
        raise ConfigError(f"{key} is not a regular expression", where=where, fix="put it in quotes")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compiled = re.compile(source)
    except (re.error, Warning, RecursionError, OverflowError) as error:
        reason = f"{type(error).__name__}" if not isinstance(error, re.error | Warning) else str(error)[:80]
        raise ConfigError(f"{key} does not compile", where=where, fix=reason) from None
    if any(match.end() == match.start() for probe in _PROBES for match in compiled.finditer(probe)):
        raise ConfigError(f"{key} matches the empty text", where=where, fix="ask for one character at least")
    if runs_away(source):
        raise ConfigError(
            f"{key} repeats what already repeats, which may take time without end",
            where=where,
            fix="repeat once, or put a fixed character between the parts",
        )


class _Group:
    """What is known of a group while it is read: whether some alternative has nothing that is always there, whether
    something without an end stands in it, and whether that takes any character."""

    def __init__(self) -> None:
        self.is_loose = False
        self.repeats = self.takes_any = False
        self.fixed = 0

    def ended_alternative(self) -> None:
        self.is_loose = self.is_loose or not self.fixed
        self.fixed = 0


def runs_away(source: str) -> bool:
    """Whether a group that repeats without an end holds nothing but what does so itself: ``(a+)+``, ``(\\w+\\s*)*``, or
    holds ``.*``. Not every such pattern is found, and a verbose one is not looked into."""
    groups = [_Group()]
    last: tuple[str, _Group | None] = ("", None)
    for token in _TOKEN.finditer(source):
        kind, here = token.lastgroup or "", groups[-1]
        if kind == "open":
            groups.append(_Group())
        elif kind == "close" and len(groups) > 1:
            here.ended_alternative()
            inner = groups.pop()
            last = ("group", inner)
            groups[-1].fixed += not inner.is_loose
            groups[-1].repeats |= inner.repeats
            groups[-1].takes_any |= inner.takes_any
        elif kind == "or":
            here.ended_alternative()
        elif kind in ("many", "maybe"):
            what, inner_group = last
            inside = inner_group if kind == "many" else None
            if inside is not None and inside.repeats and (inside.is_loose or inside.takes_any):
                return True
            here.fixed -= what != "" and (inner_group is None or not inner_group.is_loose)
            here.repeats |= kind == "many"
            here.takes_any |= kind == "many" and what == "any"
            last = ("", None)
        elif kind not in ("edge", "times"):
            here.fixed += 1
            last = (kind, None)
    return False
