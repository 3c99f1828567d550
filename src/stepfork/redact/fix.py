"""A file without its secrets: only the characters of each secret change, and the file still parses.

What a check finds is redacted as a capture would have redacted it. Findings that the project accepts stay.
"""

from __future__ import annotations

import json

from stepfork.errors import ScanError
from stepfork.redact.decoding import decode
from stepfork.redact.fix_redactor import FixRedactor
from stepfork.redact.kinds import JSON, JSON_LINES, VARIABLES, YAML, kind_of
from stepfork.redact.marker import MARKER
from stepfork.redact.pattern import pattern
from stepfork.rewrite.json_text import is_json_text
from stepfork.rewrite.place import Place, apply_edits
from stepfork.rewrite.text import find_edits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stepfork.redact.secrets import Secrets

_BARE = pattern(r"(?m)([=,\[][ \t]*)\[redacted\](?=[ \t]*(?:[,\]#\r\n]|\Z))")
"""The marker where TOML had a number."""


def fixed(data: bytes, secrets: Secrets, name: str) -> bytes:
    """The bytes of a file called `name` without their secrets. Raises ScanError, saying why, where they cannot be
    redacted in place."""
    decoded = decode(data, name)
    if decoded.binary or "\0" in decoded.text:
        raise ScanError(f"{decoded.binary or 'binary data'}, which cannot be redacted in place")
    if decoded.complaint:
        raise ScanError(decoded.complaint)
    made = redacted_text(decoded.text, secrets, decoded.name)
    return data if made == decoded.text else decoded.encode(made)


def redacted_text(text: str, secrets: Secrets, name: str) -> str:
    """A text without its secrets, by the kind of document that it is. Raises ScanError where it would not be one of
    that kind any more."""
    kind = kind_of(text, name)
    if kind == JSON:
        return _json(text, secrets)
    if kind == JSON_LINES:
        return "\n".join(
            _json(line, secrets) if is_json_text(line) else _plain(line, secrets) for line in text.split("\n")
        )
    if kind == YAML:
        return _yaml(text, secrets)
    if kind == VARIABLES:
        return _variables(_plain(text, secrets), secrets)
    made = _plain(text, secrets)
    return _toml(text, made) if name.lower().endswith(".toml") else made


def _json(text: str, secrets: Secrets) -> str:
    place, redactor = Place(()), FixRedactor(secrets)
    if '"events"' in text or '_events"' in text:
        redactor.read_streams(json.loads(text), place)
    return apply_edits(text, find_edits(text, place, redactor))


def _plain(text: str, secrets: Secrets) -> str:
    return apply_edits(text, FixRedactor(secrets).text(text, Place(())))


def _yaml(text: str, secrets: Secrets) -> str:
    from stepfork.redact.yaml_documents import YamlFile

    redactor = FixRedactor(secrets)
    try:
        file = YamlFile(text, secrets, redactor)
    except (ValueError, RecursionError):  # no YAML
        return _plain(text, secrets)
    try:
        return file.redacted(redactor.edits_of(text, file.loose))
    except (ValueError, RecursionError):
        raise ScanError("would be another YAML document without its secrets") from None


def _variables(text: str, secrets: Secrets) -> str:
    from stepfork.redact.variables import variable_secrets

    redactor = FixRedactor(secrets)
    return apply_edits(text, redactor.edits_of(text, list(variable_secrets(text, secrets))))


def _toml(text: str, made: str) -> str:
    """A value that was no text needs quotes."""
    import tomllib

    def parses(text: str) -> bool:
        try:
            tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError):
            return False
        return True

    if not parses(text) or parses(made):
        return made
    made = _BARE.sub(rf'\1"{MARKER}"', made)
    if not parses(made):
        raise ScanError("would be no TOML without its secrets")
    return made
