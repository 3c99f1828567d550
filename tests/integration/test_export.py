"""stepfork export: what it writes, where, and what it refuses before it writes anything."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stepfork.drafting.file_names import regression_file
from stepfork.store.drafts import CAUSES
from stepfork.store.store import Store
from stepfork.trace.step import StepError
from stepfork.workflows.init import init_project
from tests.integration.exporting import RECORDED, WANTED, bundle, export, step

ENTRY = ("--pytest", "--entrypoint", "app.agent:run")


@pytest.fixture
def failure(project: Path) -> Path:
    """A bundle in the working directory."""
    return bundle(project / "failure.sftrace", output=RECORDED)


def reviewed(folder: Path, value: Any, name: str = "expected.json") -> Path:
    path = folder / name
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return path


def literals(path: Path) -> dict[str, Any]:
    found = {}
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            try:
                found[ast.unparse(target)] = ast.literal_eval(node.value)
            except ValueError:
                found[ast.unparse(target)] = ast.unparse(node.value)
    return found


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_bundle_becomes_a_test_and_what_comes_next_is_said(
    project: Path, failure: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = reviewed(project, WANTED)
    trajectory = reviewed(project, {"called": ["search_flights"]}, "trajectory.json")
    assert export(failure, *ENTRY, "--expect-output", expected, "--expect-trajectory", trajectory) == 0
    out, err = capsys.readouterr()
    assert out == "test_failure_regression.py\n"
    assert err == "next: pytest test_failure_regression.py\nnext: stepfork score test_failure_regression.py\n"
    assert literals(project / "test_failure_regression.py") == {
        "ROOT": "Path(__file__).resolve().parent",
        "TRACE_PATH": "ROOT / 'failure.sftrace'",
        "ENTRYPOINT": "app.agent:run",
        "EXPECTATION": WANTED,
        "HAS_EXPECTATION": True,
        "TRAJECTORY_EXPECTATION": {"called": ["search_flights"]},
    }


def test_a_fixture_of_the_store_becomes_a_test_by_its_name_and_by_its_manifest(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    init_project(project)
    bundle(project / "x.sftrace", output=RECORDED, name="trips/lisbon")
    from stepfork.store.bundle import read_bundle

    Store(project / ".stepfork").write(read_bundle(project / "x.sftrace"))
    expected = reviewed(project, WANTED)
    for word, name in (
        ("trips/lisbon", "tests/test_a.py"),
        (".stepfork/fixtures/trips/lisbon.json", "tests/test_b.py"),
    ):
        assert export(word, *ENTRY, "--expect-output", expected, "--output", name) == 0
        found = literals(project / name)
        assert found["ROOT"] == "Path(__file__).resolve().parents[1]"
        assert found["TRACE_PATH"] == "ROOT / '.stepfork/fixtures/trips/lisbon.json'"
    assert export("trips/lisbon", *ENTRY, "--expect-output", expected) == 0
    assert (project / regression_file("trips/lisbon")).exists()


def test_without_an_expectation_it_warns_that_the_test_asserts_the_recording(
    project: Path, failure: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(failure, *ENTRY) == 0
    err = capsys.readouterr().err
    assert "warning: the test asserts the recorded run output" in err
    assert "will pass against the code that produced the recording" in err
    assert literals(project / "test_failure_regression.py")["HAS_EXPECTATION"] is False


@pytest.mark.parametrize("value", [None, False, 0, "", [], {}])
def test_any_json_value_is_an_expectation(project: Path, failure: Path, value: Any) -> None:
    assert export(failure, *ENTRY, "--expect-output", reviewed(project, value)) == 0
    found = literals(project / "test_failure_regression.py")
    assert (found["HAS_EXPECTATION"], json.dumps(found.get("EXPECTATION"))) == (True, json.dumps(value))


def refused(capsys: pytest.CaptureFixture[str], folder: Path, *words: str | Path) -> str:
    """What is said where nothing is written."""
    before = files(folder)
    capsys.readouterr()
    assert export(*words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1, err
    assert "Traceback" not in err
    assert files(folder) == before
    return err


def test_c094_names_that_climb_out_of_the_folder_are_refused(
    project: Path, failure: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    init_project(project)
    for name in ("../../evil", "/abs/x", "a/../../b", "C:\\x", "..", ""):
        refused(capsys, project.parent, name, *ENTRY)


def test_c094_a_bundle_whose_name_climbs_is_not_whole(
    project: Path, failure: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = failure / "manifest.json"
    manifest.write_bytes(manifest.read_bytes().replace(b'"failure"', b'"../../evil"'))
    refused(capsys, project.parent, failure, *ENTRY)


def test_c097_names_that_collide_have_files_of_their_own(project: Path) -> None:
    names = ["a_b", "a b", "a-b", "A_B"]
    for name in names:
        bundle(project / f"{name}.sftrace", output=RECORDED)
        assert export(project / f"{name}.sftrace", *ENTRY, "--overwrite") == 0
    assert len([*project.glob("test_*.py")]) == len(names)


def test_c097_another_traces_test_is_never_overwritten_unasked(
    project: Path, failure: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = bundle(project / "elsewhere" / "failure.sftrace", output=RECORDED)
    assert export(failure, *ENTRY) == 0
    assert "is there already" in refused(capsys, project, other, *ENTRY)
    said = refused(capsys, project, other, *ENTRY, "--overwrite")
    assert "is the test of failure.sftrace, not of this trace" in said
    capsys.readouterr()
    assert export(other, *ENTRY, "--overwrite", "--output", "test_failure_regression.py") == 0
    assert "took the place of the test of failure.sftrace" in capsys.readouterr().err


def in_folder(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What export says of a trace `failure` that is exported in `folder` under its default name."""
    if not (folder / "failure.sftrace").exists():
        bundle(folder / "failure.sftrace", output=RECORDED)
    monkeypatch.chdir(folder)
    assert export(Path("failure.sftrace"), *ENTRY, "--overwrite") == 0
    return capsys.readouterr().err


TAKEN = "failure_regression.py has the same name, and pytest refuses the second"


@pytest.mark.parametrize("around", [".git/", "pyproject.toml", None])
def test_c098_the_same_name_in_two_folders_is_told_with_what_to_do(
    around: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "two"):
        (tmp_path / "all" / name).mkdir(parents=True)
    if around == ".git/":  # and folders that are projects of their own inside of the repository
        (tmp_path / ".git").mkdir()
        (tmp_path / "all/two/.stepfork").mkdir()
        (tmp_path / "all/two/pyproject.toml").touch()
    elif around is not None:
        (tmp_path / around).touch()
    assert TAKEN not in in_folder(tmp_path / "all/one", monkeypatch, capsys)
    said = in_folder(tmp_path / "all/two", monkeypatch, capsys)
    assert TAKEN in said
    assert "name another file with --output, or give pytest --import-mode=importlib" in said
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "one", "two"]
    refuses = subprocess.run(command, cwd=tmp_path / "all", capture_output=True, text=True)
    assert "import file mismatch" in refuses.stdout, refuses
    for part in ("one", "two"):
        (tmp_path / "all" / part / "__init__.py").touch()
        assert TAKEN not in in_folder(tmp_path / "all/two", monkeypatch, capsys)
        (tmp_path / "all" / part / "__init__.py").unlink()


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (("pyproject.toml", '[tool.pytest.ini_options]\naddopts = "--import-mode=importlib"\n'), False),
        (("pyproject.toml", '[tool.pytest.ini_options]\naddopts = ["--import-mode", "importlib"]\n'), False),
        (("pyproject.toml", '[tool.pytest.ini_options]\n# addopts = "--import-mode=importlib"\n'), True),
        (("pyproject.toml", '[tool.other]\naddopts = "--import-mode=importlib"\n'), True),
        (("pytest.ini", "[pytest]\naddopts = -q --import-mode importlib\n"), False),
        (("tox.ini", "[pytest]\naddopts = --import-mode=append\n"), True),
        (("two/pytest.ini", "[pytest]\naddopts = --import-mode=importlib\n"), True),  # not read for both
    ],
)
def test_c098_nothing_is_told_where_pytest_imports_by_path(
    settings: tuple[str, str],
    told: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for part in (".git", "one", "two"):
        (tmp_path / part).mkdir()
    (tmp_path / settings[0]).write_text(settings[1])
    in_folder(tmp_path / "one", monkeypatch, capsys)
    assert (TAKEN in in_folder(tmp_path / "two", monkeypatch, capsys)) is told


def test_c098_a_test_is_no_namesake_of_itself_behind_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "real/.git").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real", target_is_directory=True)
    assert TAKEN not in in_folder(tmp_path / "link", monkeypatch, capsys)
    test = tmp_path / "link/test_failure_regression.py"
    assert export(Path("failure.sftrace"), *ENTRY, "--overwrite", "--output", str(test)) == 0
    assert TAKEN not in capsys.readouterr().err


def test_c099_nothing_but_the_tests_file_is_touched(project: Path, failure: Path) -> None:
    (project / "test_other.py").write_text("def test_it(): pass\n")
    before = files(project)
    assert export(failure, *ENTRY) == 0
    after = files(project)
    assert after.keys() - before.keys() == {"test_failure_regression.py"}
    assert {name: after[name] for name in before} == before


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (b'{"a": NaN}', "a number that is not finite at 'a'"),
        (b'{"a": [1, 1' + b"0" * 400 + b"]}", "an integer outside 64 bits at 'a[1]'"),
        (b'{"a": 9' + b"9" * 5_000 + b"}", "an integer outside 64 bits at 'a'"),
        (b'{"a": {"b.c": "\\ud83d"}}', "half a character (a lone surrogate) at 'a[\"b.c\"]'"),
        (b'{"a": 1, "a": 2}', "an object has two members of the same name at 'a'"),
        (b'{"a": \xff}', "invalid UTF-8 at byte 6"),
        (b"{'a': 1}", "invalid JSON at line 1 column 2"),
        (b"", "invalid JSON at line 1 column 1"),
        (b"[" * 100_000 + b"]" * 100_000, "nested more than 100 levels deep"),
        (b"[" * 150 + b"]" * 150, "nested more than 100 levels deep"),
    ],
)
def test_c101_what_a_literal_cannot_carry_is_refused_with_its_place(
    project: Path, failure: Path, document: bytes, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = reviewed(project, document)
    for option in ("--expect-output", "--expect-trajectory"):
        line = refused(capsys, project, failure, *ENTRY, option, path)
        assert f"expected.json: {said}" in line


def test_c101_values_that_look_like_code_come_back_exact(project: Path, failure: Path) -> None:
    value = {
        "quotes": "''' \"\"\" \\ {x} %s",
        "newline": "a\nb\r\nc",
        "separator": "a\u2028b",
        "code": '"); __import__("os").abort() #',
        "flag": True,
        "one": 1,
        "float": 1.0,
        "zero": -0.0,
        "large": 2**64 - 1,
    }
    assert export(failure, *ENTRY, "--expect-output", reviewed(project, value)) == 0
    found = literals(project / "test_failure_regression.py")["EXPECTATION"]
    assert json.dumps(found) == json.dumps(value)


def test_c103_the_file_is_utf_8_with_plain_line_ends_and_forward_slashes(project: Path, failure: Path) -> None:
    expected = reviewed(project, {"city": "Zürich 東京"})
    assert export(failure, *ENTRY, "--expect-output", expected, "--output", "tests/unit/test_x.py") == 0
    data = (project / "tests/unit/test_x.py").read_bytes()
    assert b"\r" not in data
    assert "Zürich 東京".encode() in data
    assert b"\\" not in data


def test_a_trajectory_is_checked_before_anything_is_written(
    project: Path, failure: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = reviewed(project, {"called": ["a"], "counts": {"a": True}}, "calls.json")
    said = refused(capsys, project, failure, *ENTRY, "--expect-trajectory", path)
    assert 'calls.json: counts["a"] is not a whole number from 0' in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--no-pytest", "--entrypoint", "a:b"), "only pytest"),
        (("--pytest",), "--entrypoint"),
        (("--entrypoint", "a.b"), "is not MODULE:FUNCTION"),
        (("--entrypoint", "a b:c"), "is not MODULE:FUNCTION"),
        (("--entrypoint", "a:b()"), "is not MODULE:FUNCTION"),
        (("--entrypoint", "import:b"), "is not MODULE:FUNCTION"),
        (("--entrypoint", "../a:b"), "is not MODULE:FUNCTION"),
        ((*ENTRY, "--mode", "fast"), "it is frozen or live"),
        ((*ENTRY, "--allow-live-tool", "x"), "needs --mode live"),
        ((*ENTRY, "--mode", "live"), "names no tool"),
        ((*ENTRY, "--mode", "live", "--allow-live-tool", "x"), "has no instrumented call 'x' to allow"),
        ((*ENTRY, "--expect-output", "absent.json"), "absent.json: cannot be read"),
        ((*ENTRY, "--expect-output", "."), "is not a file"),
        ((*ENTRY, "--output", "test.txt"), "ends with .py"),
        ((*ENTRY, "--output", "a.b.py"), "no dot before .py"),
        ((*ENTRY, "--output", "failure.sftrace/manifest.json/test_x.py"), "is not a folder"),
    ],
)
def test_what_is_odd_on_the_command_line_is_one_line(
    project: Path, failure: Path, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in refused(capsys, project, failure, *words)


def test_the_entrypoint_is_never_imported(project: Path, failure: Path) -> None:
    (project / "boom.py").write_text("raise SystemExit(99)\n")
    assert export(failure, "--entrypoint", "boom:run") == 0
    assert "boom" not in sys.modules


def test_a_revision_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from stepfork.store.bundle import read_bundle

    init_project(project)
    bundle(project / "x.sftrace", output=RECORDED)
    Store(project / ".stepfork").write(read_bundle(project / "x.sftrace"))
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "x")):
        subprocess.run(["git", *words], cwd=project, check=True)
    assert "is at a revision" in refused(capsys, project, "HEAD:failure", *ENTRY)
    assert "is at a revision" in refused(capsys, project, "HEAD", *ENTRY)


def test_a_fixture_that_a_merge_left_open_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from stepfork.store.bundle import read_bundle

    def git(*words: str, fails: bool = False) -> None:
        done = subprocess.run(["git", *words], cwd=project, capture_output=True, text=True)
        assert (done.returncode != 0) == fails, done.stdout + done.stderr

    def keep(number: int, output: Any) -> None:
        path = bundle(project.parent / f"{number}.sftrace", output=output)
        store.write(read_bundle(path))
        git("add", "-A")
        git("commit", "-qm", "x")

    init_project(project)
    store = Store(project / ".stepfork")
    git("init", "-q")
    keep(1, RECORDED)
    git("checkout", "-qb", "other")
    keep(2, WANTED)
    git("checkout", "-q", "-")
    keep(3, {"destination": "Porto"})
    git("merge", "other", fails=True)
    assert "is unmerged; stepfork resolve failure" in refused(capsys, project / "tests", "failure", *ENTRY)
    assert not [*project.rglob("test_*")]


def test_a_draft_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import msgspec

    from stepfork.store.bundle import read_bundle, write_bundle

    whole = read_bundle(bundle(project / "x.sftrace", output=RECORDED))
    write_bundle(project / "draft.sftrace", msgspec.structs.replace(whole, extensions={CAUSES: ["it broke off"]}))
    assert "is the draft of a failed capture" in refused(capsys, project, "draft.sftrace", *ENTRY)


def test_the_journal_of_a_recording_that_was_killed_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = project / "killed.sftrace"
    folder.mkdir()
    (folder / "journal.jsonl").write_text('{"journal_version": 1, "name": "killed"}\n')
    refused(capsys, project, folder, *ENTRY)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"{}",
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b'"in_process"', b'"command"'),
        lambda data: data.replace(b'"seal"', b'"Seal"'),
        lambda data: data.replace(b"{", b'{"name": 1,', 1),
        lambda data: b"\xff\xfe" + data,
        lambda data: b"[" * 100_000,
        lambda data: data.replace(b"1", b"9" * 5_000, 1),
        lambda data: data.replace(b"1", b"NaN", 1),
    ],
)
def test_a_damaged_bundle_is_one_line_and_no_test(
    project: Path, failure: Path, damage: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = failure / "manifest.json"
    data = manifest.read_bytes()
    manifest.write_bytes(damage(data))
    assert manifest.read_bytes() != data
    refused(capsys, project, failure, *ENTRY)


def test_an_edited_or_lost_object_is_one_line_and_no_test(
    project: Path, failure: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in [one for one in (failure / "objects").rglob("*") if one.is_file()]:
        data = path.read_bytes()
        path.write_bytes(data.replace(b'"A"', b'"B"') if b'"A"' in data else data + b" ")
        refused(capsys, project, failure, *ENTRY)
        path.unlink()
        refused(capsys, project, failure, *ENTRY)
        path.write_bytes(data)
    assert export(failure, *ENTRY) == 0


def test_a_bundle_that_is_a_link_is_refused(project: Path, failure: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "linked.sftrace").symlink_to(failure, target_is_directory=True)
    refused(capsys, project, "linked.sftrace", *ENTRY)


def test_a_run_without_calls_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundle(project / "idle.sftrace", step(type="agent_call", instrumented=False), output=RECORDED)
    assert "holds no calls to answer from" in refused(capsys, project, "idle.sftrace", *ENTRY)


def test_a_run_without_output_needs_something_to_assert(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    failed = bundle(project / "failed.sftrace", error=StepError("ValueError", "no flight"))
    assert "raised ValueError, so the test would assert nothing" in refused(capsys, project, failed, *ENTRY)
    assert export(failed, *ENTRY, "--expect-trajectory", reviewed(project, {"called": ["search_flights"]})) == 0
    assert "warning" not in capsys.readouterr().err
    assert export(failed, *ENTRY, "--overwrite", "--expect-output", reviewed(project, WANTED)) == 0


def test_a_secret_in_an_expectation_is_refused_and_not_shown(
    project: Path, failure: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = "".join(["gh", "p_", "x7Kq9Rt2Lm4Vb8Nc1Zd5", "Ws3Yf6Hg0Jp4Qa"])
    line = refused(capsys, project, failure, *ENTRY, "--expect-output", reviewed(project, {"deep": [{"note": secret}]}))
    assert "expected.json: holds a secret at" in line
    assert "note" in line
    assert secret not in line


def test_overwrite_replaces_an_exported_test_and_nothing_else(
    project: Path, failure: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = project / "test_failure_regression.py"
    for mine in ("def test_mine(): pass\n", "", "not python ("):
        target.write_text(mine)
        assert "is there already" in refused(capsys, project, failure, *ENTRY)
        assert "is no test that stepfork exported" in refused(capsys, project, failure, *ENTRY, "--overwrite")
    target.unlink()
    assert export(failure, *ENTRY) == 0
    first = target.read_bytes()
    assert export(failure, *ENTRY, "--overwrite") == 0
    assert target.read_bytes() == first
    assert export(failure, *ENTRY, "--overwrite", "--expect-output", reviewed(project, WANTED)) == 0
    assert literals(target)["EXPECTATION"] == WANTED


def test_a_link_at_the_destination_is_not_followed(
    project: Path, failure: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = project.parent / "outside.py"
    outside.write_text("mine\n")
    for target in (outside, project.parent / "nothing.py"):
        link = project / "test_failure_regression.py"
        link.symlink_to(target)
        for more in ((), ("--overwrite",)):
            assert "is a symbolic link" in refused(capsys, project.parent, failure, *ENTRY, *more)
        link.unlink()


def test_a_test_beside_the_working_directory_finds_its_root(project: Path, failure: Path) -> None:
    assert export(failure, *ENTRY, "--output", "../tests/test_x.py") == 0
    found = literals(project.parent / "tests" / "test_x.py")
    assert found["ROOT"] == "Path(__file__).resolve().parents[1] / 'project'"
    assert found["TRACE_PATH"] == "ROOT / 'failure.sftrace'"


def test_what_the_test_needs_and_the_project_has_not_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "pyproject.toml").touch()
    outside = bundle(project.parent / "failure.sftrace", output=RECORDED)
    assert export(outside, *ENTRY, "--output", "regression.py") == 0
    err = capsys.readouterr().err
    assert "the recording is outside of the project" in err
    assert "begin it with test_" in err


def test_a_live_test_embeds_what_it_may_run(project: Path, failure: Path) -> None:
    bundle(project / "two.sftrace", step(), step(name="b"), output=RECORDED)
    words = ("--mode", "live", "--allow-live-tool", "search_flights", "--allow-live-tool", "b")
    assert export("two.sftrace", *ENTRY, *words) == 0
    found = literals(project / "test_two_regression.py")
    assert (found["MODE"], found["ALLOW_LIVE_TOOLS"]) == ("live", ["search_flights", "b"])


NEVER = "the test fails on any code, the fixed one too"
BOOKED = {"sequence": ["search_flights", "book_flight"]}


@pytest.mark.parametrize(
    ("trajectory", "changes", "never"),
    [
        ({"called": ["search_flights"], "max_steps": 2}, {}, False),
        ({"not_called": ["search_flights"]}, {}, True),
        ({"arguments": [{"name": "search_flights", "value": {"destination": "Porto"}}]}, {}, True),
        (BOOKED, {}, False),
        ({"sequence": ["book_flight", "search_flights"]}, {}, True),
        # what ran at once may come in any order, and what has a placeholder is another value in each run
        ({"sequence": ["book_flight", "search_flights"]}, {"group": 0}, False),
        (
            {"arguments": [{"name": "search_flights", "value": {"destination": "a@example.com"}}]},
            {"arguments": {"destination": "{{email_1}}"}},
            False,
        ),
    ],
)
def test_a_trajectory_that_no_replay_can_meet_is_told(
    trajectory: Any, changes: dict[str, Any], never: bool, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    second = {"name": "book_flight", "start": 2, "end": 3, "arguments": {"flight": "A"}, "group": changes.get("group")}
    trace = bundle(project / "failure.sftrace", step(**changes), step(**second), output=RECORDED)
    words = (*ENTRY, "--expect-trajectory", reviewed(project, trajectory))
    assert export(trace, *words) == 0
    said = capsys.readouterr().err
    assert (NEVER in said) is never
    assert sum(NEVER in line for line in said.splitlines()) == never
    assert export(trace, *words, "--mode", "live", "--allow-live-tool", "search_flights", "-o", "test_live.py") == 0
    assert NEVER not in capsys.readouterr().err
