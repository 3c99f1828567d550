"""Running git: what reaches it, and what is said when it fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepfork.errors import GitError
from stepfork.git.command import GitProgram, split_nul, to_bytes, to_text
from stepfork.git.environment import LOCAL_VARIABLES, for_reading, without_hook_variables
from stepfork.git.objects import parse_tree, tree_of_commit
from stepfork.listener.environment import GIT_HOOK_VARIABLES

HOOK = {"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/index", "GIT_WORK_TREE": ".", "GIT_PREFIX": "", "PATH": "/bin"}


def test_c105_hook_variables_are_kept_or_removed_as_asked() -> None:
    assert without_hook_variables(HOOK) == {"PATH": "/bin"}
    assert for_reading(HOOK, hook=True)["GIT_INDEX_FILE"] == ".git/index"
    cleaned = for_reading({**HOOK, "GIT_LITERAL_PATHSPECS": "1", "LC_ALL": "de_DE"}, hook=False)
    assert not cleaned.keys() & {*LOCAL_VARIABLES, "GIT_LITERAL_PATHSPECS"}
    assert (cleaned["LC_ALL"], cleaned["GIT_OPTIONAL_LOCKS"]) == ("C", "0")


def test_every_variable_that_git_calls_local_is_known(tmp_path: Path) -> None:
    listed = GitProgram.at(tmp_path).run("rev-parse", "--local-env-vars").out.decode().split()
    assert set(listed) <= set(LOCAL_VARIABLES)


def test_a_watched_program_is_kept_from_the_same_repository() -> None:
    """The listener's list is one of its own, since it knows no git; it leaves configuration and views to their user."""
    kept = {name for name in LOCAL_VARIABLES if "CONFIG" in name or "REPLACE" in name} | {"GIT_NAMESPACE"}
    beside = {"GIT_INDEX_VERSION", "GIT_REFLOG_ACTION"}  # of the git command that runs the hook, not of a repository
    assert set(GIT_HOOK_VARIABLES) == set(LOCAL_VARIABLES) - kept | beside


def test_paths_of_any_bytes_go_there_and_back() -> None:
    every = bytes(range(1, 256))
    assert to_bytes(to_text(every)) == every
    assert split_nul(b"a b\0\xff\0") == ["a b", "\udcff"]
    assert split_nul(b"") == []


def test_a_failure_is_one_line_that_names_the_verb(tmp_path: Path) -> None:
    program = GitProgram.at(tmp_path, environ={})
    with pytest.raises(GitError, match=r"git log failed: not a git repository") as caught:
        program.run("-c", "core.quotePath=false", "log")
    assert "\n" not in str(caught.value)
    assert program.run("log", codes=(0, 128)).code == 128


def test_a_login_in_a_remotes_address_is_not_repeated(tmp_path: Path) -> None:
    address = "https://user:" + "made-up" + "@127.0.0.1:9/x.git"
    with pytest.raises(GitError) as caught:
        GitProgram.at(tmp_path, environ={}).run("ls-remote", address)
    assert "made-up" not in str(caught.value)
    assert "127.0.0.1" in str(caught.value)


def test_no_program_no_folder_and_impossible_words_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GitError, match="no such folder"):
        GitProgram.at(tmp_path / "absent").run("version")
    with pytest.raises(GitError, match="could not be started"):
        GitProgram.at(tmp_path).run("ver\0sion")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="the git program was not found"):
        GitProgram.at(tmp_path).run("version")


def test_what_is_not_asked_for_is_ended(tmp_path: Path) -> None:
    running = GitProgram.at(tmp_path).start("version")
    running.stop()
    running.stop()
    done = GitProgram.at(tmp_path).start("version")
    assert done.answer().out.startswith(b"git version")
    done.stop()


@pytest.mark.parametrize("data", [b"40000 a", b"40000 a\0short", b"\0", b"x a\0" + b"1" * 20, b"100644"])
def test_damaged_trees_are_our_error(data: bytes) -> None:
    with pytest.raises(GitError, match="damaged"):
        parse_tree(data, 20)


def test_damaged_commits_are_our_error() -> None:
    with pytest.raises(GitError, match="damaged"):
        tree_of_commit(b"nonsense")
