"""Walks begun before anything else is loaded: what they give back, and that nothing is left of them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from stepfork.git.ahead import Ahead, start_walks


def repository(path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(path)], check=True)
    (path / "known").write_text("")
    subprocess.run(["git", "add", "known"], cwd=path, check=True)
    (path / "below").mkdir()
    (path / "below/new").write_text("")
    return path


def test_untracked_files_and_the_index_from_anywhere_in_the_work_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository(tmp_path) / "below")
    walks = start_walks(dict(os.environ))
    assert walks is not None
    assert [walk.output() for walk in walks] == [b"below/new\0", b"known\0"]
    for walk in walks:
        walk.stop()


def test_what_fails_gives_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    walks = start_walks(dict(os.environ))
    assert walks is not None
    assert [walk.output() for walk in walks] == [None, None]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Ahead(("version",), os.environ).output() is None


def test_a_walk_that_is_not_wanted_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository(tmp_path))
    walk = Ahead(("cat-file", "--batch-all-objects", "--batch"), os.environ)
    process = walk._process  # other tests of this process may have children of their own
    assert process is not None
    walk.stop()
    walk.stop()
    assert walk.output() is None
    with pytest.raises(ChildProcessError):
        os.waitpid(process, os.WNOHANG)


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_INDEX_FILE", "GIT_LITERAL_PATHSPECS"])
def test_variables_that_must_be_looked_at_first_hold_it_back(name: str) -> None:
    assert start_walks({"PATH": "/bin", name: "x"}) is None
