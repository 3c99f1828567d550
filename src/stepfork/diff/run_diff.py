"""What differs outside the exchanges: how the run was made, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from stepfork.diff.json_diff import json_diff
from stepfork.diff.keys import canonical_text
from stepfork.diff.step_changes import type_changes
from stepfork.diff.step_forms import forms_of
from stepfork.diff.values import Cause, Change, FieldChange, Section
from stepfork.trace.body import JsonValue
from stepfork.trace.fixture import Fixture, Source
from stepfork.trace.plain_form import plain_form, types_in
from stepfork.trace.step import Trace
from stepfork.trace.wrapped import TAG

_SAID_BY_VERIFICATION = "--expect-fail"
_OUTCOME = ("exit_code", "status", "error", "output")


def about_changes(old: Fixture, new: Fixture, *, asked: bool = True) -> Iterator[Change]:
    """Changes of the command, the agent and (with `asked`) its input."""
    before, after = (_about(side.run.source, side.run.trace) for side in (old, new))
    fields = list(json_diff(before, after))
    if asked:
        fields += _input_fields(old.run.trace, new.run.trace)
    for field in fields:
        outcome = field.path.split("/")[-1] in _OUTCOME and not field.path.startswith("/input")
        yield _change("run", [field], "consequence" if outcome else "authored", field.path.strip("/").replace("/", " "))


def outcome_changes(old: Trace, new: Trace, *, output: bool = True, cost: bool = True) -> Iterator[Change]:
    """How the run ended, (with `output`) what it gave back, and (with `cost`) what it cost."""
    before, after = _outcome(old), _outcome(new)
    parts: list[tuple[str, tuple[str, ...]]] = [("outcome", ("status", "error"))]
    parts += [("output", ("output",))] if output else []
    parts += [("cost", ("cost_usd",))] if cost else []
    for subject, names in parts:
        was, is_now = ({name: side[name] for name in names if name in side} for side in (before, after))
        fields = json_diff(was, is_now)
        if fields:
            yield _change("trace", fields, "consequence", subject)


def trace_text(trace: Trace) -> str:
    """The part of a trace that is compared, as canonical JSON."""
    return canonical_text({"steps": [[form.plain, form.types] for form in forms_of(trace)], **_outcome(trace)})


def _about(source: Source, trace: Trace) -> dict[str, JsonValue]:
    told: dict[str, JsonValue] = msgspec.to_builtins(source)
    told["command"] = list(source.command)
    told["cwd"] = source.cwd
    told["flags"] = " ".join(flag for flag in source.flags if flag != _SAID_BY_VERIFICATION)
    return told | ({} if trace.agent is None else {"agent": trace.agent})


def _input_fields(old: Trace, new: Trace) -> list[FieldChange]:
    before, after = _plain_input(old), _plain_input(new)
    fields = list(json_diff(before[0], after[0]))
    return [*fields, *type_changes(fields, before, after, "")]


def _plain_input(trace: Trace) -> tuple[dict[str, JsonValue], dict[str, str]]:
    asked = input_of(trace)
    if asked is msgspec.UNSET:
        return {}, {}
    return {"input": plain_form(asked)}, {f"/input{path}": kind for path, kind in types_in(asked).items()}


def input_of(trace: Trace) -> JsonValue | msgspec.UnsetType:
    """What the run was called with: of a call with one argument by its place, that."""
    asked = trace.input
    if isinstance(asked, dict) and asked.get(TAG) == "call" and not asked.get("kwargs"):
        match asked.get("args"):
            case [one]:
                return one
    return asked


def _outcome(trace: Trace) -> dict[str, JsonValue]:
    told: dict[str, JsonValue] = {"status": trace.status}
    told |= {} if trace.error is None else {"error": msgspec.to_builtins(trace.error)}
    told |= {} if trace.cost_usd is None else {"cost_usd": trace.cost_usd}
    return told | ({} if trace.output is msgspec.UNSET else {"output": trace.output})


def _change(section: Section, fields: Iterable[FieldChange], cause: Cause, subject: str) -> Change:
    found = tuple(fields)
    kind = found[0].change if len(found) == 1 else "changed"
    mark = {"added": "+ ", "removed": "- "}.get(kind, "")
    verb = "" if mark else " moved" if kind == "moved" else " changed"
    return Change(section, kind, cause, subject, f"{mark}{subject or section}{verb}", fields=found)
