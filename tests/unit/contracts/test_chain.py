from __future__ import annotations

from typing import Any

import pytest

from stepfork.contracts.chain import ExpectChain
from stepfork.contracts.draft import draft
from stepfork.errors import UsageError
from tests.unit.contracts.sample_traces import refund_trace, run_of

TRACE = refund_trace(2, output={"ok": True}, cost_usd=0.02)


def test_a_chain_evaluates_each_of_its_contracts() -> None:
    chain = (
        ExpectChain(TRACE)
        .trajectory(["lookup_order", "issue_refund"])
        .tool_called_before("lookup_order", "issue_refund")
        .tool_cardinality("issue_refund", per="order_id", at_most=1)
        .output_matches_schema({"required": ["ok"]})
        .cost_under(0.02)
        .tool_cardinality("issue_refund", per="order_id", at_most=2)
    )
    assert [(result.id, result.status) for result in chain.results()] == [
        ("tools-called", "pass"),
        ("order-lookup_order-before-issue_refund", "pass"),
        ("cardinality-issue_refund-per-order_id", "hard_fail"),
        ("output-schema", "pass"),
        ("cost-ceiling", "pass"),
        ("cardinality-issue_refund-per-order_id-2", "pass"),
    ]


def test_links_are_values_and_know_whether_they_were_evaluated() -> None:
    built: list[ExpectChain] = []
    start = ExpectChain(TRACE, on_build=built.append)
    base = start.trajectory(["lookup_order"])
    left, right = base.cost_under(1), base.tool_cardinality("t", per="id", at_most=1)
    assert built == [start, base, left, right]
    assert len(base.contracts) == 1
    left.results()
    assert [link.evaluated for link in built] == [True, True, True, False]


def test_a_chain_that_expects_nothing_cannot_pass() -> None:
    with pytest.raises(UsageError, match="nothing is expected"):
        ExpectChain(TRACE).results()


def test_a_chain_has_no_truth() -> None:
    with pytest.raises(UsageError, match="evaluate it"):
        assert ExpectChain(TRACE).cost_under(1)


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("trajectory", {"tools": "lookup_order"}),
        ("trajectory", {"tools": ["a"], "mode": "any"}),
        ("trajectory", {"tools": []}),
        ("trajectory", {"tools": [1]}),
        ("tool_called_before", {"first": "a", "then": None}),
        ("tool_cardinality", {"tool": "t", "per": "id", "at_most": -1}),
        ("tool_cardinality", {"tool": "t", "per": "id", "at_most": 1.5}),
        ("output_matches_schema", {"schema": {"type": "sting"}}),
        ("cost_under", {"usd": float("nan")}),
        ("cost_under", {"usd": "1"}),
    ],
)
def test_a_contract_that_says_nothing_is_refused_where_it_is_written(method: str, given: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        getattr(ExpectChain(TRACE), method)(**given)


def test_a_fixtures_own_contracts_join_a_chain() -> None:
    drafted = draft(run_of(TRACE), expect_fail=True)
    chain = ExpectChain(TRACE).holding(*drafted)
    assert chain.contracts == drafted
    assert [r.id for r in chain.results() if r.status == "hard_fail"] == ["cardinality-issue_refund-per-order_id"]
