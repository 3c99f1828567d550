"""A fixture as a person reads it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from stepfork.cli.console import counted
from stepfork.cli.escape import escape
from stepfork.cli.render.call_head import call_head
from stepfork.cli.render.step_lines import AT_ONCE, step_lines
from stepfork.cli.render.verdict import NONE_DRAFTED, counted_contracts, short_verdict
from stepfork.contracts.json_form import verification_from_json
from stepfork.contracts.verification import Verification
from stepfork.diff.run_diff import input_of
from stepfork.store.drafts import draft_causes
from stepfork.store.story import story_of
from stepfork.trace.exit_code import told_exit_code
from stepfork.trace.fixture import Fixture
from stepfork.trace.plain_form import plain_form

_WIDE = 100


def show_lines(fixture: Fixture) -> Iterator[str]:
    """Head, exchanges with what each added, steps, contracts."""
    run = fixture.run
    verification = verification_from_json(fixture.verification, where=fixture.name)
    yield escape(fixture.name)
    yield from _head(fixture, verification)
    for index, (exchange, lines) in enumerate(zip(run.exchanges, story_of(run.exchanges), strict=True)):
        yield f"exchange {index}   {escape(call_head(exchange))}"
        for line in lines:
            yield f"    {escape(line)}"
    steps = run.trace.steps
    marks = f"   ({AT_ONCE})" if any(step.group is not None for step in steps) else ""
    yield f"trace   {counted(len(steps), 'step')}, {run.trace.status}, origin {run.trace.origin}{marks}"
    asked = input_of(run.trace)
    if run.trace.origin == "instrumented" and asked is not msgspec.UNSET:
        yield f"input   {escape(_short(plain_form(asked)))}"
    yield from step_lines(steps)
    if run.trace.error is not None:
        yield f"error   {escape(_short(f'{run.trace.error.type}: {run.trace.error.message}'))}"
    if run.trace.output is not msgspec.UNSET:
        yield f"output  {escape(_short(run.trace.output))}"
    if verification is not None:
        yield f"contracts   {counted_contracts(verification) or NONE_DRAFTED}"
        for one in verification.contracts:
            yield f"  {'pass' if one.status == 'pass' else 'FAIL'}  {escape(one.id)}   {escape(one.explanation)}"


def _head(fixture: Fixture, verification: Verification | None) -> Iterator[str]:
    source = fixture.run.source
    if source.command:
        ended = f"exit {told_exit_code(source.exit_code)}"
        yield f"  command      {escape(' '.join(source.command))}   in {escape(source.cwd)}, {ended}"
    else:
        yield f"  source       {source.kind}"
    if source.flags:
        yield f"  options      {escape(' '.join(source.flags))}"
    yield f"  replayable   {'yes' if source.replay_capable else 'no, it holds no model exchanges'}"
    causes = draft_causes(fixture)
    if causes is None:
        yield f"  outcome      {short_verdict(verification)}"
    for cause in verification.causes if verification is not None else ():
        yield f"  cause        {escape(cause)}"
    for cause in causes or ():
        yield f"  draft        {escape(cause)}"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _WIDE else f"{text[:_WIDE]}…"
