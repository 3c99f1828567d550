"""Revisions read without a checkout, in all the forms that a repository can have."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stepfork.errors import GitError
from stepfork.git.repository import Repository
from tests.integration.scratch_repo import Repo


def history(root: Path) -> Repo:
    repo = Repo(root)
    repo.write("a.txt", "one\n")
    repo.write("d/e/ünï.json", "deep\n")
    repo.commit("one")
    repo.git("tag", "-a", "v1", "-m", "first")
    repo.write("a.txt", "two\n")
    repo.write("link-target", b"\x00\xff\n")
    repo.commit("two")
    return repo


def opened(path: Path, environ: dict[str, str] | None = None) -> Repository:
    found = Repository.find(path, environ)
    assert found is not None
    return found


def test_trees_are_read_at_any_revision(tmp_path: Path) -> None:
    repo = history(tmp_path / "r")
    repository = opened(repo.root / "d")
    assert repository.root == repo.root
    for revision in ("v1", "HEAD~1", "main^", "HEAD^{commit}~1", repo.git("rev-parse", "--short", "HEAD~1"), "@~1"):
        tree = repository.tree(revision)
        assert tree.read("a.txt") == b"one\n"
        assert tree.read("link-target") is None
        assert tree.commit == repository.resolve("v1") == repo.git("rev-parse", "HEAD~1")
    head = repository.tree("HEAD")
    assert head.read("link-target") == b"\x00\xff\n"
    assert head.read("d/e/ünï.json") == b"deep\n"
    for absent in ("d", "d/e", "a.txt/x", "nothing", "d/e/other", ""):
        assert head.read(absent) is None
    assert head.list("d") == {"d/e/ünï.json": repo.git("rev-parse", "HEAD:d/e/ünï.json")}
    assert list(head.list()) == ["a.txt", "d/e/ünï.json", "link-target"]
    assert head.list("a.txt").keys() == {"a.txt"}
    assert head.list("nothing/") == {}
    assert head.read_many(["a.txt", "nothing", "d"]) == {"a.txt": b"two\n"}


@pytest.mark.parametrize(
    "revision", ["nowhere", "", "-x", "--all", "HEAD:a.txt", "HEAD^{tree}", "a\0b", "HEAD\nHEAD", "ü"]
)
def test_what_is_no_commit_is_a_one_line_error(tmp_path: Path, revision: str) -> None:
    with pytest.raises(GitError, match="no such revision") as caught:
        opened(history(tmp_path / "r").root).resolve(revision)
    assert "\n" not in str(caught.value)


def test_no_repository_is_none(tmp_path: Path) -> None:
    assert Repository.find(tmp_path) is None


def test_a_bare_repository_has_no_work_tree(tmp_path: Path) -> None:
    history(tmp_path / "r").git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare"))
    with pytest.raises(GitError, match="no work tree"):
        Repository.find(tmp_path / "bare")


def test_before_the_first_commit(tmp_path: Path) -> None:
    repository = opened(Repo(tmp_path / "r").root)
    with pytest.raises(GitError, match="no such revision: HEAD"):
        repository.tree("HEAD")


def test_c083_packed_refs_linked_worktrees_and_packed_objects(tmp_path: Path) -> None:
    repo = history(tmp_path / "r")
    repo.git("gc", "--quiet")
    repo.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"), "v1")
    linked = opened(tmp_path / "linked")
    assert linked.root == tmp_path / "linked"
    assert linked.tree("HEAD").read("a.txt") == b"one\n"
    assert linked.tree("main").read("a.txt") == b"two\n"


def test_c084_blobs_that_a_partial_clone_lacks_are_fetched_or_named(tmp_path: Path) -> None:
    origin = history(tmp_path / "origin")
    origin.git("config", "uploadpack.allowFilter", "true")
    origin.git("config", "uploadpack.allowAnySHA1InWant", "true")
    for kind in ("blob:none", "tree:0"):
        clone = tmp_path / kind.replace(":", "-")
        origin.git("clone", "--quiet", "--no-checkout", f"--filter={kind}", f"file://{origin.root}", str(clone))
        tree = opened(clone).tree("HEAD~1")
        assert tree.list().keys() == {"a.txt", "d/e/ünï.json"}
        assert tree.read_many(["a.txt", "d/e/ünï.json"]) == {"a.txt": b"one\n", "d/e/ünï.json": b"deep\n"}
    clone = tmp_path / "cut-off"
    origin.git("clone", "--quiet", "--no-checkout", "--filter=blob:none", f"file://{origin.root}", str(clone))
    (tmp_path / "origin").rename(tmp_path / "gone")
    tree = opened(clone).tree("HEAD")
    assert tree.list("a.txt")
    with pytest.raises(GitError) as caught:
        tree.read("a.txt")
    assert "\n" not in str(caught.value)


def test_merge_bases(tmp_path: Path) -> None:
    repo = history(tmp_path / "r")
    repo.git("checkout", "--quiet", "-b", "side", "v1")
    repo.write("side", "")
    repo.commit("side")
    repository = opened(repo.root)
    assert repository.merge_base("main", "side") == repository.resolve("v1")
    repo.git("checkout", "--quiet", "--orphan", "apart")
    repo.commit("apart")
    with pytest.raises(GitError, match="no common history of main and apart"):
        repository.merge_base("main", "apart")


def test_a_merge_base_that_a_shallow_clone_lacks_names_the_fix(tmp_path: Path) -> None:
    repo = history(tmp_path / "r")
    repo.git("checkout", "--quiet", "-b", "side", "v1")
    repo.write("side", "")
    repo.commit("side")
    clone = Repo(tmp_path / "clone")
    clone.git("fetch", "--quiet", "--depth=1", f"file://{repo.root}", "main:refs/heads/m", "side:refs/heads/s")
    with pytest.raises(GitError, match="git fetch --unshallow"):
        opened(clone.root).merge_base("m", "s")


def test_without_the_git_program_plain_revisions_still_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = history(tmp_path / "r")
    repo.git("checkout", "--quiet", "-b", "side", "v1")
    repo.write("side", "")
    repo.commit("side")
    identity = repo.git("rev-parse", "HEAD")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    repository = opened(repo.root / "d")
    assert repository.root == repo.root
    assert repository.resolve("HEAD") == repository.resolve(identity) == repository.resolve("side") == identity
    assert repository.tree("main").read("a.txt") == b"two\n"
    assert repository.tree("HEAD~1").read("a.txt") == repository.tree("v1").read("a.txt") == b"one\n"
    assert repository.merge_base("main", "side") == repository.resolve("HEAD~1")
    with pytest.raises(GitError, match="no such revision"):
        repository.resolve("nowhere")
    assert Repository.find(tmp_path) is None


def test_repositories_that_dulwich_cannot_open_are_read_by_git(tmp_path: Path) -> None:
    root = tmp_path / "sha256"
    root.mkdir()
    repo = Repo(root, init=False)
    repo.git("init", "--quiet", "--object-format=sha256", "--initial-branch=main")
    repo.write("d/a", "one\n")
    repo.commit()
    tree = opened(root).tree("HEAD")
    assert len(tree.commit) == 64
    assert tree.read("d/a") == b"one\n"
    assert tree.list("d").keys() == {"d/a"}


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    name = b"\xff\xfe.json".decode("utf-8", "surrogateescape")
    repo.write(name, "odd\n")
    repo.commit()
    tree = opened(repo.root).tree("HEAD")
    assert list(tree.list()) == [name]
    assert tree.read(name) == b"odd\n"


def test_submodules_are_no_files(tmp_path: Path) -> None:
    inner = history(tmp_path / "inner")
    repo = Repo(tmp_path / "r")
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "sub")
    repo.commit()
    tree = opened(repo.root).tree("HEAD")
    assert tree.list().keys() == {".gitmodules"}
    assert tree.read("sub") is None
    assert tree.read("sub/a.txt") is None


def test_hook_variables_of_another_repository_do_not_mislead(tmp_path: Path) -> None:
    repo, other = history(tmp_path / "r"), Repo(tmp_path / "other")
    other.write("x", "")
    other.commit()
    variables = {**os.environ, "GIT_DIR": str(other.root / ".git"), "GIT_WORK_TREE": str(other.root)}
    assert opened(repo.root, variables).root == repo.root
    assert opened(repo.root, variables).tree("HEAD").read("a.txt") == b"two\n"
