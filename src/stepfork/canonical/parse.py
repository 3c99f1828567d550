"""JSON in, and nothing lost: what canonical JSON could not give back is refused by name."""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

from stepfork.canonical.encode import MAX_DEPTH, plain_dumps, survey
from stepfork.errors import CanonicalError

_BIG = re.compile(rb"e\+[0-9]+,?\n")


def parse(data: bytes | str, *, limit: int = MAX_DEPTH) -> Any:
    """The value of a JSON document that canonical JSON carries exactly.

    Raises CanonicalError with the rule's name (and line and column where the text is not JSON): invalid UTF-8,
    invalid JSON, duplicate keys, non-finite numbers, integers past 64 bits, lone surrogates, nesting past `limit`.
    """
    raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    return parse_encoded(raw, limit=limit)[0]


def parse_encoded(raw: bytes, *, limit: int = MAX_DEPTH) -> tuple[Any, bytes | None]:
    """The value as `parse` gives it, and its canonical bytes where they fell out of the checks."""
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return _closely(raw, limit), None
    out = plain_dumps(value, limit)
    # orjson reads an integer past 64 bits as a float, which is then written with an exponent; and it keeps the last of
    # two equal keys, so that what is written has fewer quotes than the text (a quote that is spelled as \u0022 apart).
    if out is None or raw.count(b'"') != out.count(b'"') or b"\\u0022" in raw or _BIG.search(out):
        return _closely(raw, limit), None
    return value, out


def _closely(raw: bytes, limit: int) -> Any:
    """The slow way, which knows why."""
    try:
        text = raw.decode("utf-8")
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except UnicodeDecodeError as error:
        raise CanonicalError(f"invalid UTF-8 at byte {error.start}") from None
    except RecursionError:
        raise CanonicalError(f"nested more than {limit} levels deep") from None
    except json.JSONDecodeError as error:
        raise CanonicalError(f"invalid JSON at line {error.lineno} column {error.colno}") from None
    except ValueError:  # Python refuses to read integers of more than some thousand digits
        raise CanonicalError("an integer outside 64 bits has no canonical form") from None
    survey(value, limit)
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise CanonicalError("a lone surrogate has no canonical form") from None
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise CanonicalError("an object has two members of the same name")
    return made


def _constant(_name: str) -> Any:
    raise CanonicalError("a number that is not finite has no canonical form")
