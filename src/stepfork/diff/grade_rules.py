"""The rules that give changes their grades: a table, and what of a change decides which one it falls under."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from stepfork.diff.values import Change, FieldChange, Grade

RULES: dict[str, Grade] = {
    "tool-call-dropped": "breaking",
    "tool-call-failing": "breaking",
    "output-gone": "breaking",
    "answer-failed": "breaking",
    "run-failed": "breaking",
    "tool-removed": "breaking",
    "schema-narrowed": "breaking",
    "contract-failing": "breaking",
    "contract-weakened": "breaking",
    "not-verified": "breaking",
    "prompt": "changed",
    "parameters": "changed",
    "messages": "changed",
    "tool-results": "changed",
    "arguments": "changed",
    "order": "changed",
    "tool-added": "changed",
    "tool-changed": "changed",
    "call-added": "changed",
    "call-gone": "changed",
    "answer": "changed",
    "run": "changed",
    "output": "changed",
    "outcome": "changed",
    "steps": "changed",
    "contract-changed": "changed",
    "verification": "changed",
    "other": "changed",
    "model-name": "info",
    "ids": "info",
    "cost": "info",
}
"""Each rule by its name; ``docs/reference/diff.md`` says what falls under it."""
_BY_SECTION = {
    "model": "model-name",
    "params": "parameters",
    "system": "prompt",
    "tools": "tool-changed",
    "messages": "messages",
    "tool_results": "tool-results",
    "other": "other",
    "answer": "answer",
    "exchange": "other",
    "run": "run",
    "contracts": "contract-changed",
    "verification": "verification",
    "trace": "steps",
}
_IDS = ("id", "call_id", "tool_call_id", "tool_use_id")
_DATA = ("arguments", "result", "input", "output")
"""Below these an id is the user's, and means something."""
_GIVEN = ("result", "error", "raised")
"""Parts of a step that say what came of it."""


def rule_of(change: Change, ids: tuple[frozenset[str], frozenset[str]]) -> str:
    """The rule of a change that nothing breaks; `ids` are the ids of calls that each side has."""
    fields = change.fields
    if fields and not change.lines:
        if all(_is_id(field, ids) for field in fields):
            return "ids"
        if all("arguments" in _steps(field) for field in fields) and change.section in ("messages", "answer", "trace"):
            return "arguments"
        if change.section == "trace" and _all_end(fields, "model"):
            return "model-name"
        if change.section == "trace" and change.change == "changed" and all(_part(field) in _GIVEN for field in fields):
            return "tool-results"
        if _all_end(fields, "cost_usd") or (change.section == "contracts" and _all_end(fields, "usd")):
            return "cost"
    if change.change == "moved":
        return "order"
    if change.section == "tools" and change.change == "added":
        return "tool-added"
    if change.section == "trace" and change.subject in ("output", "outcome"):
        return change.subject
    if change.section == "exchange" or (change.section == "trace" and change.subject.startswith("tool_call ")):
        by_kind = {"added": "call-added", "removed": "call-gone"}
        return by_kind.get(change.change, _BY_SECTION[change.section])
    return _BY_SECTION[change.section]


def by_rule(change: Change, rule: str) -> Change:
    """The change under a rule, with the grade that it gives."""
    return msgspec.structs.replace(change, rule=rule, grade=RULES[rule])


def broken(change: Change, rule: str, told: str) -> Change:
    """The change under a rule that breaks, and what no longer holds."""
    return msgspec.structs.replace(by_rule(change, rule), breaks=told)


def _is_id(field: FieldChange, ids: tuple[frozenset[str], frozenset[str]]) -> bool:
    """Whether another word stands for the same call: one that neither side has elsewhere."""
    steps = _steps(field)
    if not (isinstance(field.old, str) and isinstance(field.new, str)) or field.change != "changed":
        return False
    return (
        steps[-1] in _IDS and not set(_DATA).intersection(steps) and field.new not in ids[0] and field.old not in ids[1]
    )


def _part(field: FieldChange) -> str:
    """The part of a step that a field stands in; empty for a step itself, and for what is none."""
    steps = _steps(field)
    return steps[3] if len(steps) > 3 and steps[1] == "steps" else ""


def _all_end(fields: Iterable[FieldChange], name: str) -> bool:
    return all(_steps(field)[-1] == name for field in fields)


def _steps(field: FieldChange) -> list[str]:
    return field.path.split("/")
