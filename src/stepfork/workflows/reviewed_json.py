"""A JSON file that a person wrote and reviewed: what canonical JSON could not give back is refused, with its place."""

from __future__ import annotations

import json
import math
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stepfork.canonical.parse import parse
from stepfork.canonical.places import dotted
from stepfork.config.process import from_here
from stepfork.drafting.regression_test import MAX_DEPTH
from stepfork.errors import CanonicalError, UsageError
from stepfork.trace.body import JsonValue

_MARK = b"\xef\xbb\xbf"
MAX_BYTES = 64 << 20
"""Of a file that somebody reviewed."""

_DIGITS = 40
"""Digits of an integer that is read as one; of a longer one it is known that it is past 64 bits."""


_SHOWN = 200
"""Characters of a place that are shown."""


class _Twice(dict[str, Any]):
    """An object of which two members have one name."""

    name = ""


class _Huge(int):
    """An integer past 64 bits, whichever."""


def read_reviewed(path: Path) -> tuple[JsonValue, bytes]:
    """The value of a JSON file, and the file's bytes. A byte order mark at its start is passed over.

    Raises UsageError, one line with the file and the place, for a file that cannot be read or is no JSON, and for a
    value that a test could not hold exactly: numbers that are not finite or past 64 bits, lone surrogates, two members
    of one name, nesting past 100 levels.
    """
    where = from_here(path)
    data = _bytes(path, where).removeprefix(_MARK)
    try:
        return parse(data, limit=MAX_DEPTH), data
    except CanonicalError as error:
        found = _fault(data)
        what = error.what if found is None else f"{found[1]} at '{dotted(found[0])[:_SHOWN]}'"
        raise UsageError(what, where=where, fix="mend the file") from None


def _bytes(path: Path, where: str) -> bytes:
    """Of a pipe that nobody writes to, or of a device, there would be no end."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise UsageError("is not a file", where=where)
        if found.st_size > MAX_BYTES:
            raise UsageError(f"is larger than {MAX_BYTES >> 20} MiB", where=where, fix="nobody reviews so much")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror})", where=where) from None
    except ValueError:
        raise UsageError("cannot be read (its name is no path)", where=where) from None


Fault = tuple[tuple[str | int, ...], str]
"""A place, and the rule that what stands there breaks."""


def _fault(data: bytes) -> Fault | None:
    """The first value that canonical JSON does not carry; None where that cannot be said."""
    try:
        value = json.loads(data.decode(), object_pairs_hook=_object, parse_int=_integer)
    except (ValueError, RecursionError):
        return None
    return next(_faults(value, ()), None)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    twice = _Twice(made)
    seen: set[str] = set()
    twice.name = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
    return twice


def _integer(digits: str) -> int:
    return int(digits) if len(digits) < _DIGITS else _Huge()


def _faults(value: Any, at: tuple[str | int, ...]) -> Iterator[Fault]:
    rule = _broken_rule(value)
    if rule is not None:
        yield at, rule
    elif isinstance(value, _Twice):
        yield (*at, value.name), "an object has two members of the same name"
    elif len(at) >= MAX_DEPTH:
        return
    elif isinstance(value, dict):
        for name, member in value.items():
            rule = _broken_rule(name)
            yield from _faults(member, (*at, name)) if rule is None else (((*at, name), rule),)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _faults(item, (*at, index))


def _broken_rule(value: Any) -> str | None:
    """What a scalar has that no form of JSON gives back."""
    if isinstance(value, str) and not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        return "half a character (a lone surrogate)"
    if isinstance(value, float) and not math.isfinite(value):
        return "a number that is not finite"
    if isinstance(value, int) and (isinstance(value, _Huge) or not -(2**63) <= value < 2**64):
        return "an integer outside 64 bits"
    return None
