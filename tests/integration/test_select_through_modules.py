"""Modules beside the tests that name no fixture themselves, but through which tests use them."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepfork.select import sources
from tests.integration.scratch_repo import Repo, two_fixtures

OPENS = "def opened(name):\n    return load(name)\n"
TEST = "def test_opened(player):\n    opened('refund')\n\ndef test_other(): ...\n"


def through(root: Path, module: str, how: str) -> Repo:
    repo = two_fixtures(root)
    repo.write(module, OPENS)
    repo.write("tests/deep/test_deep.py", how + TEST)
    repo.write("tests/deep/test_none.py", how + "def test_none(): ...\n")
    repo.commit("through")
    return repo


@pytest.mark.parametrize("edit", ["edited", "deleted"])
@pytest.mark.parametrize(
    ("module", "how"),
    [("tests/deep/conftest.py", ""), ("tests/helpers.py", "from helpers import opened\n")],
)
def test_a_change_selects_the_tests_that_use_fixtures(tmp_path: Path, module: str, how: str, edit: str) -> None:
    repo = through(tmp_path / "r", module, how)
    if edit == "edited":
        repo.write(module, OPENS + "    # more\n    print(name)\n")
    else:
        (repo.root / module).unlink()
    assert repo.select().ids == ["tests/deep/test_deep.py::test_opened"]
    repo.commit("edit")
    assert repo.select("--base", "HEAD~1", "--committed").ids == ["tests/deep/test_deep.py::test_opened"]


def test_over_another_module(tmp_path: Path) -> None:
    repo = through(tmp_path / "r", "tests/inner.py", "from outer import opened\n")
    repo.write("tests/outer.py", "from inner import opened\n")
    repo.commit("outer")
    repo.write("tests/inner.py", OPENS + "X = 1\n")
    assert repo.select().ids == ["tests/deep/test_deep.py::test_opened"]


def test_a_comment_is_no_change(tmp_path: Path) -> None:
    repo = through(tmp_path / "r", "tests/deep/conftest.py", "")
    repo.write("tests/deep/conftest.py", "# opens them\n" + OPENS)
    assert repo.select().ids == []


def test_changed_files_at_head_are_read_in_one_run_of_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = two_fixtures(tmp_path / "r")
    base = repo.commit("before")
    for number in range(6):
        repo.test(f"many_{number}", "refund")
        repo.write(f"tests/helper_{number}.py", f"X = {number}\n")
    repo.commit("many")
    runs: list[int] = []
    plain = sources.read_named
    monkeypatch.setattr(sources, "read_named", lambda checkout, names: runs.append(1) or plain(checkout, names))
    assert len(repo.select("--base", base, "--committed").ids) == 6
    assert len(runs) == 3  # the old state, the changed files, and what a search found beside them
