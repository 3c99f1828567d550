"""A fixture as a person reads it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from stepfork.cli.escape import escape
from stepfork.providers.apis import label
from stepfork.store.drafts import draft_causes
from stepfork.store.story import story_of
from stepfork.trace.fixture import Fixture
from stepfork.trace.step import Step

_WIDE = 100


def show_lines(fixture: Fixture) -> Iterator[str]:
    """Head, exchanges with what each added, steps."""
    run = fixture.run
    yield escape(fixture.name)
    yield from _head(fixture)
    for index, (exchange, lines) in enumerate(zip(run.exchanges, story_of(run.exchanges), strict=True)):
        answered = exchange.response
        ending = "" if answered.ending == "complete" else f", {answered.ending}"
        yield f"exchange {index}   {escape(label(exchange))}   {answered.status}{ending}"
        for line in lines:
            yield f"    {escape(line)}"
    yield f"trace   {len(run.trace.steps)} steps, {run.trace.status}, origin {run.trace.origin}"
    for index, step in enumerate(run.trace.steps):
        yield f"  {index:>3}  {step.type.ljust(10)}  {escape(_step(step))}"
    if run.trace.output is not msgspec.UNSET:
        yield f"output  {escape(_short(run.trace.output))}"


def _head(fixture: Fixture) -> Iterator[str]:
    source = fixture.run.source
    if source.command:
        yield f"  command      {escape(' '.join(source.command))}   in {escape(source.cwd)}, exit {source.exit_code}"
    else:
        yield f"  source       {source.kind}"
    yield f"  replayable   {'yes' if source.replay_capable else 'no, it holds no model exchanges'}"
    for cause in draft_causes(fixture) or ():
        yield f"  draft        {escape(cause)}"


def _step(step: Step) -> str:
    shown = step.name
    if step.arguments is not msgspec.UNSET:
        shown += f" {_short(step.arguments)}"
    if step.error is not None:
        return f"{shown} → {step.error.type}: {step.error.message}"
    return f"{shown} → {_short(step.result)}" if step.result is not msgspec.UNSET else shown


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _WIDE else f"{text[:_WIDE]}…"
