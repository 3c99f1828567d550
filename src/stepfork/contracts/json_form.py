"""Contracts and verifications as the JSON values that a manifest holds, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

from stepfork.contracts.output_schema import foreign_keyword, schema_problem
from stepfork.contracts.spec import Contract, CostUnder, OutputSchema, ToolCardinality, Trajectory
from stepfork.contracts.verification import Verification
from stepfork.errors import ManifestError
from stepfork.providers.lines import clean_line
from stepfork.trace.body import JsonValue

KINDS = ("trajectory", "tool_called_before", "tool_cardinality", "output_matches_schema", "cost_under")


def contract_to_json(contract: Contract) -> JsonValue:
    """An object with ``kind``, ``id`` and what the kind says, defaults included."""
    return _listed(msgspec.to_builtins(contract))


def contract_from_json(value: JsonValue, *, where: str | None = None) -> Contract:
    """The contract that an object says. Raises ManifestError for an unknown kind, naming it, and for a member that is
    absent, unknown or of a wrong type: a contract that is half read would be half evaluated."""
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str):
        raise ManifestError("a contract has no kind", where=where)
    if kind not in KINDS:
        raise ManifestError(
            f"a contract is of the kind {clean_line(kind, 60)!r}, unknown to this stepfork",
            where=where,
            fix="upgrade stepfork",
        )
    try:
        contract: Contract = msgspec.convert(value, Contract)
    except (msgspec.ValidationError, TypeError, OverflowError):
        raise ManifestError(
            f"a {kind} contract has a member that is absent, unknown or of a wrong type", where=where
        ) from None
    problem = contract_problem(contract)
    if problem is not None:
        raise ManifestError(f"a {kind} contract cannot be used: {problem}", where=where)
    return contract


def contracts_from_json(values: Iterable[JsonValue], *, where: str | None = None) -> tuple[Contract, ...]:
    """The contracts of a fixture (`Fixture.contracts`). Raises ManifestError as `contract_from_json` does, and for a
    schema that is no fixture's (`foreign_keyword`)."""
    contracts = tuple(contract_from_json(value, where=where) for value in values)
    for contract in contracts:
        keyword = foreign_keyword(contract.schema) if isinstance(contract, OutputSchema) else None
        if keyword is not None:
            raise ManifestError(
                f"an output_matches_schema contract has {clean_line(keyword, 60)!r}, a keyword that no fixture's has",
                where=where,
                fix="write it in a test",
            )
    return contracts


def contract_problem(contract: Contract) -> str | None:
    """Why nothing could ever hold or break `contract`, None where it says something."""
    match contract:
        case Trajectory((), "superset"):
            return "it lists no tool"
        case ToolCardinality(at_most=limit) if limit < 0:
            return "at_most is less than 0"
        case CostUnder(usd) if not math.isfinite(usd) or usd < 0:
            return "the ceiling is no amount of money"
        case OutputSchema(schema):
            return schema_problem(schema)
    return None


def verification_to_json(verification: Verification) -> JsonValue:
    """What a manifest holds under ``verification``."""
    return _listed(msgspec.to_builtins(verification))


def verification_from_json(value: JsonValue, *, where: str | None = None) -> Verification | None:
    """The verification of a fixture, None where its contracts were never evaluated. Raises ManifestError."""
    if value is None:
        return None
    try:
        verification = msgspec.convert(value, Verification)
    except (msgspec.ValidationError, TypeError, OverflowError):
        raise ManifestError(
            "its verification has a member that is absent or of a wrong type",
            where=where,
            fix="capture it again",
        ) from None
    if verification.verified is not (verification.outcome == "verified"):
        raise ManifestError("its verification contradicts itself", where=where, fix="capture it again")
    return verification


def _listed(value: JsonValue) -> JsonValue:
    """`value` with lists for tuples, as reading a document gives it."""
    if isinstance(value, dict):
        return {name: _listed(item) for name, item in value.items()}
    return [_listed(item) for item in value] if isinstance(value, list | tuple) else value
