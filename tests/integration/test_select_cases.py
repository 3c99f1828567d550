"""Selection in real repositories: the situations in which neighbouring tools selected nothing, too much, or crashed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.scratch_repo import Repo, two_fixtures

REFUND = "tests/test_refund.py::test_refund"
SHIP = "tests/test_ship.py::test_ship"


def test_c073_without_common_history_everything_is_selected_and_the_way_out_named(tmp_path: Path) -> None:
    origin = two_fixtures(tmp_path / "origin")
    origin.fixture("refund", "second")
    origin.commit("edit")
    origin.git("checkout", "--quiet", "main")
    origin.write("other.txt", "moved\n")
    origin.commit("moved")
    clone = Repo(tmp_path / "clone")
    clone.git("fetch", "--quiet", "--depth=1", f"file://{origin.root}", "main:refs/heads/base", "feat:refs/heads/feat")
    clone.git("checkout", "--quiet", "feat")
    printed = clone.select("--base", "base")
    assert (printed.code, printed.ids) == (0, [REFUND, SHIP])
    assert "git fetch --unshallow" in printed.messages


def test_c073_unsure_and_no_test_known_is_no_success(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.fixture("refund")
    repo.commit("base")
    repo.git("checkout", "--quiet", "--orphan", "other")
    repo.commit("unrelated")
    printed = repo.select("--base", "main")
    assert (printed.code, printed.ids) == (2, [])
    assert printed.messages.count("\n") == 1


def test_c074_changed_and_changed_back_is_unchanged(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.fixture("refund", "second")
    repo.commit("edit")
    repo.fixture("refund")
    repo.commit("revert")
    printed = repo.select("--base", "main")
    assert (printed.code, printed.ids) == (0, [])
    assert "no fixture changed" in printed.messages


def test_c074_staged_and_changed_back_in_the_work_tree_is_unchanged(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.fixture("refund", "second")
    repo.git("add", ".")
    repo.fixture("refund")
    assert repo.select("--base", "main").ids == []


@pytest.mark.parametrize("how", ["committed", "staged", "unstaged"])
def test_c075_a_deleted_fixture_selects_the_test_that_names_it(tmp_path: Path, how: str) -> None:
    repo = two_fixtures(tmp_path / "r")
    place = ".stepfork/fixtures/refund.json"
    if how == "unstaged":
        (repo.root / place).unlink()
    else:
        repo.git("rm", "--quiet", place)
    if how == "committed":
        repo.commit("delete")
    printed = repo.select("--base", "main", "--explain")
    assert printed.ids == [f"{REFUND}  refund deleted"]


def test_c075_the_whole_store_deleted(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.git("rm", "--quiet", "-r", ".stepfork")
    repo.commit("delete all")
    assert not (repo.root / ".stepfork").exists()
    assert repo.select("--base", "main").ids == [REFUND, SHIP]
    assert repo.select("--base", "main", "--committed").ids == [REFUND, SHIP]


@pytest.mark.parametrize("edited", [False, True])
def test_c076_a_renamed_fixture_selects_the_tests_of_both_names(tmp_path: Path, edited: bool) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.test("new", "refund-2")
    repo.test("moved", "ship")
    repo.commit("tests")
    base = repo.git("rev-parse", "HEAD")
    repo.git("mv", ".stepfork/fixtures/refund.json", ".stepfork/fixtures/refund-2.json")
    repo.git("mv", "tests/test_moved.py", "tests/test_elsewhere.py")
    if edited:
        repo.fixture("refund-2", "second")
    repo.commit("rename")
    printed = repo.select("--base", base)
    assert printed.ids == ["tests/test_elsewhere.py", "tests/test_new.py::test_new", REFUND]
    assert not any("test_moved" in one or ".json" in one for one in printed.ids)


def test_c077_only_the_branchs_own_changes_count_and_the_base_is_named(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    base = repo.git("rev-parse", "main")
    repo.fixture("refund", "second")
    repo.commit("edit")
    repo.git("checkout", "--quiet", "main")
    repo.fixture("ship", "second")
    repo.commit("other")
    repo.git("checkout", "--quiet", "feat")
    printed = repo.select("--base", "main")
    assert printed.ids == [REFUND]
    assert f"base main (merge base {base[:7]}), comparing the work tree" in printed.messages


def test_c078_names_and_folders_of_any_script_with_blanks_and_quotes(tmp_path: Path) -> None:
    repo = Repo(tmp_path / 'папка и "кавычки"')
    repo.fixture("возврат")
    repo.fixture("доставка")
    repo.write('тесты и "прочее"/test_возврат.py', 'def test_возврата():\n    load("возврат")\n')
    repo.write("tests/test_доставка.py", 'def test_доставки():\n    load("доставка")\n')
    repo.commit("base")
    repo.fixture("возврат", "second")
    expected = ['тесты и "прочее"/test_возврат.py::test_возврата']
    printed = repo.select()
    assert printed.ids == expected
    assert "\\320" not in printed.messages
    assert repo.select("--explain").ids == [f"{expected[0]}  возврат changed: .stepfork/fixtures/возврат.json"]
    repo.commit("edit")
    assert repo.select("--base", "HEAD~1", "--committed").ids == expected


def test_c078_file_names_that_are_no_utf8(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    odd = b"tests/test_\xff\xfe.py"
    (repo.root / odd.decode("utf-8", "surrogateescape")).write_text('def test_odd():\n    load("refund")\n')
    base = repo.commit("odd")
    repo.fixture("refund", "second")
    repo.commit("edit")
    for state in ([], ["--committed"]):
        assert odd + b"::test_odd\n" in repo.select("--base", base, *state).data
        document = json.loads(repo.select("--base", base, "--json", *state).data)
        assert [test["node"] for test in document["tests"]] == [["test_refund"], ["test_odd"]]


def test_c079_a_project_in_a_subfolder_has_its_own_root_and_fixtures(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    for project in ("services/agent/", "services/mail/"):
        repo.write(f"{project}pyproject.toml", "[tool.pytest.ini_options]\n")
        repo.fixture("refund", folder=project)
        repo.test("refund", "refund", folder=project)
    repo.commit("base")
    repo.fixture("refund", "second", folder="services/agent/")
    for place in ("services/agent", "services/agent/tests"):
        assert repo.select(at=place).ids == [REFUND]
    printed = repo.select(at="services/mail")
    assert printed.ids == []
    assert "services/agent/.stepfork changed too" in printed.messages


def test_c079_a_store_under_a_common_pytest_root_leaves_other_stores_tests_alone(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.write("pytest.ini", "[pytest]\n")
    for project in ("agent/", "mail/"):
        repo.fixture("refund", folder=project)
        repo.test("refund", "refund", folder=project)
    repo.test("both", "refund")
    repo.commit("base")
    repo.fixture("refund", "second", folder="agent/")
    printed = repo.select(at="agent")
    assert printed.ids == ["agent/tests/test_refund.py::test_refund", "tests/test_both.py::test_both"]
    assert "node ids are relative to .." in printed.messages


def test_c080_c081_whole_names_only_and_the_right_file_of_two(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    for name in ("refund", "refund-2", "pre-refund"):
        repo.fixture(name)
    repo.write("tests/a/test_same.py", 'def test_once():\n    load("refund")\n')
    repo.write("tests/b/test_same.py", 'def test_once():\n    load("refund-2")\n')
    repo.write("tests/c/test_same.py", 'def test_once():\n    load("pre-refund")\n\ndef test_word():\n    "refund"\n')
    repo.commit("base")
    repo.fixture("refund", "second")
    assert repo.select().ids == ["tests/a/test_same.py::test_once"]
    repo.commit("edit")
    repo.fixture("refund-2", "second")
    assert repo.select().ids == ["tests/b/test_same.py::test_once"]


def test_c082_what_is_printed_can_be_handed_to_pytest(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.fixture("refund")
    parametrized = (
        "import pytest\n\n@pytest.mark.parametrize('case', ['3 5-8', 'a/b', 'Ünï', '[x]'])\n"
        "def test_case(case):\n    assert 'refund'\n"
    )
    for path in ("tests/test_ids.py", "tests/with blank/test_a.py", "odd [de]/deep/test_b.py", "-dash/test_c.py"):
        repo.write(path, parametrized)
    repo.write(
        "@at/test_d.py", "class TestUnï:\n    def test_größe(self):\n        'x' + 'refund'\n        assert 'refund'\n"
    )
    repo.commit("base")
    repo.fixture("refund", "second")
    ids = repo.select().ids
    assert ids == [
        "./-dash/test_c.py::test_case",
        "./@at/test_d.py::TestUnï::test_größe",
        ".",
        "tests/test_ids.py::test_case",
        "tests/with blank/test_a.py::test_case",
    ]
    assert repo.select("--null").data.split(b"\0") == [*(one.encode() for one in ids), b""]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", *ids],
        cwd=repo.root,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "17 passed" in done.stdout


def test_c083_linked_worktree_and_packed_refs(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.fixture("refund", "second")
    repo.commit("edit")
    repo.git("pack-refs", "--all")
    assert not (repo.root / ".git/refs/heads/main").exists()
    assert repo.select("--base", "main").ids == [REFUND]
    repo.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"), "feat")
    linked = Repo(tmp_path / "linked", init=False)
    assert linked.select("--base", "main").ids == [REFUND]
    assert linked.select("--base", "main", "--committed").ids == [REFUND]
    linked.fixture("ship", "second")
    assert linked.select("--base", "main").ids == [REFUND, SHIP]


def test_c084_partial_clone(tmp_path: Path) -> None:
    origin = two_fixtures(tmp_path / "origin")
    origin.fixture("refund", "second")
    origin.commit("edit")
    origin.git("config", "uploadpack.allowFilter", "true")
    clone = Repo(tmp_path / "clone", init=False)
    origin.git("clone", "--quiet", "--filter=blob:none", "-b", "feat", f"file://{origin.root}", str(clone.root))
    (tmp_path / "origin").rename(tmp_path / "gone")  # nothing may be fetched
    printed = clone.select("--base", "origin/main")
    assert (printed.code, printed.ids) == (0, [REFUND])
    assert clone.select("--base", "origin/main", "--committed").ids == [REFUND]


@pytest.mark.parametrize("setting", ["true", "input", "false"])
def test_c085_line_ending_settings_make_nothing_dirty(tmp_path: Path, setting: str) -> None:
    repo = Repo(tmp_path / "r")
    repo.fixture("refund")
    repo.write("tests/test_refund.py", b'def test_refund():\r\n    load("refund")\r\n')
    repo.write(".stepfork/fixtures/crlf.json", b'{\r\n  "name": "crlf"\r\n}\r\n')
    repo.commit("base")
    repo.git("config", "core.autocrlf", setting)
    for path in ("tests/test_refund.py", ".stepfork/fixtures/crlf.json", ".stepfork/fixtures/refund.json"):
        (repo.root / path).touch()
    printed = repo.select()
    assert (printed.code, printed.ids) == (0, [])
    assert "no fixture changed" in printed.messages


def test_c085_agrees_with_git_on_files_checked_out_with_other_endings(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.git("config", "core.autocrlf", "true")
    (repo.root / ".stepfork/fixtures/refund.json").unlink()
    repo.git("checkout", "--", ".stepfork/fixtures/refund.json")
    assert b"\r\n" in (repo.root / ".stepfork/fixtures/refund.json").read_bytes()
    assert repo.git("status", "--porcelain") == ""
    assert repo.select("--base", "main").ids == []


def test_c086_untracked_staged_and_unstaged_work_counts_here_and_not_in_ci(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.fixture("mail")
    repo.test("mail", "mail")
    repo.commit("third")
    repo.fixture("new")
    repo.write("brand_new/test_new.py", 'def test_new():\n    load("new")\n')
    repo.fixture("refund", "staged")
    repo.git("add", ".stepfork/fixtures/refund.json")
    repo.fixture("ship", "unstaged")
    printed = repo.select("--base", "HEAD")
    assert printed.ids == ["brand_new/test_new.py", REFUND, SHIP]
    assert "comparing the work tree" in printed.messages
    monkeypatch.setenv("CI", "true")
    printed = repo.select("--base", "HEAD~1")
    assert printed.ids == ["tests/test_mail.py"]
    assert "comparing HEAD" in printed.messages
    assert repo.select("--base", "HEAD", "--work-tree").ids == ["brand_new/test_new.py", REFUND, SHIP]


def test_c086_a_dirty_test_file_does_not_blur_what_is_committed(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.fixture("refund", "second")
    repo.commit("edit")
    repo.test("refund", "ship")
    (repo.root / "tests/test_ship.py").unlink()
    assert repo.select("--base", "main", "--committed").ids == [REFUND]


def test_c105_a_hook_sees_its_commit_and_other_repositories_see_themselves(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    other = two_fixtures(tmp_path / "other")
    other.fixture("ship", "second")
    program = f"{sys.executable} -m stepfork select --changed --base main"
    hook = repo.root / ".git/hooks/pre-commit"
    hook.write_text(
        "#!/bin/sh\nset -e\nenv | grep '^GIT_' | sort > hook_variables\n"
        f"{program} > here\n(cd tests && {program} > ../below)\n(cd {other.root} && {program} > {repo.root}/there)\n"
    )
    hook.chmod(0o755)
    repo.fixture("refund", "second")
    source = str(Path(__file__).parents[2] / "src")
    repo.git("commit", "--quiet", "--all", "--message=edit", PYTHONPATH=source)
    assert "GIT_INDEX_FILE" in (repo.root / "hook_variables").read_text()
    found = [(repo.root / name).read_text().splitlines() for name in ("here", "below", "there")]
    assert found == [[REFUND], [REFUND], [SHIP]]
    assert repo.git("status", "--porcelain", "--untracked-files=no") == ""
    assert other.git("status", "--porcelain").split() == ["M", ".stepfork/fixtures/ship.json"]
    assert repo.git("ls-files", "--stage").count("\n") == 3
