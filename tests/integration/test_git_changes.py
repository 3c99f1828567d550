"""Changes and the index as git has them, in every state that a file can be in."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from stepfork.errors import GitError
from stepfork.git.changes import Changes, WorkTreeWalk, changed_paths, within
from stepfork.git.checkout import Checkout, open_checkout
from stepfork.git.index import conflicts, each_blob, read_blobs, staged_entries
from tests.integration.scratch_repo import Repo

STATES = ("absent", "old", "new")


def matrix(root: Path) -> tuple[Repo, dict[str, tuple[str, str, str]]]:
    """A file for each state in base, index and work tree; HEAD is one commit after the base."""
    repo = Repo(root)
    files = {f"d/{'-'.join(states)}.txt": states for states in itertools.product(STATES, repeat=3)}
    for path, (base, _, _) in files.items():
        if base != "absent":
            repo.write(path, f"{path} {base}\n")
    repo.commit("base")
    repo.git("tag", "base")
    repo.write("unrelated", "x")
    repo.commit("head")
    for path, (_, index, _) in files.items():
        if index != "absent":
            repo.write(path, f"{path} {index}\n")
        else:
            (repo.root / path).unlink(missing_ok=True)
    repo.git("add", "--all")
    for path, (_, _, tree) in files.items():
        (repo.root / path).unlink(missing_ok=True)
        if tree != "absent":
            repo.write(path, f"{path} {tree}\n")
    return repo, files


def expected(files: dict[str, tuple[str, str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {"added": set(), "modified": set(), "deleted": set()}
    for path, (base, index, tree) in files.items():
        if base == "absent" and tree != "absent":
            found["added"].add(path)
        elif base != "absent" and tree == "absent":
            found["deleted"].add(path)
        elif base != tree or (index == "absent" and tree != "absent"):
            found["modified"].add(path)  # taken out of the index and still there: not the same as never touched
    return found


def walked(checkout: Checkout, base: str, pathspecs: list[str]) -> Changes:
    walk = WorkTreeWalk(checkout)
    walk.compare(base)
    assert set(walk.listing().split(b"\0")) >= {b"unrelated"}
    walk.look(pathspecs)
    found = walk.changes()
    walk.stop()
    return found


def as_sets(changes: Changes) -> dict[str, set[str]]:
    return {"added": set(changes.added), "modified": set(changes.modified), "deleted": set(changes.deleted)}


def test_end_states_of_every_combination_of_base_index_and_work_tree(tmp_path: Path) -> None:
    repo, files = matrix(tmp_path / "r")
    checkout = open_checkout(repo.root)
    whole = changed_paths(checkout, "base", committed=False, paths=["d"])
    assert as_sets(whole) == expected(files)
    near = walked(checkout, "base", [":(top,literal)d"])
    assert {kind: paths - {"unrelated"} for kind, paths in as_sets(near).items()} == expected(files)
    assert near.untracked == whole.untracked


def test_committed_changes_ignore_index_and_work_tree(tmp_path: Path) -> None:
    repo, _ = matrix(tmp_path / "r")
    found = changed_paths(open_checkout(repo.root), "base", committed=True)
    assert found.paths == {"unrelated"}


def test_renames_are_paired_on_request(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.write("old name", "line\n" * 30)
    repo.commit()
    repo.git("mv", "old name", "new «name»")
    checkout = open_checkout(repo.root)
    assert changed_paths(checkout, "HEAD", committed=False, renames=True).renamed == {"old name": "new «name»"}
    plain = changed_paths(checkout, "HEAD", committed=False)
    assert (plain.added, plain.deleted, dict(plain.renamed)) == ({"new «name»"}, {"old name"}, {})
    assert plain.paths == {"old name", "new «name»"}


def test_the_users_settings_do_not_change_the_answer(tmp_path: Path) -> None:
    repo, files = matrix(tmp_path / "r")
    for setting in (
        ("diff.external", "false"),
        ("diff.noprefix", "true"),
        ("diff.autoRefreshIndex", "false"),
        ("diff.renames", "copies"),
        ("diff.relative", "true"),
        ("core.quotePath", "true"),
        ("color.ui", "always"),
        ("grep.patternType", "fixed"),
    ):
        repo.git("config", *setting)
    variables = {**os.environ, "GIT_LITERAL_PATHSPECS": "1", "LC_ALL": "de_DE.UTF-8"}
    checkout = open_checkout(repo.root / "d", variables)
    assert checkout.prefix == "d/"
    assert as_sets(changed_paths(checkout, "base", committed=False, paths=["d"])) == expected(files)
    near = walked(checkout, "base", [":(top,glob)d/**"])
    assert {kind: paths - {"unrelated"} for kind, paths in as_sets(near).items()} == expected(files)


def test_ignored_files_and_nested_repositories_are_not_untracked_files(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.write(".gitignore", "*.log\n")
    repo.commit()
    repo.write("a.log", "")
    Repo(tmp_path / "r/nested").write("x", "")
    repo.write("seen", "")
    assert changed_paths(open_checkout(repo.root), "HEAD", committed=False).paths == {"seen"}


def test_staged_entries_are_those_of_the_index_that_git_names(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.write("a", "one\n")
    repo.write("тест b", "two\n")
    repo.write("gone", "three\n")
    repo.commit()
    repo.write("a", "staged\n")
    repo.git("add", "a")
    repo.git("rm", "--quiet", "gone")
    repo.write("a", "not staged\n")
    assert staged_entries(open_checkout(repo.root)).keys() == {"a", "тест b"}
    changed = staged_entries(open_checkout(repo.root), changed_only=True)
    assert list(changed) == ["a"]
    assert read_blobs(open_checkout(repo.root), changed.values()) == {changed["a"]: b"staged\n"}
    other = {**os.environ, "GIT_INDEX_FILE": str(tmp_path / "index")}
    repo.git("read-tree", "HEAD", GIT_INDEX_FILE=other["GIT_INDEX_FILE"])
    assert staged_entries(open_checkout(repo.root, other)).keys() == {"a", "тест b", "gone"}
    assert staged_entries(open_checkout(repo.root, other), ["тест b"]).keys() == {"тест b"}
    assert staged_entries(open_checkout(repo.root, other), changed_only=True) == {}


def test_staged_before_the_first_commit(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.write("d/a", "one\n")
    repo.git("add", ".")
    assert staged_entries(open_checkout(repo.root), changed_only=True).keys() == {"d/a"}
    assert staged_entries(open_checkout(repo.root), ["other"], changed_only=True) == {}


def test_conflicts_have_their_stages_and_an_entry(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.write("a", "base\n")
    repo.commit()
    for branch in ("ours", "theirs"):
        repo.git("checkout", "--quiet", "-b", branch, "main")
        repo.write("a", f"{branch}\n")
        repo.commit(branch)
    repo.git("checkout", "--quiet", "ours")
    with pytest.raises(AssertionError):
        repo.git("merge", "theirs")
    found = conflicts(open_checkout(repo.root))
    assert found.keys() == {"a"}
    blobs = read_blobs(open_checkout(repo.root), found["a"].values())
    assert [blobs[found["a"][stage]] for stage in (1, 2, 3)] == [b"base\n", b"ours\n", b"theirs\n"]
    assert staged_entries(open_checkout(repo.root)) == {"a": found["a"][2]}
    assert staged_entries(open_checkout(repo.root), changed_only=True) == {"a": found["a"][2]}
    assert changed_paths(open_checkout(repo.root), "HEAD", committed=False).modified == {"a"}


def test_a_missing_blob_is_named(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    with pytest.raises(GitError, match="object 123456123456 is not in this repository"):
        read_blobs(open_checkout(repo.root), ["123456" * 7][:1])
    assert read_blobs(open_checkout(repo.root), []) == {}
    with pytest.raises(GitError, match="object 123456123456 is not in this repository"):
        dict(each_blob(open_checkout(repo.root), ["123456" * 7][:1]))


def test_blobs_one_at_a_time(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    for name, data in (("a", b"one\n"), ("b", b""), ("c", bytes(range(256)) * 5000), ("d", b"one\n")):
        repo.write(name, data)
    repo.git("add", ".")
    checkout = open_checkout(repo.root)
    entries = staged_entries(checkout)
    read = list(each_blob(checkout, list(entries.values())))
    assert dict(read) == read_blobs(checkout, entries.values())
    assert [len(data) for _, data in read] == [4, 0, 256 * 5000, 4]
    assert list(each_blob(checkout, [])) == []
    assert next(each_blob(checkout, list(entries.values())))[1] == b"one\n"  # and the rest is not asked for


def test_limits() -> None:
    assert within("a/b", ["a"])
    assert within("a", ["a/"][:0])
    assert not within("ab", ["a"])
    assert within("ab", [""])
