"""Scores of any values, and of files that anybody may have edited: the truth, or one line and exit code 2."""

from __future__ import annotations

import copy
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stepfork.canonical.encode import dumps
from stepfork.errors import StepforkError
from stepfork.score.battery import derive_battery, score_expectation
from stepfork.score.testfile import parse_test
from stepfork.workflows.recorded_run import read_recorded_run
from stepfork.workflows.score import ScoreRequest, score
from tests.integration.exported import WANTED, booking, bundle, source_of

T = TypeVar("T")

NUMBERS = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | st.integers(-2, 2) | NUMBERS | st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('ab.[]"', max_size=2), inner, max_size=3),
    max_leaves=8,
)
FEW = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def or_our_error(read: Callable[[], T]) -> T | None:
    """What is read; None where that is refused as it should be."""
    told = None
    try:
        return read()
    except StepforkError as error:
        told = error
    assert told.exit_code == 2
    assert "\n" not in str(told)
    return None


def naive(expectation: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The row whole: the expectation with another value in one place."""
    if not path:
        return value
    row = copy.deepcopy(expectation)
    above = row
    for step in path[:-1]:
        above = above[step]
    above[path[-1]] = value
    return row


@given(VALUES, VALUES, st.booleans())
def test_a_row_is_judged_as_the_comparison_of_whole_values_judges_it(expected: Any, other: Any, near: bool) -> None:
    recorded = copy.deepcopy(expected) if near else other
    rows = [*derive_battery(expected, recorded)]
    assert [row.kind for row in rows].count("claim") == 1
    for row in rows:
        whole = naive(expected, row.path, row.value)
        assert row.rejected == (dumps(whole) != dumps(expected))
        assert row.rejected or row.kind == "claim"
    pinned = score_expectation(expected, recorded)
    if b"{{" not in dumps([expected, recorded]) and b"[redacted]" not in dumps([expected, recorded]):
        same = dumps(expected) == dumps(recorded)
        assert pinned.verdict == ("run-pinned" if same else "claim-pinned")
        assert same or pinned.pins.live or pinned.pins.unnamed


@given(VALUES)
def test_the_literals_of_a_generated_test_are_read_back_exactly(value: Any) -> None:
    read = parse_test(source_of(value).encode(), Path("test_a.py"), where="test_a.py")
    assert dumps(read.expectation) == dumps(value)


SNIPPETS = (
    "EXPECTATION = 2",
    'EXPECTATION["plan"] = 1',
    "EXPECTATION.clear()",
    "x = EXPECTATION",
    "HAS_EXPECTATION = False",
    "EXPECTATION: dict",
    "for HAS_EXPECTATION in (False,): pass",
    "from types import SimpleNamespace as EXPECTATION",
    "def EXPECTATION(): ...",
    "class HAS_EXPECTATION: ...",
    "if EXPECTATION: pass",
    "[EXPECTATION := 1]",
    "import sys as TRACE_PATH",
    "# EXPECTATION = 3",
    '"""EXPECTATION = 4"""',
    "other = {'EXPECTATION': 5}",
    "    EXPECTATION = 6",
    "    EXPECTATION['plan'] = 7",
    "    EXPECTATION.update(plan=8)",
    "    global EXPECTATION",
    "    pass",
    "",
)


def asserted(source: str) -> list[tuple[Any, Any]]:
    """What Python itself hands on: of source that this test wrote, with a stand-in for what it calls."""
    seen: list[tuple[Any, Any]] = []
    stand_in = types.ModuleType("stepfork.export.runtime")
    stand_in.run_regression_case = lambda **given: seen.append(  # type: ignore[attr-defined]
        copy.deepcopy((given["expectation"], given["has_expectation"]))
    )
    module: dict[str, Any] = {"__file__": "/nowhere/test_a.py", "__name__": "test_a"}
    kept = sys.modules.get("stepfork.export.runtime")
    sys.modules["stepfork.export.runtime"] = stand_in
    try:
        exec(compile(source, "test_a.py", "exec"), module)
        module["test_stepfork_regression_booking"]()
    finally:
        if kept is None:
            del sys.modules["stepfork.export.runtime"]
        else:
            sys.modules["stepfork.export.runtime"] = kept
    return seen


@given(st.lists(st.tuples(st.integers(0, 40), st.sampled_from(SNIPPETS)), max_size=3))
def test_what_is_read_of_an_edited_test_is_what_python_hands_on(edits: list[tuple[int, str]]) -> None:
    lines = source_of(WANTED).splitlines()
    for at, snippet in edits:
        lines.insert(min(at, len(lines)), snippet)
    source = "\n".join(lines) + "\n"
    read = or_our_error(lambda: parse_test(source.encode(), Path("test_a.py"), where="test_a.py"))
    if read is None:
        return
    for expectation, has in asserted(source):
        assert has == read.has_expectation
        assert not has or dumps(expectation) == dumps(read.expectation)


@given(st.binary(max_size=60), st.integers(0, 900), st.integers(0, 60))
def test_any_bytes_in_a_test_are_a_value_or_our_error(new: bytes, at: int, cut: int) -> None:
    source = source_of(WANTED).encode()
    source = source[:at] + new + source[at + cut :]
    read = or_our_error(lambda: parse_test(source, Path("test_a.py"), where="test_a.py"))
    if read is not None:
        dumps([None if one is msgspec.UNSET else one for one in (read.expectation, read.trajectory)])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundle(tmp_path_factory.mktemp("whole"))


@FEW
@given(data=st.data())
def test_a_bundle_with_any_byte_changed_is_told_and_never_scored(data: st.DataObject, whole: Path) -> None:
    files = sorted(path for path in whole.rglob("*") if path.is_file())
    path = data.draw(st.sampled_from(files))
    before = path.read_bytes()
    kind = data.draw(st.sampled_from(("flip", "cut", "empty", "gone", "any")))
    at = data.draw(st.integers(0, len(before) - 1))
    after = {
        "flip": before[:at] + bytes([before[at] ^ data.draw(st.integers(1, 255))]) + before[at + 1 :],
        "cut": before[:at],
        "empty": b"{}",
        "gone": b"",
        "any": data.draw(st.binary(max_size=40)),
    }[kind]
    try:
        path.unlink()
        if kind != "gone":
            path.write_bytes(after)
        with pytest.raises(StepforkError) as told:
            read_recorded_run(whole)
    finally:
        path.write_bytes(before)
    assert told.value.exit_code == 2
    assert "\n" not in str(told.value)


@FEW
@given(data=st.binary(max_size=80) | VALUES.map(dumps))
def test_any_file_as_the_expected_output_is_a_verdict_or_our_error(data: bytes, tmp_path: Path) -> None:
    test = booking(tmp_path) if not (tmp_path / "booking.sftrace").exists() else tmp_path / "test_booking_regression.py"
    expected = tmp_path / "expected.json"
    expected.write_bytes(data)
    found = or_our_error(lambda: score(ScoreRequest(test, expected)))
    assert found is None or found.verdict in ("claim-pinned", "run-pinned", "undetermined")
