"""Recorded runs, and the tests that they are exported as, for the tests of both."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stepfork
from stepfork.cli.main import main
from stepfork.store.bundle import write_bundle
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Step, StepError, Trace

AGENT = """\
from stepfork import trace_tool

@trace_tool
def search_flights(destination):
    return [{"flight": "A", "price": 90}, {"flight": "B", "price": 140}]

@trace_tool
def book_flight(flight):
    raise TimeoutError("the airline did not answer")

def run_agent(destination):
    flights = search_flights(destination)
    try:
        book_flight("any")
    except TimeoutError:
        pass
    return {"destination": destination, "selected_flight": choose(flights)["flight"]}

def choose(flights):
    return min(flights, key=lambda flight: flight["price"])
"""
FIXED = AGENT.replace("min(", "max(")
WANTED = {"destination": "Lisbon", "selected_flight": "B"}
RECORDED = {"destination": "Lisbon", "selected_flight": "A"}

SEARCH = Step(
    "tool_call", "search_flights", 0, 1, arguments={"destination": "Lisbon"}, result=["A", "B"], instrumented=True
)


def step(**changes: Any) -> Step:
    """A call of the recorded run."""
    import msgspec

    return msgspec.structs.replace(SEARCH, **changes)


def bundle(path: Path, *steps: Step, output: Any = None, error: StepError | None = None, name: str = "failure") -> Path:
    """A bundle of a run with these calls; with an `error` of a run that failed."""
    ended: dict[str, Any] = {"status": "error", "error": error} if error is not None else {"output": output}
    trace = Trace("instrumented", steps or (SEARCH,), input="Lisbon", **ended)
    write_bundle(path, Fixture(name, Run(Source("in_process", False), trace)))
    return path


def agent(folder: Path, source: str = AGENT, name: str = "booking_agent_under_test") -> str:
    """Write the agent as a module of its own. The entrypoint's name."""
    (folder / f"{name}.py").write_text(source)
    sys.modules.pop(name, None)
    return f"{name}:run_agent"


def recorded(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str = "failure") -> str:
    """Write the agent, and a recording of what it does, into `folder`. The entrypoint's name."""
    monkeypatch.syspath_prepend(folder)
    entrypoint = agent(folder)
    module = __import__(entrypoint.partition(":")[0])
    with stepfork.record(name, output=folder / f"{name}.sftrace", allow_capture=True) as capture:
        capture.run(module.run_agent, "Lisbon")
    return entrypoint


Export = Callable[..., int]


def export(*words: str | Path) -> int:
    """``stepfork export`` with these words; the exit code."""
    return main(["export", *map(str, words)])
