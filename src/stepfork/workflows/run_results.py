"""The file in which pytest tells `stepfork run` what became of each test (see ``pytest_plugin/results.py``)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

PLUGIN = "stepfork.pytest_plugin.results"
OPTION = "--stepfork-results"


class Raised(msgspec.Struct, frozen=True):
    """What was raised, nothing where ``type`` is empty. ``difference``: it is how a test says that something is not as
    it should be. Of our own errors: their classes, the nearest first, and the message."""

    type: str = ""
    difference: bool = False
    classes: tuple[str, ...] = ()
    message: str = ""


class Report(msgspec.Struct, frozen=True):
    """One phase of one test, as pytest reports it. ``raised`` None: somebody else's hook made the report."""

    test: str
    when: str
    outcome: str
    xfail: bool
    raised: Raised | None


class Collecting(msgspec.Struct, frozen=True):
    """A file that could not be collected, or skipped itself."""

    outcome: Literal["failed", "skipped"]
    message: str


class Results(msgspec.Struct, frozen=True):
    """All of it; ``exit_status`` is the one that pytest itself came to."""

    exit_status: int
    collected: tuple[str, ...]
    deselected: int
    collecting: tuple[Collecting, ...]
    reports: tuple[Report, ...]


def read_results(path: Path) -> Results | None:
    """What was told; None where nothing was, or not all."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Results)
    except (OSError, msgspec.DecodeError):
        return None
