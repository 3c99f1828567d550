"""How a known value may be spelled where undoing escapes does not show it: other line ends, quotes of a shell, forms,
hex, base64. Standard library only."""

from __future__ import annotations

import binascii

from stepfork.redact.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_HIGH = pattern("[\x80-\xff]+")
_SHORTEST_CORE = 9
"""A shorter base64 text stands in many a word."""


def spellings(value: str) -> set[str]:
    """The value as a text may have it that no `view` changes."""
    made = {spelled for text in _line_ends(value) for spelled in (text, text.replace("\n", "\\n"))}
    made.add(value.replace(" ", "+"))  # application/x-www-form-urlencoded
    made |= {value.replace("'", quoted) for quoted in ("'\"'\"'", "'\\''")}  # within single quotes of a shell
    if not value.isascii():
        made.add(_HIGH.sub(lambda run: _misread(run.group()), value))
    spelled = binascii.hexlify(_bytes(value)).decode("ascii")
    return made | {spelled, spelled.upper()}


def base64_cores(value: str) -> set[str]:
    """The characters that every base64 text shows which holds the value: alone or inside of other bytes, as it is, as
    JSON has it, in UTF-16."""
    held = {_bytes(text) for text in _line_ends(value)}
    held |= set(map(_bytes, _in_json(value)))
    held.add(value.encode("utf-16-le", "surrogatepass"))
    return {core for data in held for core in _cores(data) if len(core) >= _SHORTEST_CORE}


def _in_json(value: str) -> Iterator[str]:
    if any(char in value for char in '\\"') or not (value.isascii() and value.isprintable()):
        import json  # which the check of clean files does without

        for ascii_only in (True, False):
            yield json.dumps(value, ensure_ascii=ascii_only)[1:-1]


def _misread(run: str) -> str:
    """Characters whose numbers, taken for bytes, are UTF-8: so reads ``\\xc2\\xa0``, where bytes are meant mostly."""
    try:
        return run.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return run


def _line_ends(value: str) -> Iterator[str]:
    yield value
    if "\n" in value or "\r" in value:
        unix = value.replace("\r\n", "\n").replace("\r", "\n")
        yield from (unix, unix.replace("\n", "\r\n"), unix.replace("\n", "\r"), unix.strip("\n"))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _cores(data: bytes) -> Iterator[str]:
    """At a byte offset of 0, 1 and 2 modulo 3, in both alphabets."""
    for shift in range(3):
        encoded = binascii.b2a_base64(b"\0" * shift + data, newline=False).decode("ascii")
        core = encoded[-(-shift * 8 // 6) : (shift + len(data)) * 8 // 6]
        yield core
        yield core.replace("+", "-").replace("/", "_")
