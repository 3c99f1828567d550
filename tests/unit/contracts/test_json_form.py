from __future__ import annotations

from typing import Any

import pytest

from stepfork.canonical.encode import dumps
from stepfork.canonical.parse import parse
from stepfork.contracts.draft import draft
from stepfork.contracts.json_form import (
    contract_from_json,
    contract_to_json,
    contracts_from_json,
    verification_from_json,
    verification_to_json,
)
from stepfork.contracts.spec import ToolCardinality
from stepfork.contracts.verify import verify
from stepfork.errors import ManifestError
from stepfork.trace.finding import TraceFinding
from tests.unit.contracts.sample_traces import refund_trace, run_of

RUN = run_of(refund_trace(2, output={"a": [1]}, cost_usd=0.25))


def test_contracts_come_back_from_canonical_json() -> None:
    contracts = draft(RUN, expect_fail=True)
    stored = parse(dumps([contract_to_json(contract) for contract in contracts]))
    assert stored == [contract_to_json(contract) for contract in contracts]
    assert contracts_from_json(stored) == contracts


def test_one_contract_reads_as_it_says() -> None:
    assert contract_to_json(ToolCardinality("t", "id", 2, "c")) == {
        "kind": "tool_cardinality",
        "tool": "t",
        "per": "id",
        "at_most": 2,
        "id": "c",
    }


def test_verifications_come_back() -> None:
    findings = (TraceFinding("error_status", "t failed", 1), TraceFinding("span_conflict", "two"))
    for expect_fail in (False, True):
        verification = verify(RUN, draft(RUN, expect_fail=expect_fail), findings, expect_fail=expect_fail)
        assert verification_from_json(parse(dumps(verification_to_json(verification)))) == verification
    assert verification_from_json(None) is None


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"kind": "sentiment", "id": "x"}, "kind 'sentiment', unknown to this stepfork; upgrade stepfork"),
        ({"kind": "\x1b[2J\n" + "k" * 500}, "unknown to this stepfork"),
        ({"type": "trajectory"}, "has no kind"),
        ({"kind": 1}, "has no kind"),
        ("trajectory", "has no kind"),
        ({"kind": "trajectory"}, "absent, unknown or of a wrong type"),
        ({"kind": "trajectory", "tools": ["a"], "mode": "any"}, "absent, unknown or of a wrong type"),
        ({"kind": "trajectory", "tools": ["a"], "unless": True}, "absent, unknown or of a wrong type"),
        ({"kind": "tool_cardinality", "tool": "t", "per": "id", "at_most": "1"}, "of a wrong type"),
        ({"kind": "tool_cardinality", "tool": "t", "per": "id", "at_most": 1.0}, "of a wrong type"),
        ({"kind": "tool_cardinality", "tool": "t", "per": "id", "at_most": -1}, "at_most is less than 0"),
        ({"kind": "trajectory", "tools": []}, "it lists no tool"),
        ({"kind": "cost_under", "usd": -0.5}, "no amount of money"),
        ({"kind": "output_matches_schema", "schema": {"type": 3}}, "at /type it is no JSON Schema"),
    ],
)
def test_what_is_half_a_contract_is_refused(value: Any, said: str) -> None:
    with pytest.raises(ManifestError) as refused:
        contract_from_json(value, where="refund")
    assert str(refused.value).startswith("refund: a ")
    assert said in str(refused.value)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"type": "string", "pattern": "^(a+)+$"}, "pattern"),
        ({"properties": {"a": {"items": {"patternProperties": {"^(a+)+$": True}}}}}, "patternProperties"),
        ({"$ref": "http://127.0.0.1:9/x"}, "$ref"),
        ({"$ref": "file:///etc/passwd"}, "$ref"),
        ({"anyOf": [{"not": {"$dynamicRef": "#"}}]}, "$dynamicRef"),
        ({"items": {"$ref": "#/const/x"}, "const": {"x": {"pattern": "(a+)+$"}}}, "$ref"),
        ({"$defs": {"a": {"type": "object"}}}, "$defs"),
        ({"nuclear\n": 1}, "nuclear"),
    ],
)
def test_a_schema_of_a_fixture_cannot_keep_anybody_busy(schema: Any, keyword: str) -> None:
    value: Any = {"kind": "output_matches_schema", "id": "s", "schema": schema}
    with pytest.raises(ManifestError, match="a keyword that no fixture's has; write it in a test") as refused:
        contracts_from_json([value], where="refund")
    assert f"has '{keyword}" in str(refused.value)
    assert str(refused.value).isprintable()
    assert contract_from_json(value)  # as a test may write it


def test_keys_and_values_that_read_like_keywords_are_none() -> None:
    output: Any = {"pattern": "x", "$ref": [{"$schema": 1}], "format": {"enum": []}}
    contracts = draft(run_of(refund_trace(1, output=output)), expect_fail=False)
    assert contracts_from_json(map(contract_to_json, contracts)) == contracts
    data: Any = {
        "enum": [{"pattern": "x"}],
        "anyOf": [True],
        "additionalProperties": False,
        "properties": {"$ref": True},
    }
    assert contracts_from_json([{"kind": "output_matches_schema", "schema": data}])


@pytest.mark.parametrize("verified", [True, False])
def test_a_verification_that_contradicts_itself_is_refused(verified: bool) -> None:
    found: Any = verification_to_json(verify(RUN, draft(RUN, expect_fail=False), (), expect_fail=False))
    outcome = "not_verified" if verified else "verified"
    with pytest.raises(ManifestError, match="contradicts itself; capture it again"):
        verification_from_json({**found, "verified": verified, "outcome": outcome})


@pytest.mark.parametrize("value", [{}, [], "verified", {"outcome": "verified"}])
def test_what_is_no_verification_is_refused(value: Any) -> None:
    with pytest.raises(ManifestError, match="capture it again"):
        verification_from_json(value)
