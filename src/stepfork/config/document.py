"""A TOML file, read or refused in one line."""

from __future__ import annotations

import tomllib
from typing import Any

from stepfork.errors import ConfigError


def read_document(data: bytes, where: str) -> dict[str, Any]:
    """What the bytes of a TOML file say. Raises ConfigError where they are none."""
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError("is not TOML", where=where, fix=str(error)[:80]) from None
