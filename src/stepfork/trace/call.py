"""An instrumented call: what a program's own decorators tell of a tool or a model, before it is a step.

Events of one recording are counted: a call begins at one count and ends at a later one. Counts say what came before
what in every thread and task, and are no clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from stepfork.trace.body import JsonValue
from stepfork.trace.step import StepError, StepType

Fork = tuple[int, int]
"""A line of control (a task, a thread) by its number, and the count of events at which it was started."""
PROCESSES: Final = 1 << 31
"""The bit that numbers of lines have which are processes: nobody tells when those are waited for."""


class Asked(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an instrumented call is, before anybody answers it.

    ``arguments`` are tagged values (see ``instrument/tagged.py``): of a tool an object by the names of its parameters,
    as they were passed; of a model the request as its SDK would send it. ``api`` is what form a model's request and
    answer have (``stepfork.providers.apis``), ``other`` where that is not known; ``provider`` the route it would take.
    """

    type: StepType
    name: str
    arguments: JsonValue
    model: str | None = None
    provider: str = ""
    api: str = ""


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a call ended: a tagged ``result``, or an ``error`` and, tagged, the exception that was ``raised``."""

    result: JsonValue | msgspec.UnsetType = msgspec.UNSET
    error: StepError | None = None
    raised: JsonValue | msgspec.UnsetType = msgspec.UNSET


class Call(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call that was seen. ``number`` counts calls from 0 in order of their beginning.

    ``parent`` is the number of the call in whose body this one was made; ``forks`` are the lines of control that were
    started between that body (or the recorded block) and this call, outermost first; ``joined``, beside them, are the
    counts at which those who started them had waited for them, 0 where that is not known. ``begun`` and ``ended`` are
    counts of events, ``started_ns`` and ``ended_ns`` Unix nanoseconds. ``ended`` is None, and so is ``outcome``, where
    the recording ended first.
    """

    number: int
    asked: Asked
    begun: int
    started_ns: int
    parent: int | None = None
    forks: tuple[Fork, ...] = ()
    ended: int | None = None
    ended_ns: int | None = None
    outcome: Outcome | None = None
    joined: tuple[int, ...] = ()


def with_joins(call: Call, joined: Mapping[int, int]) -> Call:
    """`call`, with the counts at which its lines of control had been waited for by those who started them."""
    if not any(joined.get(line) for line, _ in call.forks):
        return call
    return msgspec.structs.replace(call, joined=tuple(joined.get(line, 0) for line, _ in call.forks))
