"""What a fixture may be called, so that it can be checked out anywhere and never leaves its folder."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from stepfork.errors import UsageError

MAX_BYTES = 200
"""Bytes of UTF-8 in a name."""

_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}
    | {f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"}
)


def check_name(name: str) -> str:
    """`name`, when a fixture may have it. Raises UsageError with the rule that it breaks.

    Letters and digits of any script (in NFC), ``.``, ``_``, ``-``, and ``/`` for folders; at most 200 bytes; no part
    that is empty, begins with a dot or a hyphen, ends with a dot, or is a device name; no folder named ``*.json``.
    """
    shown = ascii(name[:60])
    if not name or len(name.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise UsageError(f"a fixture name has 1 to {MAX_BYTES} bytes: {shown}")
    if unicodedata.normalize("NFC", name) != name:
        raise UsageError(f"the fixture name is not in Unicode form NFC: {shown}")
    parts = name.split("/")
    for index, part in enumerate(parts):
        _check_part(part, shown, folder=index < len(parts) - 1)
    return name


def _check_part(part: str, shown: str, *, folder: bool) -> None:
    if not part or part[0] in ".-" or part[-1] == ".":
        raise UsageError(f"a part of a fixture name is empty, begins with . or -, or ends with a dot: {shown}")
    if not all(char in "._-" or unicodedata.category(char)[0] in "LMN" for char in part):
        raise UsageError(f"a fixture name has letters, digits, . _ - and / only: {shown}")
    if part.partition(".")[0].casefold() in _DEVICES:
        raise UsageError(f"a fixture name has a part that is a device name on Windows: {shown}")
    if folder and part.casefold().endswith(".json"):
        raise UsageError(f"a folder of a fixture name ends with .json: {shown}")


def twin(name: str, others: Iterator[str] | list[str]) -> str | None:
    """Another name (or the one among `others` with a folder) that some file systems cannot tell from `name`."""
    own = dict(_folded(name))
    for other in others:
        for folded, spelled in _folded(other):
            if own.get(folded, spelled) != spelled:
                return other
    return None


def _folded(name: str) -> Iterator[tuple[str, str]]:
    """Each folder of a name and the name itself, without case, with its spelling."""
    parts = name.split("/")
    for count in range(1, len(parts) + 1):
        spelled = "/".join(parts[:count]) + ("/" if count < len(parts) else "")
        yield unicodedata.normalize("NFC", spelled.casefold()), spelled
