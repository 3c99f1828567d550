"""`stepfork select --changed --run -- COMMAND`: which words the command gets, where it runs, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stepfork.cli import select_run
from tests.integration.scratch_repo import Printed, Repo, two_fixtures

REFUND = "tests/test_refund.py::test_refund"
PROGRAM = """
import json, os, pathlib, sys
place = pathlib.Path({place!r})
place.write_text(json.dumps([os.getcwd(), sys.argv[1:]]))
lists = [pathlib.Path(word[1:]).read_text() for word in sys.argv[1:] if word.startswith("@")]
place.with_suffix(".lists").write_text("".join(lists))
sys.exit(int(os.environ.get("CODE", "0")))
"""


class Runner:
    """A command that notes its words and its folder."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "noted.json"
        self.script = folder / "program.py"
        self.script.write_text(PROGRAM.format(place=str(self.place)))
        self.words = ["--run", "--", sys.executable, str(self.script), "-q"]

    def noted(self) -> tuple[Path, list[str]]:
        folder, words = json.loads(self.place.read_text())
        assert words[0] == "-q"
        return Path(folder), words[1:]

    def lists(self) -> list[str]:
        return self.place.with_suffix(".lists").read_text().splitlines()


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = two_fixtures(tmp_path / "r")
    made.fixture("refund", "second")
    return made


def test_the_tests_are_further_words_and_the_exit_code_is_the_commands(
    repo: Repo, runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODE", "3")
    printed = repo.select("--explain", *runner.words)
    assert (printed.code, printed.data) == (3, b"")
    assert runner.noted() == (repo.root, [REFUND])
    assert f"{REFUND}  refund changed" in printed.messages


def test_it_runs_where_one_stands_with_ids_from_there(repo: Repo, runner: Runner) -> None:
    repo.write("-odd/conftest.py", "")
    repo.write("tests/[x]/test_x.py", "def test_x():\n    load('refund')\n")
    repo.git("add", "--all")
    for at, words in (
        ("tests", [".", "test_refund.py::test_refund"]),
        ("-odd", ["../tests", "../tests/test_refund.py::test_refund"]),
        (".stepfork/fixtures", ["../../tests", "../../tests/test_refund.py::test_refund"]),
    ):
        printed = repo.select(*runner.words, at=at)
        assert printed.code == 0
        assert "relative" not in printed.messages
        assert runner.noted() == (repo.root / at, words)


def test_a_way_to_the_tests_that_pytest_would_not_read_is_an_error(tmp_path: Path, runner: Runner) -> None:
    made = Repo(tmp_path / "r")
    made.fixture("refund", folder="a[b]/")
    made.test("refund", "refund", folder="a[b]/")
    made.commit("base")
    made.fixture("refund", "second", folder="a[b]/")
    printed = made.select("--store", "a[b]/.stepfork", *runner.words)
    assert printed.code == 2
    assert "pytest would not read the way to the tests as a path" in printed.messages
    assert not runner.place.exists()
    assert made.select(*runner.words, at="a[b]").code == 0


def test_names_of_every_kind_arrive_whole(tmp_path: Path, runner: Runner) -> None:
    made = Repo(tmp_path / "r")
    made.fixture("refund")
    odd = [
        "-dash/test_d.py",
        "@at/test_a.py",
        "tests/a\nb/test_n.py",
        "tests/with blank/test_ü.py",
        "tests/$(x)'\"/test_q.py",
    ]
    for path in odd:
        made.write(path, "def test_it():\n    load('refund')\n")
    made.commit("base")
    made.fixture("refund", "second")
    assert made.select(*runner.words).code == 0
    shown = sorted(("./" if path[0] in "-@" else "") + path + "::test_it" for path in odd)
    assert sorted(runner.noted()[1]) == shown
    assert made.select(*runner.words, at="tests").code == 0
    assert "../-dash/test_d.py::test_it" in runner.noted()[1]


def test_a_long_list_is_a_file(repo: Repo, runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select_run, "_LONG", 10)
    assert repo.select(*runner.words).code == 0
    _, (word,) = runner.noted()
    assert word.startswith("@")
    assert runner.lists() == [REFUND]
    assert not Path(word[1:]).exists()
    repo.write("tests/a\u2028b/test_n.py", "def test_it():\n    load('refund')\n")
    assert repo.select(*runner.words).code == 0
    assert runner.noted()[1] == ["tests/a\u2028b/test_n.py", REFUND]


def test_a_runner_of_scripts_gets_no_file_with_a_list(
    repo: Repo, runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(select_run, "_LONG", 10)
    repo.write("web/refund.test.ts", "test('it', () => load('refund'));\n")
    assert repo.select("--language", "javascript", *runner.words).code == 0
    assert runner.noted()[1] == ["web/refund.test.ts"]


def test_nothing_selected_runs_nothing_and_is_a_success(repo: Repo, runner: Runner) -> None:
    repo.commit("edit")
    printed = repo.select(*runner.words)
    assert (printed.code, printed.data) == (0, b"")
    assert "no test selected: no fixture changed" in printed.messages
    assert printed.messages.endswith("stepfork select: nothing is run\n")
    assert not runner.place.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--run"], "need one another"),
        (["--run", "--"], "need one another"),
        (["--", "pytest"], "need one another"),
        (["--run", "--json", "--", "pytest"], "--run prints no list"),
        (["--run", "--null", "--", "pytest"], "--run prints no list"),
        (["--run", "--", "no-such-program-here"], "no-such-program-here: command not found"),
        (["--run", "--", ".stepfork/fixtures/refund.json"], "not executable"),
        (["--run", "--base", "nowhere", "--", sys.executable], "no such revision"),
    ],
)
def test_what_cannot_be_run_is_exit_2_in_one_line(repo: Repo, words: list[str], said: str) -> None:
    printed: Printed = repo.select(*words)
    assert (printed.code, printed.data) == (2, b"")
    assert said in printed.messages
    assert printed.messages.count("\n") == 1


def test_pytest_itself_and_an_interrupt_that_reaches_it(repo: Repo) -> None:
    repo.write("tests/test_refund.py", "def test_refund():\n    'refund' + ''\n    print('re' 'ady')\n    input()\n")
    command = [sys.executable, "-m", "stepfork", "select", "--changed", "--run", "--", sys.executable, "-m", "pytest"]
    with subprocess.Popen(
        [*command, "-s", "-p", "no:cacheprovider"],
        cwd=repo.root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        while "ready" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate()
    assert "KeyboardInterrupt" in said
    assert process.returncode == pytest.ExitCode.INTERRUPTED
