"""Names of fixtures that stand in files of data beside the tests, which tests read."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepfork.cli import app
from tests.integration.scratch_repo import Repo, two_fixtures

READS = """
def cases(): ...

def test_all():
    for case in cases({name}):
        load(case)

def test_other(): ...
"""


def reading(root: Path, data: str, text: str, name: str) -> Repo:
    repo = two_fixtures(root)
    repo.write(data, text)
    repo.write("tests/test_table.py", READS.format(name=name))
    repo.commit("table")
    return repo


@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("tests/cases.json", '[{"fixture": "refund"}]'),
        ("tests/cases.json", '{"refund": {"expects": 1}}'),
        ("tests/cases.jsonl", '{"fixture":"refund"}\n'),
        ("tests/cases.yaml", "- fixture: refund\n"),
        ("tests/cases.toml", "fixture = 'refund'\n"),
        ("tests/cases.ini", "[one]\nfixture = refund\n"),
        ("tests/cases.csv", "once,refund,40\n"),
        ("tests/cases.txt", "refund\n"),
        ("tests/cases.json", '[".stepfork/fixtures/refund.json"]'),
    ],
)
def test_a_test_that_names_the_file_is_selected(tmp_path: Path, data: str, text: str, committed: bool) -> None:
    repo = reading(tmp_path / "r", data, text, repr(data))
    repo.fixture("refund", "second")
    if committed:
        repo.commit("edit")
    base = "HEAD~1" if committed else "HEAD"
    printed = repo.select("--base", base, *(["--committed"] if committed else []))
    assert printed.ids == ["tests/test_refund.py::test_refund", "tests/test_table.py::test_all"]
    assert f"(named in {data})" in str(repo.select("--json", "--base", base).data)


@pytest.mark.parametrize("name", ["'tests/cases/*.yaml'", "'tests' / 'cases'", "f'{here}/cases/{name}'"])
def test_who_reads_all_of_a_folder_or_a_kind_is_selected(tmp_path: Path, name: str) -> None:
    repo = reading(tmp_path / "r", "tests/cases/one.yaml", "fixture: refund\n", name)
    repo.fixture("refund", "second")
    assert "tests/test_table.py" in repo.select("--base", "HEAD").ids


def test_through_a_conftest(tmp_path: Path) -> None:
    repo = reading(tmp_path / "r", "tests/cases.json", '["refund"]', "")
    repo.write(
        "tests/conftest.py", "def pytest_generate_tests(metafunc): metafunc.parametrize('n', read('cases.json'))\n"
    )
    repo.commit("hook")
    repo.fixture("refund", "second")
    assert "tests/test_table.py" in repo.select("--base", "HEAD").ids


def test_a_table_that_changed_is_uncertain_and_another_is_not(tmp_path: Path) -> None:
    repo = reading(tmp_path / "r", "tests/cases.json", '["refund"]', "'cases.json'")
    repo.write("tests/prices.json", "[1]")
    repo.commit("prices")
    repo.write("tests/prices.json", "[2]")
    assert repo.select("--base", "HEAD").ids == []
    repo.write("tests/cases.json", '["refund", "ship"]')
    printed = repo.select("--base", "HEAD")
    assert "tests/test_table.py::test_all" in printed.ids
    assert "tests/cases.json changed, which names fixtures" in printed.messages


def test_the_name_inside_another_and_a_file_that_nobody_reads_select_nothing(tmp_path: Path) -> None:
    repo = reading(tmp_path / "r", "tests/cases.json", '["refund-2", "late-refund"]', "'cases.json'")
    repo.write("tests/notes.txt", "refund\n")
    repo.commit("notes")
    repo.fixture("refund", "second")
    assert repo.select("--base", "HEAD").ids == ["tests/test_refund.py::test_refund"]


def test_a_fixture_that_only_a_table_names_is_referenced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = reading(tmp_path / "r", "tests/cases.json", '["third"]', "'cases.json'")
    repo.fixture("third")
    repo.fixture("fourth")
    repo.write(".stepfork/config.toml", "format = 1\n")
    monkeypatch.chdir(repo.root)
    app.main(["ls", "--unreferenced"])
    out = capsys.readouterr().out
    assert "fourth" in out
    assert "third" not in out
