"""What differs in the contracts of a fixture, one by one, and in what a look at them said.

Both are drafted from the run, so where the run differs they follow from it. A fixture whose contracts were never
evaluated says nothing about either.
"""

from __future__ import annotations

from collections.abc import Iterator

from stepfork.diff.json_diff import json_diff
from stepfork.diff.keys import canonical_text
from stepfork.diff.values import Cause, Change, FieldChange
from stepfork.trace.body import JsonValue
from stepfork.trace.fixture import Fixture

_VERDICT = ("outcome", "expect_fail", "expected_failures")
"""What of a verification is compared: the rest repeats the run, the contracts and the trace check."""


def verdict_changes(old: Fixture, new: Fixture) -> Iterator[Change]:
    """A change for each contract that came, went or says something else, and one for the verification. The fixtures are
    given as they were read."""
    if old.verification is None and not old.contracts:
        return
    same = old.contracts == new.contracts or canonical_text(old.run) == canonical_text(new.run)
    cause: Cause = "authored" if same else "consequence"
    before, after = _by_id(old.contracts), _by_id(new.contracts)
    for name in dict.fromkeys([*before, *after]):
        yield from _contract(name, before.get(name), after.get(name), cause)
    fields = json_diff(_told(old.verification), _told(new.verification))
    if fields:
        summary = f"{_verdict(old.verification)} → {_verdict(new.verification)}"
        yield Change("verification", "changed", "consequence", "verification", summary, fields=tuple(fields))


def _contract(name: str, old: JsonValue, new: JsonValue, cause: Cause) -> Iterator[Change]:
    subject = f"contract {name}"
    if new is None:
        yield Change("contracts", "removed", cause, subject, f"- {subject}", fields=(FieldChange("", "removed", old),))
    elif old is None:
        yield Change("contracts", "added", cause, subject, f"+ {subject}", fields=(FieldChange("", "added", new=new),))
    elif fields := tuple(json_diff(old, new)):
        yield Change("contracts", "changed", cause, subject, f"{subject}: {_listed(fields)}", fields=fields)


def _listed(fields: tuple[FieldChange, ...]) -> str:
    """What changed in a contract: its bound where that is a number, as it nearly always is."""
    field = fields[0]
    if len(fields) == 1 and isinstance(field.old, int | float) and isinstance(field.new, int | float):
        return f"{field.path.strip('/')} {field.old} → {field.new}"
    return "changed"


def _by_id(contracts: tuple[JsonValue, ...]) -> dict[str, JsonValue]:
    """The contracts by their ids, by their places where they have none."""
    found: dict[str, JsonValue] = {}
    for index, contract in enumerate(contracts):
        name = contract.get("id") if isinstance(contract, dict) else None
        found[name if isinstance(name, str) and name and name not in found else f"[{index}]"] = contract
    return found


def _told(verification: JsonValue) -> JsonValue:
    if not isinstance(verification, dict):
        return verification
    return {name: verification[name] for name in _VERDICT if name in verification}


def _verdict(verification: JsonValue) -> str:
    if not isinstance(verification, dict):
        return "not evaluated"
    if verification.get("verified") is True and verification.get("expect_fail") is True:
        failing = verification.get("expected_failures")
        return f"incident ({len(failing) if isinstance(failing, list) else 0} expected to fail)"
    return str(verification.get("outcome", "unknown")).replace("_", " ")
