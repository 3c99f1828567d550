"""pytest's own settings changed: it may collect other tests than before, or run them in another way."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.scratch_repo import Repo, two_fixtures

REFUND = "tests/test_refund.py::test_refund"
SHIP = "tests/test_ship.py::test_ship"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("pytest.ini", "[pytest]\n", "[pytest]\naddopts = -x\n"),
        ("pytest.ini", None, "[pytest]\n"),
        ("pytest.ini", "[pytest]\n", None),
        ("pytest.toml", "[pytest]\n", "[pytest]\naddopts = ['-x']\n"),
        ("tox.ini", "[pytest]\n", "[pytest]\naddopts = -x\n"),
        ("setup.cfg", "[tool:pytest]\n", "[tool:pytest]\naddopts = -x\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\n", "[tool.pytest.ini_options]\naddopts = '-x'\n"),
        ("pyproject.toml", "[project]\n", "[project]\n[tool.pytest.ini_options]\naddopts = '-x'\n"),
    ],
)
@pytest.mark.parametrize("committed", [False, True])
def test_settings_of_pytest_that_changed_select_all_that_use_fixtures(
    tmp_path: Path, name: str, before: str | None, after: str | None, committed: bool
) -> None:
    repo = two_fixtures(tmp_path / "r")
    if before is not None:
        repo.write(name, before)
    base = repo.commit("settings")
    if after is None:
        repo.git("rm", "--quiet", name)
    else:
        repo.write(name, after)
    if committed:
        repo.commit("change")
    printed = repo.select("--base", base, *(["--committed"] if committed else []))
    assert (printed.code, printed.ids) == (0, [REFUND, SHIP])
    assert f"{name} changed, which configures pytest" in printed.messages


@pytest.mark.parametrize("name", ["pyproject.toml", "tox.ini", "setup.cfg"])
def test_what_else_such_a_file_says_selects_nothing(tmp_path: Path, name: str) -> None:
    table = {"pyproject.toml": "tool.pytest.ini_options", "setup.cfg": "tool:pytest"}.get(name, "pytest")
    repo = two_fixtures(tmp_path / "r")
    repo.write(name, f"[{table}]\n[project]\n")
    base = repo.commit("settings")
    repo.write(name, f"[{table}]\n[project]\nname = 'agent'\n")
    assert repo.select("--base", base).ids == []


def test_settings_of_another_project_are_its_own(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    for project in ("one/", "two/"):
        repo.fixture("refund", folder=project)
        repo.test("refund", "refund", folder=project)
        repo.write(f"{project}pytest.ini", "[pytest]\n")
    repo.commit("base")
    repo.write("one/pytest.ini", "[pytest]\naddopts = -x\n")
    assert repo.select(at="one").ids == [REFUND]
    assert repo.select(at="two").ids == []


def test_without_any_fixture_there_is_nothing_to_miss(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.write(".stepfork/config.toml", "format = 1\n")
    repo.write("tests/test_plain.py", "def test_plain(): ...\n")
    repo.commit("base")
    repo.write("pytest.ini", "[pytest]\n")
    printed = repo.select()
    assert (printed.code, printed.ids) == (0, [])
