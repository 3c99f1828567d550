"""Odd repositories and odd states of one: each is answered rightly, or says in one line what to do."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from stepfork.errors import GitError
from stepfork.git.repository import Repository
from tests.integration.scratch_repo import Printed, Repo, two_fixtures

REFUND = "tests/test_refund.py::test_refund"
SHIP = "tests/test_ship.py::test_ship"


def edited(root: Path) -> Repo:
    """On the branch feat, `refund` was edited and committed."""
    repo = two_fixtures(root)
    repo.fixture("refund", "second")
    repo.commit("edit")
    return repo


def conflict(root: Path, *how: str) -> Repo:
    """Both branches edited `refund`, and git stopped in the middle."""
    repo = edited(root)
    repo.write(".stepfork/.gitattributes", "fixtures/** -text -merge\n")
    repo.git("checkout", "--quiet", "main")
    repo.fixture("refund", "third")
    repo.commit("main moved")
    repo.git("checkout", "--quiet", "--detach")
    with pytest.raises(AssertionError):
        repo.git(*how)
    return repo


def detached(root: Path) -> Repo:
    repo = edited(root)
    repo.git("checkout", "--quiet", "--detach")
    return repo


def bisecting(root: Path) -> Repo:
    repo = edited(root)
    repo.git("bisect", "start", "feat", "feat~1")
    return repo


def linked_to_bare(root: Path) -> Repo:
    edited(root / "first").git("clone", "--quiet", "--bare", ".", str(root / "bare.git"))
    linked = Repo(root / "bare.git", init=False)
    linked.git("worktree", "add", "--quiet", str(root / "linked"), "feat")
    return Repo(root / "linked", init=False)


def sha256(root: Path) -> Repo:
    root.mkdir()
    Repo(root, init=False).git("init", "--quiet", "--initial-branch=main", "--object-format=sha256")
    repo = Repo(root, init=False)
    for name in ("refund", "ship"):
        repo.fixture(name)
        repo.test(name, name)
    repo.commit("base")
    repo.git("checkout", "--quiet", "-b", "feat")
    repo.fixture("refund", "second")
    repo.commit("edit")
    return repo


def replaced(root: Path) -> Repo:
    """The commit of feat is replaced by one that git shows in its place."""
    repo = two_fixtures(root)
    repo.fixture("ship", "second")
    shown = repo.commit("not what is shown")
    repo.git("reset", "--quiet", "--hard", "main")
    repo.fixture("refund", "second")
    repo.git("replace", shown, repo.commit("shown"))
    repo.git("update-ref", "--no-deref", "HEAD", shown)
    return repo


def grafted(root: Path) -> Repo:
    """Between main and feat lies a commit that a graft takes out of the history."""
    repo = edited(root)
    repo.git("commit", "--quiet", "--allow-empty", "--message=one more")
    repo.git("replace", "--graft", "HEAD", "main")
    return repo


def partial(root: Path) -> Repo:
    """A clone without old blobs, whose remote is gone."""
    origin = edited(root / "origin")
    origin.git("config", "uploadpack.allowFilter", "true")
    origin.git("clone", "--quiet", "--filter=blob:none", f"file://{origin.root}", str(root / "clone"))
    repo = Repo(root / "clone", init=False)
    repo.git("branch", "--quiet", "main", "origin/main")
    origin.root.rename(root / "gone")
    return repo


def setting(key: str, value: str) -> Callable[[Path], Repo]:
    def made(root: Path) -> Repo:
        repo = edited(root)
        repo.git("config", key, value)
        repo.git("update-index", "--refresh", "--force-write-index")
        return repo

    return made


HALTED = {
    "merge": lambda root: conflict(root, "merge", "feat"),
    "rebase": lambda root: conflict(root, "rebase", "feat"),
    "cherry-pick": lambda root: conflict(root, "cherry-pick", "feat"),
}
SAME: dict[str, Callable[[Path], Repo]] = {
    "detached": detached,
    "bisect": bisecting,
    "linked to a bare one": linked_to_bare,
    "sha256": sha256,
    "replaced": replaced,
    "grafted": grafted,
    "partial, remote gone": partial,
    "untracked cache": setting("core.untrackedCache", "true"),
    "split index": setting("core.splitIndex", "true"),
    "untracked not shown": setting("status.showUntrackedFiles", "no"),
    "case ignored": setting("core.ignoreCase", "true"),
    "external diff": setting("diff.external", "false"),
    "fsmonitor that fails": setting("core.fsmonitor", "false"),
    "many files": setting("feature.manyFiles", "true"),
}


@pytest.mark.parametrize("kind", SAME)
def test_what_the_branch_changed_is_selected_in(tmp_path: Path, kind: str) -> None:
    repo = SAME[kind](tmp_path / "r")
    for arguments in (["--work-tree"], ["--committed"]):
        printed = repo.select("--base", "main", *arguments)
        assert (printed.code, printed.ids) == (0, [REFUND]), printed.messages
    repo.fixture("new")
    repo.test("new", "new")
    assert repo.select("--base", "main").ids == ["tests/test_new.py", REFUND]


@pytest.mark.parametrize("kind", HALTED)
def test_in_the_middle_of(tmp_path: Path, kind: str) -> None:
    printed = HALTED[kind](tmp_path / "r").select("--base", "HEAD")
    assert printed.code == 0
    assert REFUND in printed.ids


def one_line(printed: Printed, *words: str) -> None:
    assert (printed.code, printed.data) == (2, b"")
    assert printed.messages.count("\n") == 1
    for word in words:
        assert word in printed.messages


@pytest.mark.parametrize("folders", [["docs"], ["tests"], ["tests", "docs"]])
def test_a_sparse_checkout_without_the_store_says_how_to_add_it(tmp_path: Path, folders: list[str]) -> None:
    repo = edited(tmp_path / "r")
    repo.git("sparse-checkout", "set", "--cone", *folders)
    one_line(
        repo.select("--base", "main"), "this sparse checkout leaves .stepfork out", "git sparse-checkout add .stepf"
    )


def test_a_sparse_checkout_without_the_tests_says_what_it_did_not_look_at(tmp_path: Path) -> None:
    repo = edited(tmp_path / "r")
    repo.git("sparse-checkout", "set", "--cone", ".stepfork")
    printed = repo.select("--base", "main")
    assert (printed.code, printed.ids) == (0, [])
    assert "none references refund (those that this sparse checkout leaves out are not looked at)" in printed.messages
    assert repo.select("--base", "main", "--committed").ids == [REFUND]
    repo.git("sparse-checkout", "disable")
    repo.write("tests/test_refund.py", "def test_refund(): ...\n")
    repo.commit("no longer")
    assert "sparse" not in repo.select("--base", "main").messages


@pytest.mark.parametrize("gone", [True, False])
def test_a_branch_without_commits(tmp_path: Path, gone: bool) -> None:
    repo = edited(tmp_path / "r")
    if gone:  # another checkout deleted it
        repo.git("update-ref", "-d", "refs/heads/feat")
    else:
        repo.git("checkout", "--quiet", "--orphan", "new")
    printed = repo.select("--base", "main")
    assert printed.ids == ["tests/test_refund.py", "tests/test_ship.py"]
    assert printed.messages == "no commit here yet: all is new\n"
    one_line(repo.select("--committed"), "there is no commit yet", "--committed")


def test_a_repository_that_git_does_not_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = edited(tmp_path / "r")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    one_line(repo.select(), "git does not trust", "git config --global --add safe.directory")


def test_inside_the_git_folder(tmp_path: Path) -> None:
    one_line(edited(tmp_path / "r").select(at=".git"), "no work tree here", "git worktree add")


def test_variables_that_say_where_the_repository_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo, other = edited(tmp_path / "r"), two_fixtures(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(repo.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(repo.root))
    assert repo.select("--base", "main").ids == [REFUND]
    assert other.select("--base", "main").ids == []
    shutil.move(repo.root / ".git", tmp_path / "apart.git")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "apart.git"))
    assert repo.select("--base", "main").ids == [REFUND]
    assert repo.select("--base", "main", at="tests").ids == [REFUND]


def test_a_submodule_and_the_repository_around_it_each_have_their_own(tmp_path: Path) -> None:
    two_fixtures(tmp_path / "inner")
    repo = two_fixtures(tmp_path / "outer")
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "inner"), "sub")
    repo.commit("submodule")
    inner = Repo(repo.root / "sub", init=False)
    inner.fixture("refund", "second")
    assert inner.select("--base", "HEAD").ids == [REFUND]
    assert repo.select("--base", "HEAD").ids == []
    inner.commit("edit")
    assert repo.select("--base", "HEAD").ids == []


def test_files_that_git_was_told_to_take_for_unchanged(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.git("update-index", "--assume-unchanged", ".stepfork/fixtures/refund.json")
    repo.git("update-index", "--skip-worktree", ".stepfork/fixtures/ship.json")
    for name in ("refund", "ship"):
        repo.fixture(name, "second")
    assert repo.git("status", "--short") == ""
    assert repo.select("--base", "main").ids == []


def test_names_with_line_breaks_and_names_that_differ_in_case(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.fixture("a\nb")
    repo.write("tests/test_new\nline.py", 'def test_it():\n    load("a\\nb")\n')
    repo.fixture("Refund")
    repo.test("upper", "Refund")
    repo.commit("new")
    expected = ["tests/test_new\nline.py", "tests/test_upper.py"]
    for arguments in (["--committed"], ["--work-tree"]):
        printed = repo.select("--base", "main", "--null", *arguments)
        assert printed.data.decode().split("\0")[:-1] == expected
    one_line_at_the_end = repo.select("--base", "main").messages.splitlines()[-1]
    assert "line break" in one_line_at_the_end
    assert "--null" in one_line_at_the_end


def test_an_object_that_a_partial_clone_cannot_fetch_is_named_with_the_way_out(tmp_path: Path) -> None:
    found = Repository.find(partial(tmp_path / "r").root)
    assert found is not None
    with pytest.raises(GitError) as caught:
        found.tree("main").read(".stepfork/fixtures/refund.json")
    assert "this partial clone lacks an object" in str(caught.value)
    assert "git fetch --refetch" in str(caught.value)
