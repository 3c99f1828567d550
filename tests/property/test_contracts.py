"""What holds of contracts whatever the trace."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.canonical.encode import dumps
from stepfork.canonical.parse import parse
from stepfork.contracts.draft import draft
from stepfork.contracts.evaluate import evaluate
from stepfork.contracts.json_form import contract_from_json, contract_to_json, contracts_from_json
from stepfork.contracts.output_schema import schema_of, violations
from stepfork.contracts.spec import Contract, CostUnder, OutputSchema, ToolCalledBefore, ToolCardinality, Trajectory
from stepfork.contracts.verify import verify
from stepfork.trace.finding import CODES, TraceFinding
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Step, StepError, Trace
from tests.unit.contracts.sample_traces import ASKED

costly = settings(max_examples=30)  # making up a whole run is what takes the time
texts = st.text(max_size=6)
tools = st.one_of(st.sampled_from(["a", "b", "a-before-b", "a b", "", "\n", "é", "x" * 90]), texts)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts, st.sampled_from([1, 1.0, "1", True]))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
names = st.one_of(st.sampled_from(["id", "order_id", "/a_id", "x", "~1_id", "_id"]), texts)
arguments = st.one_of(st.just(msgspec.UNSET), values, st.dictionaries(names, st.one_of(scalars, values), max_size=3))
steps = st.builds(
    Step,
    type=st.sampled_from(["llm_call", "tool_call", "tool_call", "tool_call", "agent_call"]),
    name=tools,
    start=st.just(0),
    end=st.just(0),
    arguments=arguments,
    finish_reasons=st.sampled_from([(), ("stop",), ("tool_calls",)]),
)
costs = st.one_of(st.none(), st.floats(), st.floats(0, 1))
traces = st.builds(
    Trace,
    origin=st.just("spans"),
    steps=st.lists(steps, max_size=8).map(tuple),
    output=st.one_of(st.just(msgspec.UNSET), values),
    status=st.sampled_from(["completed", "error"]),
    error=st.one_of(st.none(), st.just(StepError("E"))),
    cost_usd=costs,
)
schemas = st.one_of(values, st.fixed_dictionaries({"$ref": texts}), st.fixed_dictionaries({"type": texts}))
contracts = st.one_of(
    st.builds(
        Trajectory,
        st.lists(tools, max_size=3).map(tuple),
        st.sampled_from(["exact", "superset", "subset", "unordered"]),
    ),
    st.builds(ToolCalledBefore, tools, tools),
    st.builds(ToolCardinality, tools, names, st.integers()),
    st.builds(OutputSchema, schemas),
    st.builds(CostUnder, st.floats()),
)
findings = st.lists(st.builds(TraceFinding, st.sampled_from([*CODES, "other"]), texts), max_size=2)
runs = st.builds(
    Run,
    source=st.builds(
        Source,
        kind=st.sampled_from(["command", "in_process", "otlp_file"]),
        replay_capable=st.booleans(),
        exit_code=st.sampled_from([None, 0, 1]),
    ),
    trace=traces,
    exchanges=st.sampled_from([(), (ASKED,)]),
)


@costly
@given(contracts, traces)
def test_any_contract_comes_out_of_any_trace_on_one_line(contract: Contract, trace: Trace) -> None:
    result = evaluate(contract, trace)
    assert result.status in ("pass", "hard_fail")
    assert result.id
    assert "\n" not in result.explanation
    assert len(result.explanation) <= 400


@costly
@given(runs)
def test_what_a_run_drafts_holds_of_it_and_each_has_a_name_of_its_own(run: Run) -> None:
    drafted = draft(run, expect_fail=False)
    assert [evaluate(contract, run.trace).status for contract in drafted] == ["pass"] * len(drafted)
    assert len({contract.id for contract in drafted}) == len(drafted)


@costly
@given(runs)
def test_an_incident_drafts_the_same_and_only_what_it_repeated_can_fail(run: Run) -> None:
    healthy, incident = draft(run, expect_fail=False), draft(run, expect_fail=True)
    assert [one.id for one in healthy] == [one.id for one in incident]
    for usual, strict in zip(healthy, incident, strict=True):
        passes = evaluate(strict, run.trace).status == "pass"
        assert passes is (usual == strict)


@costly
@given(runs)
def test_drafts_survive_canonical_json(run: Run) -> None:
    drafted = draft(run, expect_fail=False)
    stored: Any = parse(dumps([contract_to_json(contract) for contract in drafted]))
    assert contracts_from_json(stored) == drafted
    assert [contract_to_json(contract_from_json(value)) for value in stored] == stored


@costly
@given(values, values)
def test_an_output_satisfies_its_own_schema_and_one_that_both_satisfy_is_of_one_type(one: Any, other: Any) -> None:
    assert violations(one, schema_of(one)) == []
    if not violations(other, schema_of(one)):
        assert schema_of(one)["type"] == schema_of(other)["type"]


@costly
@given(runs, findings, st.booleans())
def test_nothing_is_verified_that_was_not_evaluated(run: Run, found: list[TraceFinding], expect_fail: bool) -> None:
    drafted = draft(run, expect_fail=expect_fail)
    got = verify(run, drafted, found, expect_fail=expect_fail)
    watched = any(step.type in ("llm_call", "tool_call") for step in run.trace.steps)
    sound = watched and not any(finding.fails for finding in found)
    failed = [result.id for result in got.contracts if result.status == "hard_fail"]
    assert got.verified is (sound and bool(drafted) and bool(failed) is expect_fail)
    assert bool(got.causes) is (got.outcome == "not_verified")
    assert got.expected_failures == (tuple(failed) if expect_fail else ())
    if got.outcome == "nothing_to_verify":
        assert sound
        assert not drafted
        assert not expect_fail
        assert not run.source.exit_code
        assert run.trace.status == "completed"
    assert got == verify(run, drafted, found, expect_fail=expect_fail)
