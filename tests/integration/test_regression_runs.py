"""Exported tests, run: red on the bug, green on the fix, never a pass where nothing was compared."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stepfork
from stepfork.errors import EntrypointError, StepforkError, StoreError, UsageError
from stepfork.export.runtime import run_regression_case
from stepfork.store.bundle import read_bundle
from stepfork.trace.step import StepError
from tests.integration.exporting import AGENT, FIXED, WANTED, agent, bundle, export, recorded

MISMATCH = """behavior mismatch at 'selected_flight': expected "B", got "A\""""
Case = Callable[..., None]


@pytest.fixture
def case(project: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    """Run the case of a recorded failure; whatever is given takes the place of what the test says."""
    entrypoint = recorded(project, monkeypatch)

    def run(source: str = AGENT, **changes: Any) -> None:
        agent(project, source)
        said = {"expectation": WANTED, "has_expectation": True, **changes}
        run_regression_case(
            **{"trace_path": project / "failure.sftrace", "entrypoint": entrypoint, "root": project, **said}
        )

    return run


def pytest_run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_the_exported_test_is_red_on_the_bug_and_green_on_the_fix(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entrypoint = recorded(project, monkeypatch)
    (project / "expected.json").write_text(json.dumps(WANTED))
    (project / "calls.json").write_text(json.dumps({"sequence": ["search_flights", "book_flight"], "max_steps": 2}))
    words = ("--expect-output", "expected.json", "--expect-trajectory", "calls.json", "--output", "tests/test_it.py")
    assert export("failure.sftrace", "--pytest", "--entrypoint", entrypoint, *words) == 0
    red = pytest_run(project, "tests/test_it.py")
    assert red.returncode == 1
    errors = [line for line in red.stdout.splitlines() if line.startswith("E ")]
    assert errors == [f"E       AssertionError: {MISMATCH}"]
    assert "src/stepfork" not in red.stdout  # the traceback ends where the test does
    agent(project, FIXED)
    green = pytest_run(project, "tests/test_it.py")
    assert (green.returncode, "1 passed" in green.stdout) == (0, True), green.stdout


def test_all_differences_are_told_under_v_and_else_the_first(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entrypoint = recorded(project, monkeypatch)
    (project / "expected.json").write_text(json.dumps({**WANTED, "destination": "Porto", "price": None}))
    assert export("failure.sftrace", "--entrypoint", entrypoint, "--expect-output", "expected.json") == 0
    lines = [
        """AssertionError: behavior mismatch at 'destination': expected "Porto", got "Lisbon\"""",
        MISMATCH,
        "behavior mismatch at 'price': expected null, got (absent)",
    ]
    brief = pytest_run(project, "test_failure_regression.py").stdout
    assert f"E       {lines[0]}\nE       and 2 more (pytest -v lists them)\n" in brief
    assert MISMATCH not in brief
    whole = pytest_run(project, "-v", "test_failure_regression.py").stdout
    assert "".join(f"E       {line}\n" for line in lines) in whole


def test_the_fix_passes_and_the_bug_fails_with_the_message_of_the_reference(case: Case) -> None:
    case(FIXED)
    with pytest.raises(AssertionError) as caught:
        case()
    assert str(caught.value) == MISMATCH
    assert type(caught.value) is AssertionError


def test_without_an_expectation_the_recorded_output_is_asserted(case: Case) -> None:
    case(AGENT, expectation=None, has_expectation=False)
    with pytest.raises(AssertionError, match='expected "A", got "B"'):
        case(FIXED, expectation=None, has_expectation=False)


def test_a_null_expectation_is_one(case: Case) -> None:
    with pytest.raises(AssertionError, match=r"behavior mismatch at '\$': expected null, got"):
        case(expectation=None, has_expectation=True)
    case(AGENT.replace('return {"destination"', 'return None and {"destination"'), expectation=None)


def test_c100_true_is_not_1_when_a_test_runs(case: Case) -> None:
    returns = AGENT.replace("    return {", '    return {"count": True, "ok": 1, "sum": 1.0} or {')
    case(returns, expectation={"count": True, "ok": 1, "sum": 1.0})
    for wrong in (
        {"count": 1, "ok": 1, "sum": 1.0},
        {"count": True, "ok": True, "sum": 1.0},
        {"count": True, "ok": 1, "sum": 1},
    ):
        with pytest.raises(AssertionError, match="behavior mismatch"):
            case(returns, expectation=wrong)


@pytest.mark.parametrize("words", [(), ("--tb=native",), ("--full-trace", "-rA")])
def test_what_an_entrypoint_raises_is_shown_without_secrets(
    project: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    secret = "".join(["zQ7kV2", "mX9pL4wR8"])
    monkeypatch.setenv("ACME_API_TOKEN", secret)
    entrypoint = recorded(project, monkeypatch)
    (project / "expected.json").write_text(json.dumps(WANTED))
    named = ("--expect-output", "expected.json", "--output", "test_it.py")
    assert export("failure.sftrace", "--entrypoint", entrypoint, *named) == 0
    agent(
        project,
        AGENT.replace("    return min(", "    import os; raise ValueError(os.environ['ACME_API_TOKEN'])\n    min("),
    )
    red = pytest_run(project, "test_it.py", *words)
    assert red.returncode == 1
    assert "the entrypoint raised ValueError: [redacted]" in red.stdout
    assert secret not in red.stdout + red.stderr


@pytest.mark.parametrize(
    ("value", "text"), [("float('nan')", "nan"), ("float('inf')", "inf"), ("10 ** 30", str(10**30))]
)
def test_a_number_that_json_cannot_carry_is_no_text(case: Case, value: str, text: str) -> None:
    with pytest.raises(AssertionError, match="behavior mismatch at 'a'"):
        case(AGENT.replace("    return {", f'    return {{"a": {value}}} or {{'), expectation={"a": text})


def test_an_entrypoint_that_raises_fails_and_says_what(case: Case) -> None:
    with pytest.raises(AssertionError) as caught:
        case(AGENT.replace("    return {", '    raise KeyError("seat")\n    return {'))
    assert str(caught.value) == "the entrypoint raised KeyError: 'seat'"
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize(
    "raises", ["raise SystemExit(0)", "import pytest; pytest.skip('no')", "import pytest; pytest.xfail('no')"]
)
def test_an_entrypoint_that_leaves_is_no_pass(case: Case, raises: str) -> None:
    with pytest.raises(AssertionError, match="the entrypoint raised"):
        case(AGENT.replace("    return {", f"    {raises}\n    return {{"))


@pytest.mark.parametrize(
    "change",
    [
        ("search_flights(destination)\n    try", 'search_flights("Porto")\n    try'),
        ('    try:\n        book_flight("any")', "    try:\n        pass"),
        ("    return {", "    search_flights(destination)\n    return {"),
        (
            "    return {",
            "    try:\n        search_flights(destination)\n    except Exception:\n        pass\n    return {",
        ),
        ("flights = search_flights(destination)", 'flights = [{"flight": "B", "price": 1}]'),
    ],
)
def test_a_run_that_diverges_fails_whatever_it_returns(case: Case, change: tuple[str, str]) -> None:
    source = FIXED.replace(*change)
    assert source != FIXED
    with pytest.raises(AssertionError) as caught:
        case(source)
    assert "call " in str(caught.value)
    assert str(caught.value).endswith("\nif the change is wanted: record the changed run, and export from that")


def test_another_call_is_told_with_its_input_in_short(case: Case) -> None:
    with pytest.raises(AssertionError) as caught:
        case(AGENT.replace('        book_flight("any")', '        search_flights("Oslo" * 100)'))
    said, advice = str(caught.value).splitlines()[0], str(caught.value).splitlines()[-1]
    assert said.startswith(
        'call 2 of 2 is search_flights, recorded was book_flight; its input: {"destination": "OsloOslo'
    )
    assert len(said) < 200
    assert advice.startswith("if the change is wanted: ")
    assert not isinstance(caught.value, StepforkError)


def test_trajectories_are_held_against_the_calls_that_were_made(case: Case) -> None:
    kept = {
        "called": ["search_flights", "book_flight"],
        "not_called": ["charge_card"],
        "counts": {"book_flight": 1},  # it failed, and counts
        "arguments": [{"name": "search_flights", "value": {"destination": "Lisbon"}, "occurrence": 1}],
        "order": [["search_flights", "book_flight"]],
        "sequence": ["search_flights", "book_flight"],
        "max_steps": 2,
    }
    case(FIXED, trajectory=kept)
    with pytest.raises(AssertionError, match="trajectory mismatch at 'not_called'"):
        case(FIXED, trajectory={"not_called": ["book_flight"]})
    with pytest.raises(AssertionError, match="trajectory mismatch at 'max_steps': expected at most 1 call, got 2"):
        case(FIXED, trajectory={"max_steps": 1})
    with pytest.raises(UsageError, match="is no member"):
        case(FIXED, trajectory={"calls": []})


def _nothing(folder: Path) -> None:
    shutil.rmtree(folder)


def _emptied(folder: Path) -> None:
    (folder / "manifest.json").write_text("{}")


def _cut(folder: Path) -> None:
    data = (folder / "manifest.json").read_bytes()
    (folder / "manifest.json").write_bytes(data[: len(data) // 2])


def _without_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def _without_objects(folder: Path) -> None:
    shutil.rmtree(folder / "objects")


def _edited_output(folder: Path) -> None:
    for path in (folder / "objects").rglob("*"):
        if path.is_file() and b'"A"' in path.read_bytes():
            path.write_bytes(path.read_bytes().replace(b'"A"', b'"B"'))


def _bad_text(folder: Path) -> None:
    for path in (folder / "objects").rglob("*"):
        if path.is_file():
            path.write_bytes(b"\xff" + path.read_bytes())


def _deep(folder: Path) -> None:
    (folder / "manifest.json").write_bytes(b"[" * 100_000)


def _huge(folder: Path) -> None:
    data = (folder / "manifest.json").read_bytes()
    (folder / "manifest.json").write_bytes(data.replace(b"1", b"9" * 5_000, 1))


def _linked(folder: Path) -> None:
    folder.rename(folder.with_name("real.sftrace"))
    folder.symlink_to(folder.with_name("real.sftrace"), target_is_directory=True)


@pytest.mark.parametrize(
    "damage",
    [
        _nothing,
        _emptied,
        _cut,
        _without_manifest,
        _without_objects,
        _edited_output,
        _bad_text,
        _deep,
        _huge,
        _linked,
    ],
)
def test_c102_a_missing_or_damaged_recording_fails_and_is_no_verdict(
    project: Path, case: Case, damage: Callable[[Path], None]
) -> None:
    damage(project / "failure.sftrace")
    for source in (AGENT, FIXED):
        with pytest.raises(StoreError) as caught:
            case(source)
        assert "\n" not in str(caught.value)
        assert _is_told_alone(caught.value)


def _is_told_alone(error: BaseException) -> bool:
    """Whether no other traceback is printed above the one line."""
    return error.__cause__ is None and (error.__context__ is None or error.__suppress_context__)


@pytest.mark.parametrize(
    "change",
    [
        {"fixture_version": 99},
        {"name": 3},
        {"name": "../x"},
        {"source": {}},
        {"objects": ["x"]},
        {"requires": 3},
        {"requires": ["x"]},
        {"verification": 3},
        None,
    ],
)
def test_c102_a_manifest_with_another_member_is_told_in_one_line(
    project: Path, case: Case, change: dict[str, Any] | None
) -> None:
    manifest = project / "failure.sftrace/manifest.json"
    document = json.loads(manifest.read_bytes()) if change is not None else {"fixture_version": 1}
    manifest.write_text(json.dumps({**document, **(change or {})}))
    with pytest.raises(StoreError) as caught:
        case(FIXED)
    assert _is_told_alone(caught.value)


def test_c102_pytest_neither_skips_nor_passes_without_the_recording(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entrypoint = recorded(project, monkeypatch)
    assert export("failure.sftrace", "--entrypoint", entrypoint) == 0
    shutil.rmtree(project / "failure.sftrace")
    done = pytest_run(project, "-rA", "test_failure_regression.py")
    assert done.returncode == 1
    assert "1 failed" in done.stdout
    assert "stepfork.errors.NotFoundError: " in done.stdout
    assert "src/stepfork" not in done.stdout  # one line, and no way through stepfork above it
    assert "AssertionError" not in done.stdout


def test_c102_a_recording_without_calls_answers_nothing(project: Path) -> None:
    from stepfork.store.bundle import write_bundle
    from stepfork.trace.fixture import Fixture, Run, Source
    from stepfork.trace.step import Trace

    path = project / "empty.sftrace"
    write_bundle(path, Fixture("empty", Run(Source("in_process", False), Trace("instrumented", (), output=WANTED))))
    entrypoint = agent(project, "def run_agent(): return " + repr(WANTED))
    with pytest.raises(StepforkError, match="holds no calls to answer from"):
        run_regression_case(trace_path=path, entrypoint=entrypoint, expectation=WANTED, root=project)


@pytest.mark.parametrize(
    "entrypoint", ["no_such_module_here:run", "booking_agent_under_test:no_such_name", "x", ":", "a:"]
)
def test_an_entrypoint_that_cannot_be_had_is_no_verdict(case: Case, entrypoint: str) -> None:
    with pytest.raises(EntrypointError) as caught:
        case(FIXED, entrypoint=entrypoint)
    assert not isinstance(caught.value, AssertionError)


def test_an_entrypoint_whose_module_raises_is_no_verdict(project: Path, case: Case) -> None:
    with pytest.raises(EntrypointError, match="its import raised"):
        case("import pytest\npytest.skip('not today', allow_module_level=True)\n")


def test_a_test_that_asserts_nothing_is_no_pass(project: Path) -> None:
    failed = bundle(project / "failed.sftrace", error=StepError("ValueError", "no flight"))
    with pytest.raises(UsageError, match="the test asserts nothing"):
        run_regression_case(
            trace_path=failed, entrypoint=agent(project), expectation=None, has_expectation=False, root=project
        )


def test_a_failed_run_is_a_test_of_what_it_should_have_come_to(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(project)
    raising = AGENT.replace("    return {", '    raise ValueError("no flight")\n    return {')
    entrypoint = agent(project, raising)
    module = __import__(entrypoint.partition(":")[0])
    with (
        pytest.raises(ValueError, match="no flight"),
        stepfork.record("failed", output=project / "failed.sftrace", allow_capture=True) as capture,
    ):
        capture.run(module.run_agent, "Lisbon")

    def run(source: str, **said: Any) -> None:
        agent(project, source)
        run_regression_case(trace_path="failed.sftrace", entrypoint=entrypoint, root=project, **said)

    run(FIXED, expectation=WANTED)
    for source in (raising, AGENT):
        with pytest.raises(AssertionError):
            run(source, expectation=WANTED)
    run(AGENT, has_expectation=False, trajectory={"called": ["search_flights"]})
    with pytest.raises(AssertionError, match="the entrypoint raised ValueError: no flight"):
        run(raising, has_expectation=False, trajectory={"called": ["search_flights"]})


VARYING = """\
from stepfork import trace_tool
import datetime, tempfile, uuid

@trace_tool
def book(flight):
    now = datetime.datetime.now(datetime.timezone.utc).isoformat()
    return {"id": "req_" + uuid.uuid4().hex, "created_at": now, "path": tempfile.gettempdir() + "/ticket"}

def run_agent(flight):
    return {**book(flight), "n": 1}
"""


def test_what_a_recording_has_placeholders_for_is_met_by_what_stands_for_it(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(project)
    entrypoint = agent(project, VARYING, "varying_agent_under_test")
    module = __import__(entrypoint.partition(":")[0])
    with stepfork.record("varying", output=project / "varying.sftrace", allow_capture=True) as capture:
        capture.run(module.run_agent, "B")
    output = read_bundle(project / "varying.sftrace").run.trace.output
    assert all("{{" in output[name] for name in ("id", "created_at", "path"))

    def run(**said: Any) -> None:
        run_regression_case(trace_path="varying.sftrace", entrypoint=entrypoint, root=project, **said)

    run(has_expectation=False)
    run(expectation=output)
    (project / "expected.json").write_text(json.dumps({**output, "id": "req_0123456789abcdef"}))
    assert export("varying.sftrace", "--entrypoint", entrypoint, "--expect-output", "expected.json") == 0
    assert "the value expected at 'id' varies from run to run (id)" in capsys.readouterr().err
    for wrong in ({"n": 2}, {"id": "x" + output["id"]}, {"path": output["id"]}, {"created_at": output["path"]}):
        with pytest.raises(AssertionError, match=f"behavior mismatch at '{next(iter(wrong))}'"):
            run(expectation={**output, **wrong})


def test_secrets_are_not_in_what_a_failing_test_says(
    project: Path, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "-".join(["s3cret", "of", "the", "environment"])
    monkeypatch.setenv("BOOKING_API_KEY", secret)
    source = AGENT.replace("    return {", '    import os\n    return {"a": os.environ["BOOKING_API_KEY"]} or {')
    with pytest.raises(AssertionError) as caught:
        case(source, expectation={"a": "x"})
    assert secret not in str(caught.value)
    with pytest.raises(AssertionError) as caught:
        case(
            AGENT.replace(
                "    return {", '    import os\n    raise ValueError(os.environ["BOOKING_API_KEY"])\n    return {'
            )
        )
    assert secret not in str(caught.value)


def test_a_live_test_runs_what_it_names(case: Case) -> None:
    source = FIXED.replace('{"flight": "B", "price": 140}', '{"flight": "Z", "price": 999}')
    case(source, expectation=WANTED)  # frozen: the recorded flights
    case(source, expectation={**WANTED, "selected_flight": "Z"}, mode="live", allow_live_tools=["search_flights"])
    with pytest.raises(UsageError, match="no instrumented call"):
        case(source, mode="live", allow_live_tools=["charge_card"])
    with pytest.raises(UsageError, match="mode"):
        case(source, mode="fast")
