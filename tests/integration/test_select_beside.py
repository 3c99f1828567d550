"""Modules beside tests in folders that are not called so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.scratch_repo import two_fixtures

TEST = "from helpers import play\n\ndef test_played():\n    play()\n\ndef test_other(): ...\n"
HELPERS = "def play():\n    return load('refund')\n"


@pytest.mark.parametrize("state", ["committed", "tracked", "untracked", "new test"])
@pytest.mark.parametrize("folder", ["", "evals/", "src/evals [1]/"])
def test_a_helper_beside_a_test_is_followed(tmp_path: Path, folder: str, state: str) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.write(f"{folder}helpers.py", HELPERS)
    if state == "new test":
        repo.commit("helper")
    repo.write(f"{folder}test_agent.py", TEST)
    if state in ("committed", "tracked"):
        repo.commit("test")
    repo.fixture("refund", "second")
    if state == "committed":
        repo.commit("edit")
    base = "HEAD~1" if state == "committed" else "HEAD"
    found = repo.select("--base", base, *(["--committed"] if state == "committed" else [])).ids
    shown = "src" if "[" in folder else f"{folder}test_agent.py"
    assert any(one.startswith((shown, f"./{shown}")) for one in found), found


def test_a_change_of_it_is_one_of_the_tests(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.write("evals/helpers.py", HELPERS)
    repo.write("evals/test_agent.py", TEST)
    repo.write("src/product.py", HELPERS)
    repo.commit("test")
    repo.write("src/product.py", HELPERS + "# edited\n")
    assert repo.select().ids == []
    repo.write("evals/helpers.py", HELPERS + "def more(): ...\n")
    assert "evals/test_agent.py::test_played" in repo.select().ids
