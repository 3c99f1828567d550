"""Whatever an expectation or a recording holds: a test that says exactly that, or one line, exit 2 and no file."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.canonical.encode import dumps
from stepfork.cli.main import main
from stepfork.contracts.trajectory_expectation import TrajectoryExpectation, failures, read_trajectory
from stepfork.errors import StepforkError, UsageError
from stepfork.export.runtime import run_regression_case
from stepfork.store.bundle import write_bundle
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Step, Trace

OUTPUT = {"destination": "Lisbon", "selected_flight": "A"}
CALL = Step("tool_call", "search", 0, 1, arguments={"city": "Lisbon"}, result=["A", "B"], instrumented=True)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
MEMBERS = st.sampled_from([*TrajectoryExpectation.__struct_fields__, "other"])
NAMES = st.sampled_from(["search", "book", ""])
ODD = VALUES | st.lists(NAMES, max_size=3) | st.dictionaries(NAMES, st.integers(-1, 2), max_size=2)
TRAJECTORIES = st.dictionaries(MEMBERS, ODD | st.lists(st.lists(NAMES, max_size=3), max_size=2), max_size=4)


@contextlib.contextmanager
def folder_with_a_bundle() -> Iterator[Path]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        os.chdir(folder)
        try:
            trace = Trace("instrumented", (CALL,), input="Lisbon", output=OUTPUT)
            write_bundle(folder / "x.sftrace", Fixture("x", Run(Source("in_process", False), trace)))
            yield folder
        finally:
            os.chdir(before)


def export(*words: str) -> tuple[int, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["export", "x.sftrace", "--pytest", "--entrypoint", "a:b", *words])
    return code, err.getvalue()


def judged(folder: Path, document: bytes, option: str, name: str) -> Any:
    """What the test says of the document, after the checks that hold of any; None where it was refused."""
    test = folder / "test_x_regression.py"
    test.unlink(missing_ok=True)
    (folder / "document.json").write_bytes(document)
    code, err = export(option, "document.json")
    assert "Traceback" not in err
    if code != 0:
        assert (code, err.count("\n"), test.exists()) == (2, 1, False), err
        assert err.startswith("stepfork export: document.json: ")
        return None
    for node in ast.parse(test.read_bytes()).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if ast.unparse(target) == name:
                return [ast.literal_eval(node.value)]
    raise AssertionError(f"the test has no {name}")


@settings(max_examples=80)
@given(
    st.binary(max_size=40) | VALUES.map(lambda value: json.dumps(value).encode()) | st.text(max_size=20).map(str.encode)
)
def test_any_document_is_an_expectation_or_one_line(document: bytes) -> None:
    with folder_with_a_bundle() as folder:
        found = judged(folder, document, "--expect-output", "EXPECTATION")
        if found is not None:
            assert json.dumps(found[0]) == json.dumps(json.loads(document))


@settings(max_examples=80)
@given(TRAJECTORIES)
def test_any_trajectory_is_one_that_can_be_evaluated_or_one_line(document: Any) -> None:
    with folder_with_a_bundle() as folder:
        found = judged(folder, json.dumps(document).encode(), "--expect-trajectory", "TRAJECTORY_EXPECTATION")
        if found is not None:
            assert all("\n" not in line for line in failures(read_trajectory(found[0]), []))


@settings(max_examples=300)
@given(TRAJECTORIES)
def test_a_trajectory_that_is_read_rejects_some_run(document: Any) -> None:
    """What no run can break would pass whatever the agent did."""

    class Made:
        def __init__(self, name: str, kind: str = "tool_call") -> None:
            self.name, self.type, self.arguments = name, kind, {"odd": object}

    try:
        expectation = read_trajectory(document)
    except UsageError:
        return
    runs = [[], [Made(name) for name in ("book", "search", "book", "other")] * 3, [Made("other")] * 5]
    if expectation.max_steps is not None:
        runs.append([Made("m", "llm_call")] * (expectation.max_steps + 1))
    runs += [[Made(name)] for name in expectation.not_called]
    assert any(failures(expectation, run) for run in runs)  # type: ignore[arg-type]


def unnamed(data: bytes) -> Any:
    """What a file says, but for what the fixture is called: that is free."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return data
    return {**value, "name": ""} if isinstance(value, dict) and "seal" in value and dumps(value) == data else data


@settings(max_examples=60)
@given(st.data())
def test_a_recording_with_any_byte_changed_is_no_pass(data: st.DataObject) -> None:
    with folder_with_a_bundle() as folder:
        files = sorted(path for path in (folder / "x.sftrace").rglob("*") if path.is_file())
        path = data.draw(st.sampled_from(files))
        old = path.read_bytes()
        at = data.draw(st.integers(0, len(old) - 1))
        change = data.draw(st.integers(1, 255))
        kind = data.draw(st.sampled_from(["flip", "cut", "double", "gone"]))
        if kind == "flip":
            path.write_bytes(old[:at] + bytes([old[at] ^ change]) + old[at + 1 :])
        elif kind == "cut":
            path.write_bytes(old[:at])
        elif kind == "double":
            path.write_bytes(old[:at] + old[at : at + 1] + old[at:])
        else:
            path.unlink()
        if path.exists() and unnamed(path.read_bytes()) == unnamed(old):
            return
        code, err = export()
        assert (code, err.count("\n")) == (2, 1), err
        with pytest.raises(StepforkError) as caught:
            run_regression_case(
                trace_path=folder / "x.sftrace",
                entrypoint="json:dumps",
                has_expectation=False,
                trajectory={"max_steps": 9},
                root=folder,
            )
        assert "\n" not in str(caught.value)
