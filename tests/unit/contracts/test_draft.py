from __future__ import annotations

import msgspec
import pytest

from stepfork.contracts.draft import draft
from stepfork.contracts.evaluate import evaluate
from stepfork.contracts.spec import CostUnder, OutputSchema, ToolCalledBefore, ToolCardinality, Trajectory
from stepfork.trace.step import Step, Trace
from tests.unit.contracts.sample_traces import Called, refund_trace, run_of, trace_of


def explained(trace: Trace, *, expect_fail: bool) -> list[str]:
    results = [evaluate(contract, trace) for contract in draft(run_of(trace), expect_fail=expect_fail)]
    return [f"{result.status} {result.id} {result.explanation}" for result in results]


def test_an_incident_fails_exactly_what_it_repeated() -> None:
    assert explained(refund_trace(2), expect_fail=True) == [
        "pass tools-called trajectory (superset) matches [lookup_order issue_refund notify_customer]",
        "pass order-lookup_order-before-issue_refund lookup_order (step 1) precedes issue_refund (step 3)",
        "pass order-issue_refund-before-notify_customer issue_refund (step 3) precedes notify_customer (step 7)",
        "pass cardinality-lookup_order-per-order_id lookup_order within max 1 for each of 1 order_id value(s)",
        "hard_fail cardinality-issue_refund-per-order_id issue_refund called 2× for order_id=O-1042 (max 1)",
        "pass cardinality-notify_customer-per-order_id notify_customer within max 1 for each of 1 order_id value(s)",
    ]


def test_a_capture_that_is_no_incident_keeps_what_the_run_did() -> None:
    [counted] = [line for line in explained(refund_trace(2), expect_fail=False) if "issue_refund-per" in line]
    assert counted == (
        "pass cardinality-issue_refund-per-order_id issue_refund within max 2 for each of 1 order_id value(s)"
    )


def test_only_tools_count_and_each_once_in_the_order_of_first_calls() -> None:
    other = [Step("agent_call", "refunds", 0, 0), Step("retrieval", "docs", 0, 0), Step("llm_call", "chat", 0, 0)]
    trace = trace_of(("b", {}), ("a", {}), ("b", {}), ("c", {}))
    trace = msgspec.structs.replace(trace, steps=(*other, *trace.steps))
    assert draft(run_of(trace), expect_fail=False) == (
        Trajectory(("b", "a", "c"), "superset", "tools-called"),
        ToolCalledBefore("b", "a", "order-b-before-a"),
        ToolCalledBefore("a", "c", "order-a-before-c"),
    )


@pytest.mark.parametrize(
    ("called", "counted"),
    [
        ([("t", {"id": 1}), ("t", {"id": 1.0}), ("t", {"id": "1"}), ("t", {"id": True})], {"id": 1}),
        ([("t", {"id": 1, "x_id": 2}), ("t", {"x_id": 2, "id": 1})], {"id": 2, "x_id": 2}),
        ([("t", {"id": {"a": 1, "b": 2}}), ("t", {"id": {"b": 2, "a": 1}})], {"id": 2}),
        ([("t", {"id": None}), ("t", {"id": None})], {"id": 2}),
        ([("t", {"ids": 1, "idea": 1, "order_id_2": 1, "ID": 1})], {}),
        ([("t", {"id": 1}), ("t", {})], {}),  # a call without it could not be counted
        ([("t", {"id": 1}), ("t", msgspec.UNSET)], {}),
        ([("t", '{"id": 1')], {}),
        ([("t", {"order": {"id": 1}})], {}),
    ],
)
def test_which_arguments_are_counted(called: list[Called], counted: dict[str, int]) -> None:
    contracts = draft(run_of(trace_of(*called)), expect_fail=False)
    found = {one.per: one.at_most for one in contracts if isinstance(one, ToolCardinality)}
    assert found == counted


def test_any_tool_name_gives_ids_of_their_own_on_one_line() -> None:
    names = ["a", "b-before-c", "a-before-b", "c", "a\nb", "a b", "\x1b[31m", "x" * 300, "x" * 301, "工具", "é"]
    contracts = draft(run_of(trace_of(*[(name, {"id": 1}) for name in names])), expect_fail=True)
    ids = [contract.id for contract in contracts]
    assert len(set(ids)) == len(ids) == 1 + len(names) - 1 + len(names)
    assert all(name.isprintable() and " " not in name and len(name) < 160 for name in ids)
    assert ids[-2:] == ["cardinality-工具-per-id", "cardinality-é-per-id"]
    assert "cardinality-a_b-per-id" in ids
    assert "cardinality-a_b-per-id-2" in ids


def test_a_structured_output_is_kept_and_a_text_is_not() -> None:
    assert draft(run_of(trace_of(output={"ok": True})), expect_fail=False) == (
        OutputSchema(
            {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}, "output-schema"
        ),
    )
    for output in ("done", 3, None, True, msgspec.UNSET):
        assert draft(run_of(trace_of(output=output)), expect_fail=False) == ()


@pytest.mark.parametrize(
    ("cost", "ceiling"), [(0.1, 0.15), (0.003972, 0.005958), (0.0, 0.0), (None, None), (float("nan"), None), (-1, None)]
)
def test_a_known_cost_may_grow_by_half(cost: float | None, ceiling: float | None) -> None:
    contracts = draft(run_of(trace_of(cost_usd=cost)), expect_fail=False)
    assert contracts == (() if ceiling is None else (CostUnder(ceiling, "cost-ceiling"),))
