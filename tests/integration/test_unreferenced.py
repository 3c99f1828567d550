"""ls --unreferenced: the fixtures that no test names, in real repositories."""

from __future__ import annotations

import json
import sys
from contextlib import chdir
from pathlib import Path

import jsonschema
import pytest

import stepfork
from stepfork.cli.main import main
from tests.integration.scratch_repo import Repo

SCHEMA = json.loads((Path(stepfork.__file__).parent / "schemas/ls.schema.json").read_text())
REFERENCED = "every fixture is referenced by a test (4)\n"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """Four fixtures, of which one is named by a literal in a test."""
    made = Repo(tmp_path / "r")
    for name in ("refund", "notify-de", "notify-fr", "größe"):
        made.fixture(name)
    made.test("refund", "refund")
    made.commit()
    return made


def asked(repo: Repo, capfd: pytest.CaptureFixture[str], *words: str, code: int = 0, at: str = ".") -> tuple[str, str]:
    with chdir(repo.root / at):
        capfd.readouterr()
        assert main(["ls", "--unreferenced", *words]) == code
    said = capfd.readouterr()
    return said.out, said.err


def test_the_names_stand_one_a_line(repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    out, err = asked(repo, capfd)
    assert out.splitlines() == ["größe", "notify-de", "notify-fr"]
    assert err == "3 of 4 fixtures referenced by no test\n"


def test_the_document_is_that_of_ls(repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    document = json.loads(asked(repo, capfd, "--json")[0])
    jsonschema.validate(document, SCHEMA)
    assert [row["name"] for row in document["fixtures"]] == ["größe", "notify-de", "notify-fr"]


def test_computed_names_count_for_what_they_may_name(repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    repo.write("tests/test_notify.py", "def test_it(language):\n    load(f'notify-{language}')\n")  # untracked
    assert asked(repo, capfd)[0] == "größe\n"
    repo.write("tests/helpers/names.py", "NAME = 'größe'\n")
    assert asked(repo, capfd)[0] == "größe\n"  # a helper that no test uses
    repo.write("tests/test_size.py", "from helpers.names import NAME\n\ndef test_it():\n    load(NAME)\n")
    assert asked(repo, capfd) == ("", REFERENCED)


def test_scripts_count_too(repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    repo.write("web/a.test.ts", "// größe\nload(`notify-${language}`);\n")  # untracked
    assert asked(repo, capfd)[0] == "größe\n"
    repo.write("web/__tests__/b.mjs", "for (const name of readdirSync('.stepfork/fixtures')) load(name);\n")
    repo.commit()
    out, err = asked(repo, capfd)
    assert out == ""
    assert "web/__tests__/b.mjs" in err


def test_comments_other_names_and_ignored_tests_are_no_references(
    repo: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    text = "# notify-de\ndef test_it():\n    'notify-de'\n    load('notify-de-2')\n"
    repo.write("tests/test_more.py", text)
    repo.write("tests/test_ignored.py", "def test_it():\n    load('notify-fr')\n")
    repo.write(".gitignore", "test_ignored.py\n")
    assert "notify-de\nnotify-fr\n" in asked(repo, capfd)[0]


def test_a_test_of_all_fixtures_leaves_none(repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    repo.write(
        "tests/test_all.py", "import os\nNAMES = os.listdir('.stepfork/fixtures')\n\ndef test_it():\n    NAMES\n"
    )
    out, err = asked(repo, capfd)
    assert out == ""
    assert err == (
        'tests/test_all.py may name any fixture: ".stepfork/fixtures" is the folder of all fixtures\n'
        "so none of 4 fixtures is unreferenced for certain\n"
    )


def test_a_test_that_cannot_be_read_is_an_error(repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    repo.write("tests/test_broken.py", "def test_it(:\n    load('notify-de')\n")
    out, err = asked(repo, capfd, code=2)
    assert (out, err.count("\n")) == ("", 1)
    assert "tests/test_broken.py is no Python that can be read" in err


def test_a_project_in_a_folder_and_fixtures_that_cannot_be_read(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    repo = Repo(tmp_path / "r")
    repo.fixture("refund", folder="a/b/")
    repo.test("refund", "refund")  # of the folder above
    repo.write("a/b/pytest.ini", "[pytest]\n")
    assert asked(repo, capfd, at="a/b")[0] == "refund\n"
    repo.write("a/b/.stepfork/fixtures/broken.json", "<<<<<<<")
    assert asked(repo, capfd, at="a/b")[0] == "broken\nrefund\n"
    repo.test("refund", "refund", folder="a/b/")
    repo.test("broken", "broken", folder="a/b/")
    assert asked(repo, capfd, at="a/b/tests") == ("", "every fixture is referenced by a test (2)\n")


def test_no_fixtures_and_no_repository(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    repo = Repo(tmp_path / "r")
    (repo.root / ".stepfork/fixtures").mkdir(parents=True)
    assert asked(repo, capfd)[1].startswith("no fixtures yet")
    bare = Repo(tmp_path / "bare", init=False)
    bare.fixture("refund")
    assert "this is no git repository" in asked(bare, capfd, code=2)[1]


def test_a_sparse_checkout_may_leave_the_tests_out(repo: Repo, capfd: pytest.CaptureFixture[str]) -> None:
    repo.git("sparse-checkout", "set", "--no-cone", "/.stepfork/")
    out, err = asked(repo, capfd, code=2)
    assert (out, err.count("\n")) == ("", 1)
    assert "git sparse-checkout disable" in err


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="this system has no such names")
@pytest.mark.parametrize("name", ["test_caf\udce9.py", "caf\udce9.py", "caf\udce9/test_it.py", "caf\udce9.json"])
def test_a_file_whose_name_is_no_text_is_read(repo: Repo, capfd: pytest.CaptureFixture[str], name: str) -> None:
    text = '["notify-de"]' if name.endswith("json") else "def test_it():\n    load('notify-de')\n"
    repo.write(f"tests/{name}", text)
    repo.write("tests/test_caller.py", "from caf import *\n\ndef test_all():\n    load(*here.glob('*.json'))\n")
    repo.commit()
    out, _ = asked(repo, capfd)
    assert "größe" in out.splitlines()
    assert ("notify-de" in out) == (name == "caf\udce9.py")
