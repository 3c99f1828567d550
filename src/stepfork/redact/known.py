"""Values that are known to be secret, found in every spelling that a run may give them."""

from __future__ import annotations

from stepfork.redact.named import is_variable_secret
from stepfork.redact.names import strength
from stepfork.redact.own_names import OwnNames
from stepfork.redact.pattern import pattern
from stepfork.redact.randomness import looks_random
from stepfork.redact.rules import NO_RULES, Rules
from stepfork.redact.span import Span
from stepfork.redact.spellings import base64_cores, spellings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

MIN_LENGTH = 8
"""A shorter value is no target: it would hide ordinary text."""
MIN_LINE = 16
"""A line of a secret of several lines is a target of its own from this length on, and only if it looks random."""
MAX_BLOB = 4096
"""A base64 run that holds a secret goes as a whole up to this length."""

_RULE = "value of "
_USERINFO = pattern(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#@:]*:([^\s/?]+)@")
_BASE64_RUN = pattern(r"[A-Za-z0-9+/_-]+={0,2}")
_ESCAPE = pattern(r"%[0-9A-Fa-f]{2}|\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[nrtbf])")
_PERCENT = pattern(r"(?:%[0-9A-Fa-f]{2})+")


def secrets_of(variables: Mapping[str, str], rules: Rules = NO_RULES) -> dict[str, str]:
    """The secret values among `variables`, each with the name of its variable.

    They are told by `is_variable_secret` and the project's `rules`; of a URL with userinfo the password is a secret
    whatever the name.
    """
    own = OwnNames(rules.keys, rules.variables)
    found: dict[str, str] = {}
    for name in sorted(variables):
        value = variables[name].strip("\r\n")
        if len(value.strip()) >= MIN_LENGTH and (is_variable_secret(name, value) or own.holds(name)):
            for piece in _pieces(value):
                found.setdefault(piece, name)
        match = _USERINFO.match(value) if "://" in value else None
        if match is not None and len(match.group(1)) >= MIN_LENGTH:
            found.setdefault(match.group(1), name)
            decoded = _unquoted(match.group(1))
            if len(decoded) >= MIN_LENGTH:
                found.setdefault(decoded, name)
    return found


def _unquoted(text: str) -> str:
    return _PERCENT.sub(lambda match: bytes.fromhex(match.group().replace("%", "")).decode("utf-8", "replace"), text)


def _pieces(value: str) -> Iterator[str]:
    """The value, and what of it may show up alone: its lines, or the strings of a JSON document."""
    yield value
    yield value.strip()  # as most programs send it
    if value.lstrip().startswith("{"):
        yield from _leaves(_document(value), "")
    elif "\n" in value:
        for line in value.splitlines():
            stripped = line.strip()
            if len(stripped) >= MIN_LINE and looks_random(stripped) and not stripped.startswith("-----"):
                yield stripped


def _document(text: str) -> Any:
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _leaves(value: Any, name: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, name)
    elif isinstance(value, str) and len(value) >= MIN_LENGTH:
        if "\n" in value:
            yield from _pieces(value)
        elif strength(name) is not None or (len(value) >= MIN_LINE and _opaque(value)):
            yield value


def _opaque(value: str) -> bool:
    return looks_random(value) and not any(char.isspace() or char in "@:" for char in value)


class Known:
    """Known values, each with the name by which a finding speaks of it.

    `plain` and `base64` map what may stand in a text to the rule; `numbers` are values of digits alone, `documents`
    those that are JSON text.
    """

    __slots__ = ("base64", "documents", "numbers", "plain")

    def __init__(self, values: Mapping[str, str]) -> None:
        self.plain: dict[str, str] = {}
        self.base64: dict[str, str] = {}
        for value in sorted(values, key=lambda item: (-len(item), item)):
            rule = _RULE + values[value]
            for spelling in sorted(spellings(value)):
                self.plain.setdefault(spelling, rule)
            for core in sorted(base64_cores(value)):
                self.base64.setdefault(core, rule)
        self.numbers = {value: _RULE + name for value, name in values.items() if value.isascii() and value.isdigit()}
        self.documents = frozenset(value for value in self.plain if value[0] in '{["' and _document(value) is not None)

    @staticmethod
    def is_rule(rule: str) -> bool:
        """Whether a finding of that rule is one of a known value."""
        return rule.startswith(_RULE)


def blob_at(text: str, start: int, end: int, rule: str) -> Span:
    """The base64 run around a match: its ends hold the first and last bits of the secret."""
    left = text[max(0, start - MAX_BLOB) : start]
    first = start - (len(left) - len(left.rstrip(_BASE64)))
    escape = _ESCAPE.match(text, first - 1, start) if first else None
    if escape is not None:  # its end only looks like base64
        first = escape.end()
    run = _BASE64_RUN.match(text, end)
    last = run.end() if run else end
    if last - first > MAX_BLOB:
        return Span(max(first, start - 1), min(last, end + 1), rule)
    return Span(first, last, rule)


_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"
