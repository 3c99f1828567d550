"""Names of files and fixtures that are easily taken for something else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.integration.scratch_repo import two_fixtures

ODD = "tests/caf\udce9"


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="this system has no such names")
@pytest.mark.parametrize("path", [f"{ODD}/cases.json", f"{ODD}.json"])
def test_a_table_whose_name_is_no_text_names_fixtures(tmp_path: Path, path: str) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.write(path, '["refund"]')
    repo.write("tests/test_tables.py", "def test_all():\n    load(*here.glob('*.json'))\n")
    repo.commit("table")
    repo.fixture("refund", "second")
    assert "tests/test_tables.py::test_all" in [one.partition("::")[0] + "::test_all" for one in repo.select().ids]


def test_a_fixture_called_like_a_test_selects_the_tests_that_name_it(tmp_path: Path) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.fixture("test_one")
    names = "def test_one():\n    load('refund')\n\ndef test_two():\n    load('test_one')\n"
    repo.write("tests/test_names.py", names)
    repo.commit("names")
    repo.fixture("test_one", "second")
    assert repo.select().ids == ["tests/test_names.py::test_two"]
    repo.git("checkout", "--", ".")
    repo.fixture("refund", "second")
    assert "tests/test_names.py::test_two" not in repo.select().ids
    assert "tests/test_names.py::test_one" in repo.select().ids
