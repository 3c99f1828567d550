"""An exported test as people read it."""

from __future__ import annotations

import ast

import pytest

from stepfork.drafting.regression_test import RegressionTest, regression_test
from stepfork.drafting.ways import Root

EXPECTED = '''\
"""A recorded run, replayed: what it must come to.

Written by stepfork export, from a fixed template. The entrypoint runs; its tools and model
calls are answered from the recording, and a call that was not recorded fails the test.
"""

from pathlib import Path

from stepfork.export.runtime import run_regression_case

ROOT = Path(__file__).resolve().parents[1]
TRACE_PATH = ROOT / "traces/failure.sftrace"
ENTRYPOINT = "examples.booking_agent:run_agent"
EXPECTATION = {"destination": "Lisbon", "selected_flight": "B"}
HAS_EXPECTATION = True
TRAJECTORY_EXPECTATION = {"called": ["search_flights"]}


def test_stepfork_regression_failure() -> None:
    run_regression_case(
        trace_path=TRACE_PATH,
        entrypoint=ENTRYPOINT,
        expectation=EXPECTATION,
        has_expectation=HAS_EXPECTATION,
        trajectory=TRAJECTORY_EXPECTATION,
        root=ROOT,
    )
'''


def test_the_template_is_the_one_of_the_manual() -> None:
    test = RegressionTest(
        name="failure",
        root=Root(1, ""),
        trace="traces/failure.sftrace",
        entrypoint="examples.booking_agent:run_agent",
        expectation={"destination": "Lisbon", "selected_flight": "B"},
        trajectory={"called": ["search_flights"]},
    )
    assert regression_test(test) == EXPECTED
    assert regression_test(test) == regression_test(test)


def test_without_an_expectation_the_recorded_output_is_it() -> None:
    text = regression_test(RegressionTest("x", Root(0, ""), "x.sftrace", "a:b"))
    assert "EXPECTATION = None\nHAS_EXPECTATION = False\nTRAJECTORY_EXPECTATION = None\n" in text
    assert "ROOT = Path(__file__).resolve().parent\n" in text


def test_a_null_is_an_expectation() -> None:
    text = regression_test(RegressionTest("x", Root(0, ""), "x.sftrace", "a:b", None))
    assert "EXPECTATION = None\nHAS_EXPECTATION = True\n" in text


def test_a_live_test_names_what_it_runs() -> None:
    text = regression_test(RegressionTest("x", Root(0, "src"), "x.sftrace", "a:b", 1, None, "live", ("search",)))
    assert 'MODE = "live"\n' in text
    assert 'ALLOW_LIVE_TOOLS = ["search"]\n' in text
    assert "        mode=MODE,\n        allow_live_tools=ALLOW_LIVE_TOOLS,\n" in text
    assert 'ROOT = Path(__file__).resolve().parent / "src"\n' in text


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ({}, "EXPECTATION: dict[str, object] = {}"),
        ([], "EXPECTATION: list[object] = []"),
        ({"a": []}, 'EXPECTATION: dict[str, object] = {"a": []}'),
        ([1, {}], "EXPECTATION: list[object] = [1, {}]"),
        ("", 'EXPECTATION = ""'),
    ],
)
def test_what_a_type_checker_cannot_guess_is_annotated(value: object, line: str) -> None:
    assert line in regression_test(RegressionTest("x", Root(0, ""), "x.sftrace", "a:b", value)).splitlines()


@pytest.mark.parametrize("name", ["", "a/b", "é" * 200, "東京" * 100, "\ud800", '"""', "import os\n", "9"])
def test_any_name_makes_a_function_whose_line_is_not_cut(name: str) -> None:
    text = regression_test(RegressionTest(name, Root(0, ""), "x.sftrace", "a:b"))
    (function,) = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    assert function.name.startswith("test_stepfork_regression_")
    line = next(line for line in text.splitlines() if line.startswith("def "))
    assert sum(1 if char.isascii() else 2 for char in line) <= 88
