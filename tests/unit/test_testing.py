"""The public names that drafted tests import: what each returns, and how each fails."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec
import pytest

from stepfork import testing
from stepfork.contracts.json_form import contract_to_json, verification_to_json
from stepfork.contracts.spec import ToolCardinality
from stepfork.contracts.verification import Verification
from stepfork.errors import NotFoundError, UsageError
from stepfork.store.layout import init_store
from stepfork.store.store import Store
from stepfork.testing import ContractsFailed, ExpectChain, evaluate, expect, inspect_fixture, replay_run
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Step, Trace

REFUND = Step("tool_call", "refund", 0, 1, arguments={"order_id": "O-1042"})
TWICE = Trace("spans", (REFUND, msgspec.structs.replace(REFUND, start=2, end=3)))
AT_MOST_ONCE = ToolCardinality("refund", "order_id", 1, id="cardinality-refund-per-order_id")


def test_the_public_names_are_these_for_ever() -> None:
    assert set(testing.__all__) >= {
        "ContractResult", "ContractsFailed", "ExpectChain", "Inspected", "ReplayFailed", "Trace",
        "UnlistedToolWarning", "evaluate", "expect", "inspect_fixture", "replay_run",
    }  # fmt: skip
    assert testing.Trace is Trace


def test_contracts_that_hold_are_returned() -> None:
    results = evaluate(expect(TWICE).trajectory(["refund"]).tool_cardinality("refund", per="order_id", at_most=2))
    assert [(result.id, result.status) for result in results] == [
        ("tools-called", "pass"),
        ("cardinality-refund-per-order_id", "pass"),
    ]


def test_all_contracts_that_fail_are_listed_one_a_line() -> None:
    chain = expect(TWICE).trajectory(["refund", "notify"]).trajectory(["refund"])
    with pytest.raises(AssertionError) as failed:
        evaluate(chain.tool_cardinality("refund", per="order_id", at_most=1))
    assert isinstance(failed.value, ContractsFailed)
    assert str(failed.value).splitlines() == [
        "2 of 3 contracts fail: tools-called, cardinality-refund-per-order_id",
        "  FAIL  tools-called                      trajectory (superset) lacks [notify]; called [refund]",
        "  FAIL  cardinality-refund-per-order_id   refund called 2× for order_id=O-1042 (max 1)",
    ]
    assert [result.id for result in failed.value.failed] == ["tools-called", "cardinality-refund-per-order_id"]


def test_a_failure_quotes_no_secret_and_moves_no_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "swordfish-" + "of-order-1042"
    monkeypatch.setenv("SHOP_TOKEN", secret)
    steps = tuple(msgspec.structs.replace(REFUND, arguments={"order_id": f"{secret}\x1b[2J"}) for _ in range(2))
    with pytest.raises(AssertionError) as failed:
        evaluate(expect(Trace("spans", steps)).tool_cardinality("refund", per="order_id", at_most=1))
    assert secret not in str(failed.value)
    assert "\x1b" not in str(failed.value)


def test_a_chain_that_expects_nothing_cannot_be_evaluated() -> None:
    with pytest.raises(UsageError, match="nothing is expected"):
        evaluate(ExpectChain(TWICE))  # not by expect(): this test would fail for the chain that it leaves


@pytest.fixture
def store(project: Path) -> Store:
    init_store(project)
    return Store(project / ".stepfork")


def recorded(source: Source) -> Fixture:
    result = Verification("verified", True, True, (), (), ("cardinality-refund-per-order_id",))
    return Fixture("refund", Run(source, TWICE), (contract_to_json(AT_MOST_ONCE),), verification_to_json(result))


def test_a_recording_is_inspected_by_name_or_path_from_anywhere(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write(recorded(Source("otlp_file", False)))
    by_name = inspect_fixture("refund")
    monkeypatch.chdir(tmp_path)
    assert inspect_fixture(store.manifest_path("refund")) == by_name
    assert by_name.trace == TWICE
    assert [(result.id, result.status) for result in by_name.contracts] == [(AT_MOST_ONCE.id, "hard_fail")]
    assert by_name.verification is not None
    assert by_name.verification.expected_failures == (AT_MOST_ONCE.id,)
    with pytest.raises(NotFoundError, match=r"no \.stepfork folder here or above"):
        inspect_fixture("refund")


def test_what_a_test_refuses_runs_nothing(store: Store, project: Path) -> None:
    touch = [sys.executable, "-c", "open('ran', 'w')"]
    store.write(recorded(Source("command", True, ("python", "-c", "open('ran', 'w')"))))
    path = store.manifest_path("refund")
    with pytest.raises(UsageError, match="another command than COMMAND"):
        replay_run(path, command=touch, cwd=project)
    store.write(recorded(Source("command", True, tuple(touch))))
    with pytest.raises(UsageError, match="holds no model calls"):
        replay_run("refund", command=touch, cwd=project)
    assert not (project / "ran").exists()


def test_programs_of_the_own_environment_are_found_where_it_is_not_activated(monkeypatch: pytest.MonkeyPatch) -> None:
    own = str(Path(sys.executable).parent)
    monkeypatch.setattr(sys, "prefix", "/a/venv")
    assert testing._with_own_programs({"PATH": "/bin"})["PATH"] == f"{own}{os.pathsep}/bin"
    assert testing._with_own_programs({})["PATH"] == own
    there = {"PATH": f"/bin{os.pathsep}{own}"}
    assert testing._with_own_programs(there) is there
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    assert testing._with_own_programs({"PATH": "/bin"}) == {"PATH": "/bin"}
