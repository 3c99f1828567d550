"""What differs between the steps of two runs: calls that came, went, moved, got other arguments or another result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET

from stepfork.canonical.pointer import pointer
from stepfork.diff.alignment import Op
from stepfork.diff.json_diff import json_diff
from stepfork.diff.step_alignment import align_steps
from stepfork.diff.step_forms import StepForm
from stepfork.diff.told_calls import ToldCalls
from stepfork.diff.values import Change, FieldChange, ItemKind
from stepfork.providers.shapes import json_text
from stepfork.trace.body import JsonValue
from stepfork.trace.wrapped import TAG

_SHORT = 50
"""Characters of two values that are told in a summary."""
_NAMED = 3
"""Paths that a summary names; how many more there are is said."""


class StepChanges:
    """The changes of steps, without what the exchanges of both sides tell in `told`. ``kept_back`` says, once they were
    asked for, whether there was any of that."""

    def __init__(self, told: ToldCalls | None = None) -> None:
        self._told = told
        self.kept_back = False

    def between(self, old: Sequence[StepForm], new: Sequence[StepForm]) -> Iterator[Change]:
        """What became of the old steps, in the order of the new ones: one change a step."""
        for op in align_steps(old, new):
            if op.kind == "same":
                continue
            before = None if op.old is None else old[op.old]
            after = None if op.new is None else new[op.new]
            yield from self._of(op, before, after)

    def _of(self, op: Op, old: StepForm | None, new: StepForm | None) -> Iterator[Change]:
        told = self._told
        if old is None or new is None:
            only = new or old
            if only is not None and not self._keep_back(told and told.tells_of(only.step.call_id, new=old is None)):
                yield _alone(only, "added" if old is None else "removed")
        elif op.kind == "moved":
            ids = (old.step.call_id, new.step.call_id)
            if not self._keep_back(told and told.tells_of(ids[0], new=False) and told.tells_of(ids[1], new=True)):
                where = FieldChange(_place(new), "moved", old.at, new.at, _place(old))
                yield _step_change(new, "moved", (where,), f"{new.name} moved")
        else:
            fields = tuple(field for field in _fields(old, new) if not self._is_told(field, old, new))
            if fields:
                yield _step_change(new, "changed", fields, f"{new.name} {_said(fields, _place(new))}")

    def _is_told(self, field: FieldChange, old: StepForm, new: StepForm) -> bool:
        ids = old.step.call_id, new.step.call_id
        match _part(field, _place(new)):
            case "arguments":
                return self._keep_back(self._told and self._told.asked_otherwise(*ids))
            case "result" | "error" | "raised":
                return self._keep_back(self._told and self._told.given_otherwise(*ids))
        return False

    def _keep_back(self, told: Any) -> bool:
        self.kept_back = self.kept_back or bool(told)
        return bool(told)


def _place(form: StepForm) -> str:
    return pointer("/steps", form.at)


def _part(field: FieldChange, place: str) -> str:
    """The part of a step that a field stands in: ``arguments``, ``result``."""
    return field.path.removeprefix(place).split("/")[1]


def _alone(form: StepForm, kind: ItemKind) -> Change:
    sides = (UNSET, form.plain) if kind == "added" else (form.plain, UNSET)
    above = form.plain.get("parent")
    words = [form.name, f"in {above}" if form.step.instrumented and above else "", *_call(form.plain)]
    mark = "+" if kind == "added" else "-"
    return _step_change(form, kind, (FieldChange(_place(form), kind, *sides),), " ".join([mark, *filter(None, words)]))


def _call(plain: dict[str, Any]) -> Iterator[str]:
    """``{"flight": "B"} → {"ok": true}``, as far as it is known."""
    if "arguments" in plain:
        yield json_text(plain["arguments"])
    if "error" in plain:
        yield f"→ {plain['error']['type']}: {plain['error'].get('message', '')}"
    elif "result" in plain:
        yield f"→ {json_text(plain['result'])}"


def _step_change(form: StepForm, kind: ItemKind, fields: tuple[FieldChange, ...], summary: str) -> Change:
    return Change("trace", kind, "consequence", form.name, summary, fields=fields)


def _said(fields: Sequence[FieldChange], place: str) -> str:
    """``/arguments/flight: "B" → "A"``, or the paths that changed."""
    if len(fields) == 1 and fields[0].change == "changed":
        values = f"{json_text(fields[0].old)} → {json_text(fields[0].new)}"
        if len(values) <= _SHORT:
            return f"{fields[0].path.removeprefix(place)}: {values}"
    paths = list(dict.fromkeys(field.path.removeprefix(place) for field in fields))
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return f"changed ({', '.join(paths[:_NAMED])}{more})"


def _fields(old: StepForm, new: StepForm) -> Iterator[FieldChange]:
    place = _place(new)
    fields = json_diff(old.plain, new.plain, place)
    if any(_part(field, place) == "error" for field in fields):  # it says the same of the exception
        fields = tuple(field for field in fields if _part(field, place) != "raised")
    yield from fields
    yield from type_changes(fields, (old.plain, old.types), (new.plain, new.types), place)


def type_changes(
    fields: Sequence[FieldChange],
    old: tuple[JsonValue, dict[str, str]],
    new: tuple[JsonValue, dict[str, str]],
    place: str,
) -> Iterator[FieldChange]:
    """The values that read alike and are of another type, `fields` being those that read otherwise; each side is given
    as its plain form and the types in it. Such a value is shown with its type, as it is stored."""
    covered = {_starred(field.path.removeprefix(place)) for field in fields}
    for path in dict.fromkeys([*old[1], *new[1]]):
        kinds = old[1].get(path), new[1].get(path)
        if kinds[0] != kinds[1] and not _is_below(_starred(path), covered):
            sides = [_typed(_value(side[0], path), kind) for side, kind in zip((old, new), kinds, strict=True)]
            yield FieldChange(f"{place}{path if path.startswith('/') else pointer('/types', path)}", "changed", *sides)


def _is_below(path: str, covered: set[str]) -> bool:
    steps = path.split("/")
    return any("/".join(steps[:length]) in covered for length in range(1, len(steps) + 1))


def _starred(path: str) -> str:
    """A pointer without its places in lists: an item that came moves all that stand behind it."""
    return re.sub(r"/[0-9]+(?=/|\Z)", "/*", path)


def _value(value: Any, path: str) -> Any:
    for step in path.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return UNSET
    return value


def _typed(value: Any, kind: str | None) -> JsonValue:
    if kind is None:
        return None if value is UNSET else value
    name, _, of = kind.partition(" ")
    held = {} if value is UNSET or isinstance(value, dict | list) else {"value": value}
    return {TAG: name, **({"type": of} if of else {}), **held}
