"""What differs outside the exchanges: how the run was made, and its steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from stepfork.canonical.pointer import pointer
from stepfork.diff.alignment import Item, align
from stepfork.diff.json_diff import json_diff
from stepfork.diff.keys import canonical_text
from stepfork.diff.values import Cause, Change, FieldChange, Section
from stepfork.trace.body import JsonValue
from stepfork.trace.fixture import Fixture, Source
from stepfork.trace.plain_form import plain_form, plain_step, types_of_step
from stepfork.trace.step import Step, Trace

_NUMBERS = ("start", "end", "group", "exchange", "parent", "usage", "instrumented")
"""Fields of a step that an inserted step renumbers, its token counts, which have a line of their own, and who told of
it."""
_TYPES = "types"
"""A member of a step for the comparison: what its values were, so that these read like values. A change of type alone
is a change."""
_SAID_BY_VERIFICATION = "--expect-fail"
_OUTCOME = ("exit_code", "status", "error", "output")


def run_changes(old: Fixture, new: Fixture, *, trace: bool, asked: bool = True) -> Iterator[Change]:
    """Changes of the command, the agent and (with `asked`) its input; with `trace`, of the steps, the output and the
    outcome."""
    before, after = (_about(side.run.source, side.run.trace, asked=asked) for side in (old, new))
    for field in json_diff(before, after):
        outcome = field.path.split("/")[-1] in _OUTCOME
        yield _change("run", [field], "consequence" if outcome else "authored", field.path.strip("/").replace("/", " "))
    if trace:
        yield from _step_changes(old.run.trace, new.run.trace)
        outcome_fields = json_diff(_outcome(old.run.trace), _outcome(new.run.trace))
        yield from _whole("trace", outcome_fields, "consequence")


def trace_text(trace: Trace) -> str:
    """The part of a trace that is compared, as canonical JSON."""
    told = {"steps": [_step(step, trace) for step in trace.steps], **_outcome(trace)}
    return canonical_text(told)


def _about(source: Source, trace: Trace, *, asked: bool) -> dict[str, JsonValue]:
    told: dict[str, JsonValue] = msgspec.to_builtins(source)
    told["command"] = list(source.command)
    told["cwd"] = source.cwd
    told["flags"] = " ".join(flag for flag in source.flags if flag != _SAID_BY_VERIFICATION)
    told |= {} if trace.agent is None else {"agent": trace.agent}
    return told | ({"input": plain_form(trace.input)} if asked and trace.input is not msgspec.UNSET else {})


def _outcome(trace: Trace) -> dict[str, JsonValue]:
    told: dict[str, JsonValue] = {"status": trace.status}
    told |= {} if trace.error is None else {"error": msgspec.to_builtins(trace.error)}
    told |= {} if trace.cost_usd is None else {"cost_usd": trace.cost_usd}
    return told | ({} if trace.output is msgspec.UNSET else {"output": trace.output})


def _step(step: Step, trace: Trace) -> dict[str, JsonValue]:
    told: dict[str, Any] = msgspec.to_builtins(plain_step(step))
    told = {name: value for name, value in told.items() if name not in _NUMBERS}
    if step.parent is not None and 0 <= step.parent < len(trace.steps):
        told["parent"] = trace.steps[step.parent].name
    types = types_of_step(step)
    return told | ({_TYPES: types} if types else {})


def _step_changes(old: Trace, new: Trace) -> Iterator[Change]:
    before, after = [_step(step, old) for step in old.steps], [_step(step, new) for step in new.steps]
    for op in align([_item(step) for step in before], [_item(step) for step in after]):
        at = op.old if op.new is None else op.new
        if op.kind == "same" or at is None:
            continue
        told = before[at] if op.new is None else after[at]
        told = {name: value for name, value in told.items() if name != _TYPES}
        name = f"{told['type']} {told['name']} [{at}]"
        if op.old is None or op.new is None:
            change = FieldChange(
                pointer("/steps", at), op.kind, *((told,) if op.new is None else (msgspec.UNSET, told))
            )
            yield _change("trace", [change], "consequence", name)
        elif op.kind == "moved":
            where = FieldChange(pointer("/steps", op.new), "moved", op.old, op.new, pointer("/steps", op.old))
            yield _change("trace", [where], "consequence", name)
        else:
            yield _change(
                "trace", json_diff(before[op.old], after[op.new], pointer("/steps", op.new)), "consequence", name
            )


def _item(step: dict[str, JsonValue]) -> Item:
    text = canonical_text(step)
    kind = (step["type"], step["name"])
    return Item((text, (*kind, canonical_text(step.get("arguments")))), kind, (text,))


def _whole(section: Section, fields: Iterable[FieldChange], cause: Cause) -> Iterator[Change]:
    found = list(fields)
    if found:
        yield _change(section, found, cause, "")


def _change(section: Section, fields: Iterable[FieldChange], cause: Cause, subject: str) -> Change:
    found = tuple(fields)
    kind = found[0].change if len(found) == 1 else "changed"
    mark = {"added": "+ ", "removed": "- "}.get(kind, "")
    verb = "" if mark else " moved" if kind == "moved" else " changed"
    return Change(section, kind, cause, subject, f"{mark}{subject or section}{verb}", fields=found)
