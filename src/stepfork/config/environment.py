"""The environment of this process and the `.env` file beside it. Standard library only until there is a `.env`."""

from __future__ import annotations

import os
import stat

from stepfork.errors import ConfigError

MAX_DOTENV = 1 << 20
"""Bytes of a `.env` file; a larger one is refused rather than captured without its secrets."""


def environ() -> dict[str, str]:
    """A copy of this process's environment, taken whole also while other threads change it."""
    pairs = ((name, os.environ.get(name)) for name in list(os.environ))
    return {name: value for name, value in pairs if value is not None}


def environ_mark() -> object:
    """What is equal for as long as no variable changes. A fiftieth of the cost of `environ`: it is asked for each event
    of a recording."""
    encoded = getattr(os.environ, "_data", None)
    return dict(encoded) if isinstance(encoded, dict) else environ()


def in_ci() -> bool:
    """Whether a CI system says that it runs this process (`CI` set to anything but nothing, 0 or false)."""
    return is_on("CI")


def is_on(name: str) -> bool:
    """Whether a variable says yes: anything but nothing, 0 or false."""
    return os.environ.get(name, "").lower() not in ("", "0", "false")


def calls_url() -> str | None:
    """`STEPFORK_CALLS`: where the instrumented calls of a watched program are told, None where nobody watches it."""
    return os.environ.get("STEPFORK_CALLS") or None


def starting_place() -> str:
    """`STEPFORK_PLACE`: where a process was started by another one that tells of its calls; empty where that is not
    known."""
    return os.environ.get("STEPFORK_PLACE", "")


def store_override() -> str | None:
    """`STEPFORK_DIR`: the store to use instead of the nearest `.stepfork`."""
    return os.environ.get("STEPFORK_DIR") or None


def refusals() -> str | None:
    """`STEPFORK_REFUSALS`: set by a frozen replay for the processes that are started in it, whose instrumented calls
    are refused; the file in which that is told."""
    return os.environ.get("STEPFORK_REFUSALS") or None


def git_seconds() -> float:
    """`STEPFORK_GIT_SECONDS`: how long git waits for the text of a fixture; 0: for ever, 10 where it is no number."""
    try:
        seconds = float(os.environ.get("STEPFORK_GIT_SECONDS", ""))
    except ValueError:
        return 10.0
    return max(seconds, 0.0) if seconds < 1e6 else 10.0


def read_dotenv(folder: str) -> dict[str, str]:
    """The values of `folder`'s `.env`, with dotenv semantics; none where there is no such file.

    A symlink to a regular file is followed. Raises ConfigError for anything that is no regular file, is larger than
    MAX_DOTENV or cannot be read as UTF-8.
    """
    path = os.path.join(folder, ".env")  # noqa: PTH118 - this module starts before pathlib is worth loading
    try:
        found = os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"cannot be read ({error.strerror})", where=path) from None
    if not stat.S_ISREG(found.st_mode):
        raise ConfigError(
            "is not a regular file", where=path, fix="its secrets must be known before anything is written"
        )
    if found.st_size > MAX_DOTENV:
        raise ConfigError(
            "is larger than 1 MiB", where=path, fix="its secrets must be known before anything is written"
        )
    return _parse(path)


def _parse(path: str) -> dict[str, str]:
    import logging
    from io import StringIO

    from dotenv import dotenv_values

    logging.getLogger("dotenv.main").setLevel(logging.ERROR)  # its warnings would quote the file's lines
    try:
        with open(path, encoding="utf-8-sig") as file:  # noqa: PTH123
            text = file.read()
    except (OSError, UnicodeDecodeError):
        raise ConfigError("cannot be read as UTF-8 text", where=path) from None
    values = dotenv_values(stream=StringIO(text), interpolate=False)
    return {name: value for name, value in values.items() if value is not None}
