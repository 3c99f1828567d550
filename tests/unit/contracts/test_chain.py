from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from stepfork.contracts.chain import ExpectChain
from stepfork.contracts.draft import draft
from stepfork.contracts.spec import ContractResult
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
    dropped = left.results()
    assert not any(link.evaluated for link in built)
    assert len(tuple(dropped)) == 2
    assert [link.evaluated for link in built] == [True, True, True, False]


def test_a_chain_that_expects_nothing_cannot_pass() -> None:
    with pytest.raises(UsageError, match="nothing is expected"):
        ExpectChain(TRACE).results()


def test_a_chain_and_its_results_have_no_truth_and_a_result_has_its_own() -> None:
    chain = ExpectChain(TRACE).cost_under(1).trajectory(["nobody"])
    with pytest.raises(UsageError, match="evaluate it"):
        assert chain
    with pytest.raises(UsageError, match=r"evaluate\(\)"):
        assert chain.results()
    assert not chain.evaluated
    assert [bool(result) for result in chain.results()] == [True, False]
    assert not all(chain.results())
    assert not chain.results()[1]


@pytest.mark.parametrize("look", [list, lambda r: r[0], lambda r: r == (), lambda r: None in r, lambda r: r != ()])
def test_who_looks_at_a_result_evaluates(look: Callable[[tuple[ContractResult, ...]], object]) -> None:
    chain = ExpectChain(TRACE).cost_under(1)
    results = chain.results()
    assert (len(results), chain.evaluated) == (1, False)
    look(results)
    assert chain.evaluated


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
