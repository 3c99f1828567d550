"""TOML: a file of it, read or refused in one line, and a string as it is written there."""

from __future__ import annotations

import tomllib
from typing import Any

from stepfork.errors import ConfigError


def read_document(data: bytes, where: str) -> dict[str, Any]:
    """What the bytes of a TOML file say. Raises ConfigError where they are none."""
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError("is not TOML", where=where, fix=str(error)[:80]) from None


def quoted(text: str) -> str:
    """A TOML string, spelled as in JSON but for DEL, which TOML wants escaped."""
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
