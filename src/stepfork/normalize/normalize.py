"""A run with placeholders for what differs between two captures of it.

Two passes. The first reads the structure: which values the providers' own fields call an id (`telling`). The second
replaces, part by part, in the order in which a fixture is read: command, exchanges, trace (`normalizer`).
"""

from __future__ import annotations

from collections.abc import Sequence

from stepfork.normalize.known import Context
from stepfork.normalize.normalizer import Normalizer
from stepfork.normalize.own import OwnRules
from stepfork.normalize.telling import told_by
from stepfork.trace.exchange import Exchange
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Trace

_NEVER = -(1 << 80)
"""Nanoseconds: no clock has said this."""


def normalize_run(run: Run, context: Context | None, *, templated: bool = False) -> Run:
    """`run` with placeholders; pure, and the same for two runs that differ in clocks and generated ids only.

    `templated`: the run was normalised before, so placeholders in it are placeholders and not text that looks like
    them; the result then equals `run`. Without a `context` no times in text and no known values are looked for.
    """
    return normalize_parts(run.source, list(run.exchanges), run.trace, context, templated=templated)


def normalize_parts(
    source: Source, exchanges: list[Exchange], trace: Trace, context: Context | None, *, templated: bool = False
) -> Run:
    """`normalize_run` of a run in its parts. `exchanges` is used up: what is made of a large run takes its place
    instead of standing beside it."""
    normalizer = Normalizer(context, told_by(exchanges, trace, context), templated=templated)
    source = normalizer.source(source)
    made: list[Exchange] = []
    exchanges.reverse()
    while exchanges:
        made.append(normalizer.exchange(exchanges.pop()))
    return Run(source=source, exchanges=tuple(made), trace=normalizer.trace(trace))


def normalize_exchange(exchange: Exchange, context: Context | None, *, templated: bool = False) -> Exchange:
    """One exchange alone, its ids and addresses numbered within it."""
    return Normalizer(context, told_by((exchange,), context=context), templated=templated).exchange(exchange)


def normalize_again(exchanges: Sequence[Exchange], own: OwnRules) -> tuple[Exchange, ...]:
    """Exchanges of a fixture under a project's rules of today: what they add was not templated yet, and what was stays
    so. Equal to `exchanges` where the rules were the same."""
    context = Context(_NEVER, _NEVER, own=own)
    normalizer = Normalizer(context, told_by(exchanges, context=context), templated=True)
    return tuple(map(normalizer.exchange, exchanges))
