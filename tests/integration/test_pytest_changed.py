"""`pytest --stepfork-changed` in repositories of its own: what is kept, what is said, and which exit code."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path

import pytest

from tests.integration.scratch_repo import Repo

pytest_plugins = ["pytester"]

LOAD = "def load(name):\n    pass\n\n"
MANY = """
import pytest

def load(name):
    pass

class Base:
    def test_inherited(self):
        load("refund")

class TestOne(Base):
    def test_own(self):
        pass

class TestTwo:
    def test_not(self):
        load("ship")

    @pytest.mark.parametrize("case", ["a[b]", "x::y", "ü -k"])
    def test_cases(self, case):
        load("refund")

def test_ship():
    load("ship")
"""
TWO = {"tests/test_many.py": MANY, "tests/größe/test_возврат.py": LOAD + "def test_возврата():\n    load('refund')\n"}


def repo(root: Path, files: dict[str, str], *, folder: str = "") -> Repo:
    """Two fixtures and some tests, committed; then one fixture is edited."""
    made = Repo(root / "r")
    for name in ("refund", "ship"):
        made.fixture(name, folder=folder)
    for path, text in files.items():
        made.write(folder + path, text)
    made.commit("base")
    made.fixture("refund", "second", folder=folder)
    return made


def run(pytester: pytest.Pytester, at: Path, *words: str) -> pytest.RunResult:
    with chdir(at):
        return pytester.runpytest_inprocess("-p", "no:cacheprovider", *words)


def passed(done: pytest.RunResult) -> list[str]:
    """The node ids that ran, of a run with -v."""
    return [line.partition(" PASSED")[0] for line in done.stdout.lines if " PASSED" in line]


def told(done: pytest.RunResult) -> list[str]:
    return [line for line in done.stdout.lines if line.startswith("stepfork: ")]


CASES = [
    *(f"tests/test_many.py::TestOne::{name}" for name in ("test_inherited", "test_own")),
    *(f"tests/test_many.py::TestTwo::test_cases[{case}]" for case in ("a[b]", "x::y", "\\xfc -k")),
]
ODD = "tests/größe/test_возврат.py::test_возврата"


def test_what_a_change_touches_is_kept_and_the_rest_deselected(pytester: pytest.Pytester) -> None:
    """Inherited tests, parameters of any spelling, names of any script; the reasons with -v; the JUnit file as ever."""
    made = repo(pytester.path, TWO)
    done = run(pytester, made.root, "-v", "--stepfork-changed", "tests", "--junitxml=report.xml")
    assert sorted(passed(done)) == sorted([*CASES, ODD])
    done.assert_outcomes(passed=6, deselected=2)
    header, summary = told(done)
    assert header.startswith("stepfork: base HEAD (merge base ")
    assert header.endswith("), comparing the work tree; 3 node ids selected")
    assert summary == "stepfork: 6 of 8 tests selected"
    why = "refund changed: .stepfork/fixtures/refund.json"
    done.stdout.fnmatch_lines([f"  {ODD} *{why}", f"  tests/test_many.py::TestTwo::test_cases *{why}"])
    assert 'tests="6"' in (made.root / "report.xml").read_text()


def test_the_word_after_the_option_is_a_path_and_the_value_stands_after_the_sign(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first conftest files are those of that path, too: they may bring options of their own."""
    made = repo(pytester.path, TWO)
    made.write("tests/conftest.py", "def pytest_addoption(parser):\n    parser.addoption('--ours')\n")
    made.git("checkout", "--quiet", "-b", "feat")
    made.commit("edit")
    assert run(pytester, made.root, "-q", "--stepfork-changed", "tests", "--ours=1").ret == 0
    done = run(pytester, made.root, "-q", "tests/größe", "--ours=1", "--stepfork-changed=main")
    done.assert_outcomes(passed=1)
    monkeypatch.setenv("PYTEST_ADDOPTS", "--stepfork-changed=main")
    run(pytester, made.root, "-q", "--stepfork-changed", "tests/größe").assert_outcomes(deselected=1)


def test_nothing_selected_is_a_success_in_words(pytester: pytest.Pytester) -> None:
    made = repo(pytester.path, TWO)
    made.commit("edit")
    for words in ([], ["--collect-only"], ["-q"]):
        done = run(pytester, made.root, "--stepfork-changed", *words)
        assert done.ret == 0
        assert told(done)[-1] == "stepfork: nothing to run: no fixture changed"
    made.fixture("other")
    done = run(pytester, made.root, "--stepfork-changed")
    assert (done.ret, told(done)[-1]) == (0, "stepfork: nothing to run: no Python test references other")


def test_other_reasons_for_an_empty_run_keep_their_exit_code(pytester: pytest.Pytester) -> None:
    made = repo(pytester.path, TWO)
    done = run(pytester, made.root, "--stepfork-changed", "-k", "nowhere")
    assert (done.ret, told(done)[-1]) == (5, "stepfork: 0 of 0 tests selected")
    assert run(pytester, made.root, "--stepfork-changed", "-m", "nowhere").ret == 5
    (made.root / "empty").mkdir()
    assert run(pytester, made.root, "--stepfork-changed", "empty").ret == 5
    made.write("tests/test_broken.py", "raise RuntimeError\n")
    assert run(pytester, made.root, "--stepfork-changed").ret == 2
    assert run(pytester, made.root, "--stepfork-changed", "--continue-on-collection-errors", "-k", "nowhere").ret == 1


def test_other_options_choose_among_what_is_left(pytester: pytest.Pytester) -> None:
    made = repo(pytester.path, {**TWO, "tests/test_fails.py": LOAD + "def test_fails():\n    assert load('refund')\n"})
    done = run(pytester, made.root, "-v", "--stepfork-changed", "-k", "test_cases and not x")
    assert passed(done) == [CASES[2]]
    done = run(pytester, made.root, "--stepfork-changed", "-k", "test_ship or test_not")
    assert (done.ret, told(done)[-1]) == (
        0,
        "stepfork: nothing to run: none of the 2 tests that other options left is selected",
    )
    with chdir(made.root):
        pytester.runpytest_inprocess("-q")
        done = pytester.runpytest_inprocess("--lf", "--stepfork-changed")
        done.assert_outcomes(failed=1)
        assert not any("not collected" in line for line in told(done))
        made.fixture("refund")
        done = pytester.runpytest_inprocess("--lf", "--stepfork-changed")
    assert (done.ret, told(done)[-1]) == (0, "stepfork: nothing to run: no fixture changed")


def test_what_was_selected_and_not_collected_is_told(pytester: pytest.Pytester) -> None:
    """Ignored by an option: the run is no success for nothing. Outside of the path that was given: that is a choice."""
    made = repo(pytester.path, TWO)
    done = run(pytester, made.root, "--stepfork-changed", "--ignore=tests/größe")
    assert done.ret == 0
    assert told(done)[1:] == ["stepfork: 5 of 7 tests selected", f"stepfork: selected but not collected: {ODD}"]
    done = run(pytester, made.root, "--stepfork-changed", "tests/größe")
    assert told(done)[1:] == [
        "stepfork: 1 of 1 tests selected",
        "stepfork: 2 more selected outside of what pytest was asked",
    ]
    done = run(pytester, made.root, "--stepfork-changed", "tests/test_many.py::test_ship")
    assert (done.ret, told(done)[1:]) == (0, ["stepfork: nothing to run: 3 selected elsewhere"])
    made.write("tests/test_many.py", MANY.replace("refund", "ship"))
    made.write("tests/test_plain.py", "def test_plain():\n    pass\n")
    done = run(pytester, made.root, "--stepfork-changed", "--ignore=tests/größe", "--deselect=tests/test_many.py")
    assert (done.ret, told(done)[-1]) == (5, f"stepfork: selected but not collected: {ODD}")


def test_errors_of_select_are_errors_of_usage_in_one_line(pytester: pytest.Pytester) -> None:
    made = repo(pytester.path, TWO)
    for words, at, word in (
        (["--stepfork-changed=nowhere"], made.root, "no such revision: nowhere"),
        (["--stepfork-changed=a\x1bb"], made.root, "no such revision: a\\x1bb"),
        (["--stepfork-changed"], pytester.mkdir("outside"), "no git repository"),
    ):
        done = run(pytester, at, *words)
        assert done.ret == 4
        (line,) = filter(None, done.stderr.lines)
        assert line.startswith("ERROR: --stepfork-changed: ")
        assert word in line
    assert run(pytester, made.root, "--stepfork-changed=nowhere", "--help").ret == 0


def test_no_path_or_base_is_a_command_to_a_build(pytester: pytest.Pytester) -> None:
    """GitHub and Azure Pipelines read ##[ and ##vso[ anywhere in a line."""
    odd = "tests/test_##vso[task]x.py"
    made = repo(pytester.path, {odd: LOAD})
    made.write(odd, LOAD + "def test_odd():\n    load('refund')\n")
    lines = run(pytester, made.root, "-v", "--stepfork-changed").stdout.lines
    (why,) = [line for line in lines if "refund changed" in line]
    assert "tests/test_##vso\\x5btask]x.py changed" in why
    (line,) = filter(None, run(pytester, made.root, "--stepfork-changed=##vso[task]").stderr.lines)
    assert "##vso\\x5btask]" in line


def test_unsure_takes_every_test_that_uses_fixtures_and_says_why(pytester: pytest.Pytester) -> None:
    made = repo(pytester.path, {**TWO, "tests/test_plain.py": "def test_plain():\n    pass\n"})
    made.write(".stepfork/config.toml", "format = 1\n")
    done = run(pytester, made.root, "--stepfork-changed")
    done.assert_outcomes(passed=8, deselected=1)
    assert told(done)[1] == "stepfork: every test that uses fixtures: .stepfork/config.toml changed"


def test_root_directories_of_every_kind(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project in a subfolder, from above and from below; `-c`, `--rootdir`, `--pyargs`, and a link to the tests."""
    # Not called tests: that package is known already.
    files = {path.replace("tests/", "checks/"): text for path, text in TWO.items()}
    made = repo(pytester.path, files, folder="services/agent/")
    made.write("services/agent/pytest.ini", "[pytest]\n")
    made.write("other.ini", "[pytest]\n")
    made.write("services/agent/checks/__init__.py", "")
    made.commit("edit")
    made.fixture("refund", "third", folder="services/agent/")
    inner = made.root / "services/agent"
    (made.root / "link").symlink_to(inner)
    monkeypatch.syspath_prepend(inner)
    for at, words in (
        (inner, ()),
        (inner / "checks", ()),
        (made.root, ("services/agent/checks",)),
        (made.root, ("-c", "other.ini", "services/agent")),
        (made.root, ("-c", "other.ini", "link")),
        (inner, ("--rootdir", str(made.root))),
        (inner, ("--pyargs", "checks.test_many", "checks/größe")),
    ):
        done = run(pytester, at, "-q", "--stepfork-changed", *words)
        assert done.parseoutcomes() == {"passed": 6, "deselected": 2}, words
        assert not any("not collected" in line or "outside" in line for line in told(done))
    done = run(pytester, made.root, "-q", "--stepfork-changed", "services/agent/checks/test_many.py::TestTwo")
    done.assert_outcomes(passed=3, deselected=1)


def test_every_project_that_the_change_touches_is_asked(pytester: pytest.Pytester) -> None:
    made = Repo(pytester.path / "r")
    made.write("pytest.ini", "[pytest]\naddopts = --import-mode=importlib\n")
    for folder in ("", "mail/", "ship/"):
        made.fixture("refund", folder=folder)
        made.write(f"{folder}tests/test_refund.py", LOAD + "def test_refund():\n    load('refund')\n")
    made.commit("base")
    for folder in ("", "mail/"):
        made.fixture("refund", "second", folder=folder)
    done = run(pytester, made.root, "-v", "--stepfork-changed")
    assert passed(done) == ["mail/tests/test_refund.py::test_refund", "tests/test_refund.py::test_refund"]


def test_a_path_that_is_no_node_id_and_a_file_that_others_share_a_folder_with(pytester: pytest.Pytester) -> None:
    places = {"x": "tests/a[x]", "y": "tests/a[y]", "top": "[top]"}
    odd = {f"{at}/test_{name}.py": LOAD + "def test_it():\n    load('refund')\n" for name, at in places.items()}
    made = repo(pytester.path, {**odd, "tests/test_plain.py": "def test_plain():\n    pass\n"})
    done = run(pytester, made.root, "--stepfork-changed")
    assert done.ret == 0
    assert {"test_x", "test_y", "test_top"} <= set(done.stdout.str().replace("/", " ").replace(".", " ").split())


def test_in_ci_head_is_compared(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies in the work tree beside it (a lock file, a report) is none of the change."""
    monkeypatch.setenv("CI", "true")
    made = repo(pytester.path, TWO)
    done = run(pytester, made.root, "--stepfork-changed=HEAD")
    assert (done.ret, told(done)[-1]) == (0, "stepfork: nothing to run: no fixture changed")
    assert "comparing HEAD" in told(done)[0]
    made.commit("edit")
    run(pytester, made.root, "--stepfork-changed=HEAD^").assert_outcomes(passed=6, deselected=2)


def test_workers_collect_what_the_controller_found(pytester: pytest.Pytester) -> None:
    # A worker that asked git itself would fail here.
    blind = "if hasattr(config, 'workerinput'):\n        os.environ['PATH'] = ''\n"
    made = repo(pytester.path, TWO | {"conftest.py": f"import os\n\ndef pytest_configure(config):\n    {blind}"})
    light = ("-p", "no:hypothesispytest", "-p", "no:anyio")  # which every worker would load
    done = run(pytester, made.root, "-v", "--stepfork-changed", "tests", "-n", "2", "--dist", "loadscope", *light)
    done.assert_outcomes(passed=6)
    header, summary = told(done)
    assert header.endswith("3 node ids selected")
    assert summary == "stepfork: 6 of 8 tests selected"
    made.commit("edit")
    done = run(pytester, made.root, "--stepfork-changed", "tests", "-n", "1", *light)
    assert (done.ret, told(done)[-1]) == (0, "stepfork: nothing to run: no fixture changed")
