"""`stepfork run` with real pytest: passed is only what ran, whatever the tested code does to look as if it had."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from stepfork.cli.app import main
from stepfork.config.environment import environ
from stepfork.errors import UsageError
from stepfork.redact.redactor import redact_text
from stepfork.redact.secrets import Secrets
from stepfork.workflows.run import RunRequest, RunResult, run
from stepfork.workflows.run_verdict import REASONS
from tests.integration.exported import BUGGY, booking, edited

MARK = "def test_stepfork"
TOP = "from pathlib import Path\n"


LIGHT = """
def run_agent(request):
    flights = ["A", "B"]
    return {"destination": request["city"], "selected_flight": flights[1], "plan": "fly, then walk"}
"""
STAND_IN = """
import importlib, os, pytest, sys
import stepfork.export.runtime as runtime

def run_case(*, entrypoint, expectation, root, **given):
    sys.path.insert(0, str(root))
    assert importlib.import_module("agent").run_agent({"city": "Lisbon"}) == expectation

runtime.run_regression_case = run_case
"""
"""For tests of what surrounds a replay, which costs more than all the rest."""


def executed(test: Path, **more: Any) -> RunResult:
    given = {"environ": environ(), "cwd": test.parent, "clean": str, "seconds": 120.0, "stdout": subprocess.DEVNULL}
    return run(RunRequest(test, **{**given, **more}))


def document(result: RunResult) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(result.document)
    schema = json.loads(resources.files("stepfork").joinpath("schemas/receipt.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(made)
    assert set(schema["properties"]["reason"]["enum"]) == {*REASONS, None}
    return made


def conftest(text: str) -> Callable[[Path], None]:
    def write(test: Path) -> None:
        test.with_name("conftest.py").write_text(f"{STAND_IN}\n{text}\n")

    return write


def settings(text: str) -> Callable[[Path], None]:
    return lambda test: test.with_name("pytest.ini").write_text(f"[pytest]\n{text}\n") and None


def agent(text: str, template: str = LIGHT) -> Callable[[Path], None]:
    return lambda test: test.with_name("agent.py").write_text(template + text) and None


def body(line: str) -> Callable[[Path], None]:
    """The fixed agent, with a line before it answers."""
    return agent("", LIGHT.replace("    flights =", f"    {line}\n    flights ="))


def marked(mark: str) -> Callable[[Path], None]:
    return lambda test: edited(test, (TOP, f"{TOP}import pytest\n"), (MARK, f"{mark}\n{MARK}")) and None


def both(*steps: Callable[[Path], None]) -> Callable[[Path], None]:
    def do(test: Path) -> None:
        for step in steps:
            step(test)

    return do


def second(text: str) -> Callable[[Path], None]:
    return lambda test: test.write_text(test.read_text() + f"\n\n{text}\n") and None


def nothing(_test: Path) -> None:
    pass


TURNED = """
@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    report.outcome, report.longrepr = "passed", None
    return report
"""
REPLACED = """
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    yield
    return pytest.TestReport(item.nodeid, item.location, {}, "passed", None, call.when)
"""
OURS = """
import stepfork.workflows.regression as ours
def broken(_request):
    assert False, "ours"
ours.frozen_replay = broken
"""
BUG = agent("", LIGHT.replace("[1]", "[0]"))

CASES: dict[str, tuple[Callable[[Path], None], str, str | None]] = {
    "fixed": (nothing, "passed", None),
    "workers": (settings("addopts = -n 2"), "passed", None),
    "exit status changed": (
        both(BUG, conftest("def pytest_sessionfinish(session): session.exitstatus = 0")),
        "failed",
        "test_failed",
    ),
    "report turned": (both(BUG, conftest(TURNED)), "failed", "test_failed"),
    "report replaced": (both(BUG, conftest(REPLACED)), "failed or not", None),
    "exit status of a pass changed": (
        conftest("def pytest_sessionfinish(session): session.exitstatus = 3"),
        "could_not_execute",
        "pytest_error",
    ),
    "function leaves": (body("__import__('os')._exit(0)"), "could_not_execute", "crashed"),
    "module leaves": (agent("print('1 passed', flush=True)\nimport os\nos._exit(0)\n"), "could_not_execute", "crashed"),
    "killed": (body("import os; os.kill(os.getpid(), 9)"), "could_not_execute", "crashed"),
    "pytest is told to end": (body("import pytest; pytest.exit('', 0)"), "could_not_execute", "interrupted"),
    "skipped": (marked("@pytest.mark.skip"), "could_not_execute", "all_skipped"),
    "skipped module": (
        lambda test: edited(test, (TOP, f"{TOP}import pytest\npytest.skip('', allow_module_level=True)\n")) and None,
        "could_not_execute",
        "all_skipped",
    ),
    "skips itself": (body("import pytest; pytest.skip()"), "not passed", None),
    "expected to fail": (both(BUG, marked("@pytest.mark.xfail")), "could_not_execute", "all_xfailed"),
    "passes, expected to fail": (marked("@pytest.mark.xfail"), "could_not_execute", "xpassed"),
    "passes, strictly expected to fail": (marked("@pytest.mark.xfail(strict=True)"), "could_not_execute", "xpassed"),
    "one more is skipped": (
        second("def test_more():\n    __import__('pytest').skip()"),
        "could_not_execute",
        "some_skipped",
    ),
    "import error": (
        lambda test: edited(test, (TOP, f"{TOP}import nowhere\n")) and None,
        "could_not_execute",
        "collection_error",
    ),
    "raises what is no difference": (body("raise ValueError"), "could_not_execute", "test_error"),
    "name that is none": (second("def test_more(): nowhere"), "could_not_execute", "test_error"),
    "broken installation": (
        conftest(
            "import sys\nimport stepfork.workflows\nsys.modules['stepfork.export.runtime'].run_regression_case = "
            "lambda **_: __import__('stepfork.nowhere')"
        ),
        "could_not_execute",
        "test_error",
    ),
    "no memory": (body("raise MemoryError"), "could_not_execute", "test_error"),
    "pytest.fail": (body("import pytest; pytest.fail('')"), "failed", "test_failed"),
    "group of differences": (
        body("raise ExceptionGroup('', [ValueError(), AssertionError()])"),
        "failed",
        "test_failed",
    ),
    "group without one": (
        body("raise ExceptionGroup('', [ValueError(), ExceptionGroup('', [KeyError()])])"),
        "could_not_execute",
        "test_error",
    ),
    "diverged": (
        body("from stepfork.errors import ReplayMismatchError; raise ReplayMismatchError('')"),
        "failed",
        "test_failed",
    ),
    "broken beside a difference": (
        both(BUG, second("def test_more(): nowhere")),
        "failed",
        "test_failed",
    ),
    "deselected": (settings("addopts = -k nothing"), "could_not_execute", "nothing_collected"),
    "only collected": (settings("addopts = --collect-only"), "could_not_execute", "nothing_collected"),
    "taken out": (
        conftest("def pytest_collection_modifyitems(items): items.clear()"),
        "could_not_execute",
        "nothing_collected",
    ),
    "no loop": (conftest("def pytest_runtestloop(session): return True"), "could_not_execute", "nothing_collected"),
    "another name": (
        lambda test: edited(test, (MARK, "def stepfork")) and None,
        "could_not_execute",
        "nothing_collected",
    ),
    "fixture": (
        conftest("@pytest.fixture(autouse=True)\ndef broken(): raise ValueError"),
        "could_not_execute",
        "fixture_error",
    ),
    "fixture afterwards": (
        conftest("@pytest.fixture(autouse=True)\ndef broken():\n    yield\n    raise ValueError"),
        "could_not_execute",
        "fixture_error",
    ),
    "bad option": (settings("addopts = --no-such-option"), "could_not_execute", "pytest_error"),
    "test rewritten": (
        body("open('test_booking_regression.py', 'a').write('#')"),
        "could_not_execute",
        "changed_during_run",
    ),
    "agent rewritten": (body("open('agent.py', 'a').write('#')"), "could_not_execute", "changed_during_run"),
    "hangs": (conftest("__import__('threading').Event().wait()"), "could_not_execute", "timeout"),
}


REAL: dict[str, tuple[Callable[[Path], Any], str, str | None]] = {
    "fixed": (lambda test: test.with_name("pytest.py").write_text("raise SystemExit(0)"), "passed", None),
    "buggy": (lambda test: test.with_name("agent.py").write_text(BUGGY), "failed", "test_failed"),
    "no agent": (lambda test: test.with_name("agent.py").unlink(), "could_not_execute", "entrypoint_not_importable"),
    "agent raises": (
        lambda test: (
            edited(test.with_name("agent.py"), ("def run_agent(request):\n", "def run_agent(request):\n    nowhere\n"))
            and None
        ),
        "failed",
        "test_failed",
    ),
    "fault of ours in a replay": (
        lambda test: test.with_name("conftest.py").write_text(OURS),
        "could_not_execute",
        "test_error",
    ),
    "broken agent": (
        lambda test: test.with_name("agent.py").write_text("raise SystemExit(0)\n"),
        "could_not_execute",
        "entrypoint_not_importable",
    ),
}


@pytest.mark.parametrize("case", REAL)
def test_verdicts_on_a_replay(case: str, tmp_path: Path) -> None:
    change, verdict, reason = REAL[case]
    test = booking(tmp_path)
    change(test)
    told = document(executed(test))
    assert (told["verdict"], told["reason"]) == (verdict, reason)


@pytest.mark.parametrize("case", CASES)
def test_verdicts(case: str, tmp_path: Path) -> None:
    change, verdict, reason = CASES[case]
    test = booking(tmp_path, agent=LIGHT)
    conftest("")(test)
    change(test)
    alone = {} if case == "workers" else {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    told = document(executed(test, seconds=2.0 if case == "hangs" else 120.0, environ={**environ(), **alone}))
    if verdict in ("failed or not", "not passed"):
        assert told["verdict"] != "passed"
        return
    assert (told["verdict"], told["reason"]) == (verdict, reason)
    assert told["bundle"]["hash"]
    assert told["test"]["hash"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda test: test.unlink(), "test_missing"),
        (lambda test: test.write_bytes(b"\xff"), "not_a_test"),
        (lambda test: test.write_text("def test_a(): pass\n"), "not_a_test"),
        (lambda test: (test.unlink(), test.mkdir()), "not_a_test"),
        (lambda test: __import__("shutil").rmtree(test.with_name("booking.sftrace")), "bundle_missing"),
        (lambda test: test.with_name("booking.sftrace").joinpath("manifest.json").write_text("{}"), "bundle_damaged"),
        (lambda test: test.with_name("booking.sftrace").joinpath("manifest.json").unlink(), "bundle_damaged"),
        (lambda test: __import__("shutil").rmtree(test.with_name("booking.sftrace") / "objects"), "bundle_damaged"),
        (lambda test: edited(test, ('/ "booking.sftrace"', '/ "a" "\\ud800"')), "bundle_missing"),
    ],
)
def test_what_cannot_be_run_is_not_run(change: Callable[[Path], Any], reason: str, tmp_path: Path) -> None:
    test = booking(tmp_path, agent="open('ran', 'w')\n")
    change(test)
    told = document(executed(test))
    assert (told["verdict"], told["reason"], told["exit_status"]) == ("could_not_execute", reason, None)
    assert told["detail"]
    assert "\n" not in told["detail"]
    assert not (tmp_path / "ran").exists()


def test_the_code_is_run_as_it_is_now(tmp_path: Path) -> None:
    """Python takes what it has compiled for current by size and second of the last change."""
    test = booking(tmp_path, agent=LIGHT.replace("[1]", "[0]"))
    conftest("")(test)
    assert executed(test).verdict.verdict == "failed"
    kept = (tmp_path / "agent.py").stat()
    (tmp_path / "agent.py").write_text(LIGHT)
    os.utime(tmp_path / "agent.py", ns=(kept.st_atime_ns, kept.st_mtime_ns))
    assert executed(test).verdict.verdict == "passed"


def test_a_hook_variable_of_git_is_not_passed_on_and_the_receipt_is_told_of_the_commit(project: Path) -> None:
    folder = project / "tests"
    folder.mkdir()
    code = LIGHT.replace("    flights =", "    import os\n    assert 'GIT_INDEX_FILE' not in os.environ\n    flights =")
    test = booking(folder, agent=code)
    conftest("")(test)
    (folder / ".gitignore").write_text("__pycache__\n.pytest_cache\n")
    subprocess.run(["git", "init", "-q"], check=True)
    unborn = document(executed(test, cwd=project, environ={**environ(), "GIT_INDEX_FILE": "elsewhere"}))
    assert unborn["verdict"] == "passed"
    assert unborn["git"] == {"commit": None, "dirty": True}
    subprocess.run("git add . && git commit -qm one", shell=True, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    (project / "bundle").mkdir()
    edited(test, ('/ "booking.sftrace"', '/ "gone.sftrace"'))
    dirty = document(executed(test))
    assert dirty["git"] == {"commit": head, "dirty": True}
    subprocess.run(["git", "checkout", "-q", "."], check=True)
    (folder / "booking.sftrace").joinpath("manifest.json").write_text("{}")
    subprocess.run("git commit -qam two", shell=True, check=True)
    assert document(executed(test))["git"]["dirty"] is False
    assert document(executed(test, environ={**environ(), "PATH": str(folder)}))["git"] is None


def test_ctrl_c_ends_the_whole_group_and_says_so(tmp_path: Path) -> None:
    script = "import os, time; open('grandchild', 'w').write(str(os.getpid())); time.sleep(600)"
    line = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {script!r}]).wait()"
    test = booking(tmp_path, agent=LIGHT.replace("    flights =", f"    {line}\n    flights ="))
    conftest("")(test)
    told = tmp_path / "grandchild"
    command = [sys.executable, "-m", "stepfork", "run", test.name, "--receipt", "receipt.json", "--timeout", "0"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    ) as process:
        while not (told.exists() and told.read_text()) and process.poll() is None:
            time.sleep(0.05)  # until it runs
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 2, out
    assert out.startswith("could_not_execute (interrupted): ")
    assert json.loads((tmp_path / "receipt.json").read_text())["reason"] == "interrupted"
    stat = Path(f"/proc/{told.read_text()}/stat")
    assert not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] in "ZX"


def test_the_command_its_receipt_and_its_check(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    test = booking(project, agent=LIGHT)
    conftest("")(test)
    assert main(["run", test.name, "--receipt", "receipt.json"]) == 0
    out, err = capfd.readouterr()
    assert out == "passed: 1 test\n"
    assert "1 passed" in err
    assert main(["run", test.name, "--verify-receipt", "receipt.json"]) == 0
    assert capfd.readouterr().out.startswith("the receipt holds: passed")

    (project / "agent.py").write_text(LIGHT.replace("[1]", "[0]"))
    assert main(["run", test.name, "--verify-receipt", "receipt.json"]) == 1
    assert capfd.readouterr().out == "entrypoint: is not the one that was run\n"
    assert main(["run", test.name, "--receipt", "receipt.json", "--json"]) == 1
    assert json.loads(capfd.readouterr().out) == json.loads((project / "receipt.json").read_text())
    assert main(["run", test.name, "--verify-receipt", "receipt.json"]) == 0
    assert "failed (test_failed)" in capfd.readouterr().out

    receipt = (project / "receipt.json").read_text()
    (project / "receipt.json").write_text(receipt.replace('"failed",', '"passed",').replace('"test_failed"', "null"))
    edited(test, ('"B"', '"A"'))
    (project / "booking.sftrace" / "manifest.json").write_text("{}")
    (project / "agent.py").unlink()
    assert main(["run", test.name, "--verify-receipt", "receipt.json", "--json"]) == 1
    told = json.loads(capfd.readouterr().out)
    schema = json.loads(resources.files("stepfork").joinpath("schemas/receipt-check.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(told)
    assert [one["of"] for one in told["differences"]] == ["receipt", "test", "bundle", "entrypoint"]

    for arguments in (
        ["run", test.name, "--verify-receipt", "none.json"],
        ["run", test.name, "--verify-receipt", "agent.py"],
        ["run", "none.py", "--verify-receipt", "receipt.json"],
        ["run", test.name, "--receipt", "a", "--verify-receipt", "b"],
        ["run", test.name, "--timeout", "-1"],
        ["run", test.name, "--timeout", "nan"],
    ):
        assert main(arguments) == 2
        out, err = capfd.readouterr()
        assert out == ""
        assert err.count("\n") == 1


def test_a_receipt_that_could_not_be_written_is_refused_before_anything_runs(tmp_path: Path) -> None:
    test = booking(tmp_path, agent="open('ran', 'w')\n" + LIGHT)
    (tmp_path / "notes.json").write_text('{"receipt_version": "mine"}')
    (tmp_path / "empty").write_text("")
    (tmp_path / "link").symlink_to("elsewhere")
    for path in (
        test,
        tmp_path / "agent.py",
        tmp_path / "booking.sftrace",
        tmp_path / "booking.sftrace" / "new.json",
        tmp_path / "booking.sftrace" / "manifest.json",
        tmp_path / "notes.json",
        tmp_path / "empty",
        tmp_path / "link",
        tmp_path,
        tmp_path / "no" / "receipt.json",
        tmp_path / "notes.json" / "receipt.json",
        tmp_path / ("x" * 300),
    ):
        with pytest.raises(UsageError):
            executed(test, receipt=path)
    assert not (tmp_path / "ran").exists()
    assert (tmp_path / "notes.json").read_text() == '{"receipt_version": "mine"}'
    assert not [*tmp_path.glob(".*.tmp")]


def test_an_older_receipt_is_gone_before_the_run_and_secrets_are_in_none(tmp_path: Path) -> None:
    secret = "sk-proj-" + "Zq8" * 16
    folder = tmp_path / secret
    folder.mkdir()
    receipt = tmp_path / "receipt.json"
    look = f"import os; print(os.path.exists({str(receipt)!r}), file=open('seen', 'w'))"
    test = booking(folder, agent=LIGHT.replace("    flights =", f"    {look}\n    flights ="))
    conftest("")(test)
    secrets = Secrets.collect({}, {})
    for _ in range(2):
        executed(test, receipt=receipt, clean=lambda text: redact_text(text, secrets), command=("run", str(test)))
        assert (folder / "seen").read_text() == "False\n"
        assert json.loads(receipt.read_text())["verdict"] == "passed"
        assert secret not in receipt.read_text()
