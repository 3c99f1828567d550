"""A small project with a recorded run and a test of it, as `stepfork export` would leave them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from stepfork.drafting.regression_test import RegressionTest, regression_test
from stepfork.drafting.ways import Root
from stepfork.store.bundle import write_bundle
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Step, StepError, Trace

RECORDED = {"destination": "Lisbon", "selected_flight": "A", "plan": "fly, then walk"}
WANTED = {**RECORDED, "selected_flight": "B"}

AGENT = """
from stepfork import trace_tool


@trace_tool
def search_flights(city):
    raise RuntimeError("a replay runs no tool")


def run_agent(request):
    flights = search_flights(request["city"])
    return {"destination": request["city"], "selected_flight": flights[%d], "plan": "fly, then walk"}
"""
BUGGY, FIXED = AGENT % 0, AGENT % 1

UNSET = msgspec.UNSET


def recorded_trace(output: Any = RECORDED, *, raised: bool = False) -> Trace:
    step = Step("tool_call", "search_flights", 0, 1, arguments={"city": "Lisbon"}, result=["A", "B"], instrumented=True)
    error = StepError("RuntimeError", "no") if raised else None
    return Trace(
        "instrumented",
        (step,),
        input={"city": "Lisbon"},
        output=UNSET if raised else output,
        status="error" if raised else "completed",
        error=error,
    )


def bundle(folder: Path, output: Any = RECORDED, *, raised: bool = False, name: str = "booking") -> Path:
    path = folder / f"{name}.sftrace"
    run = Run(Source("in_process", replay_capable=True), recorded_trace(output, raised=raised))
    write_bundle(path, Fixture(name, run))
    return path


def source_of(
    expectation: Any = WANTED,
    trajectory: Any = None,
    *,
    trace: str = "booking.sftrace",
    entrypoint: str = "agent:run_agent",
) -> str:
    return regression_test(RegressionTest("booking", Root(0, ""), trace, entrypoint, expectation, trajectory))


def booking(
    folder: Path, agent: str = FIXED, expectation: Any = WANTED, trajectory: Any = None, *, output: Any = RECORDED
) -> Path:
    """The project in `folder`; the path of its test."""
    bundle(folder, output)
    (folder / "agent.py").write_text(agent)
    test = folder / "test_booking_regression.py"
    test.write_text(source_of(expectation, trajectory), encoding="utf-8")
    return test


def edited(test: Path, *changes: Sequence[str]) -> Path:
    """`test` with texts replaced, each of which must be there."""
    text = test.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    test.write_text(text, encoding="utf-8")
    return test
