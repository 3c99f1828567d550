"""A run, and the fixture that it becomes."""

from __future__ import annotations

from typing import Literal

import msgspec

from stepfork.trace.body import JsonValue
from stepfork.trace.exchange import Exchange
from stepfork.trace.step import Trace

SourceKind = Literal["command", "in_process", "otlp_file"]


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a run came from. ``cwd`` is relative to the folder that holds the store, with forward slashes;
    ``exit_code`` is None for what had no command. ``flags`` are the capture options that a refresh repeats."""

    kind: SourceKind
    replay_capable: bool
    command: tuple[str, ...] = ()
    cwd: str = "."
    exit_code: int | None = None
    flags: tuple[str, ...] = ()


class Run(msgspec.Struct, frozen=True):
    """What one run was: the value that capture makes and that redact and normalize map to another Run."""

    source: Source
    trace: Trace
    exchanges: tuple[Exchange, ...] = ()


class Fixture(msgspec.Struct, frozen=True):
    """A redacted, normalised run with a name, and what was found about it.

    ``verification`` is None until contracts were evaluated. ``extensions`` are kept as they were read.
    """

    name: str
    run: Run
    contracts: tuple[JsonValue, ...] = ()
    verification: JsonValue = None
    extensions: dict[str, JsonValue] = {}
