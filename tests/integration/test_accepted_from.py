"""A pull request is checked by the rules of its base: it cannot accept its own findings, nor drop what is secret."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from stepfork.cli.check_redaction import main
from stepfork.redact.finding import digest_of
from tests.integration.scratch_repo import Repo
from tests.unit.redact.samples import GITHUB, OPENAI

KEYS = '[redact]\nkeys = ["x-crew-code"]\n[redact.patterns]\nticket = "ticket-[a-z0-9]{8}"\n'
TICKET = "ticket-" + "a1b2c3d4"


def entry(value: str, rule: str) -> str:
    return f'[[redact.accepted]]\nrule = "{rule}"\nblake3 = "{digest_of(value)}"\nreason = "made up"\n'


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """On main the OpenAI key is accepted; the branch `change` is checked out."""
    repo = Repo(tmp_path / "repo")
    repo.write(".stepfork/config.toml", KEYS + entry(OPENAI, "openai-key"))
    repo.write("docs/page.md", f"An example: {OPENAI}\n")
    repo.commit("base")
    repo.git("checkout", "--quiet", "-b", "change")
    monkeypatch.chdir(repo.root)
    return repo


def check(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(list(words))
    said = capsys.readouterr()
    assert not [value for value in (OPENAI, GITHUB, TICKET) if value in said.out + said.err]
    return code, said.out + said.err


def test_a_change_cannot_accept_its_own_findings(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write("docs/new.md", f"Another: {GITHUB}\n")
    repo.write(".stepfork/config.toml", KEYS + entry(OPENAI, "openai-key") + entry(GITHUB, "github-token"))
    repo.commit()
    assert check(capsys, "docs") == (0, "stepfork check-redaction: no secret in 2 files (2 findings accepted)\n")
    code, said = check(capsys, "docs", "--accepted-from", "main")
    assert code == 1
    assert "docs/new.md   line 1   github-token" in said
    assert "1 finding in 1 of 2 files, 1 accepted" in said
    repo.git("checkout", "--quiet", "main")
    repo.git("merge", "--quiet", "change")
    assert check(capsys, "docs", "--accepted-from=main")[0] == 0


def test_the_command_that_is_offered_redacts_what_was_found(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write("docs/new.md", f"Another: {GITHUB}\n")
    repo.write(".stepfork/config.toml", KEYS + entry(GITHUB, "github-token"))
    repo.git("branch", "base;of", "main")
    repo.git("add", ".")
    offered = check(capsys, "--staged", "--accepted-from", "base;of")[1].splitlines()[-1]
    assert offered == "Redact in place: stepfork check-redaction --accepted-from 'base;of' --staged --fix"
    words = shlex.split(offered.partition(": stepfork check-redaction ")[2])
    assert "1 secret redacted" in check(capsys, *words)[1]


def test_nor_can_it_drop_or_weaken_what_the_project_calls_secret(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write("notes.json", json.dumps({"X-Crew-Code": "blue heron", "t": TICKET}))
    repo.write(".stepfork/config.toml", '[redact.patterns]\nticket = "ticket-never"\nown = "heron"\n')
    repo.commit()
    assert check(capsys, "notes.json")[0] == 1
    code, said = check(capsys, "notes.json", "--accepted-from", "main")
    assert (code, said.splitlines()[0]) == (1, "stepfork check-redaction: 2 findings in 1 of 1 file")
    assert "/X-Crew-Code   named secret" in said
    assert "/t             ticket (main)" in said
    repo.git("rm", "--quiet", "-r", ".stepfork")
    repo.commit()
    code, said = check(capsys, "notes.json", "--accepted-from", "main")
    assert (code, said.splitlines()[0]) == (1, "stepfork check-redaction: 2 findings in 1 of 1 file")


def test_the_base_is_looked_at_where_the_command_stands(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write("services/a/page.md", f"{OPENAI}\n")
    repo.write("services/a/.stepfork/config.toml", entry(OPENAI, "openai-key"))
    repo.commit()
    os.chdir("services/a")
    assert check(capsys, "page.md", "--accepted-from", "main")[0] == 0, "the nearest store that main has here"
    assert check(capsys, "page.md", "--accepted-from", "HEAD")[0] == 0
    os.chdir(repo.root)
    repo.git("checkout", "--quiet", "--orphan", "other")
    repo.git("rm", "--quiet", "-rf", ".")
    repo.write("page.md", f"{OPENAI}\n")
    repo.commit()
    code, said = check(capsys, "page.md", "--accepted-from", "other")
    assert code == 1
    assert "stepfork check-redaction: other has no config.toml of a store here, so nothing is accepted" in said


def test_a_store_that_is_named(repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPFORK_DIR", ".stepfork")
    assert check(capsys, "docs", "--accepted-from", "main")[0] == 0
    outside = repo.root.parent / ".stepfork"
    outside.mkdir()
    monkeypatch.setenv("STEPFORK_DIR", str(outside))
    code, said = check(capsys, "docs", "--accepted-from", "main")
    assert (code, "outside this repository" in said) == (2, True)


@pytest.mark.parametrize("revision", ["gone", "--gone", "main:docs", "\x1b[31m"])
def test_what_is_no_revision_is_one_line(repo: Repo, capsys: pytest.CaptureFixture[str], revision: str) -> None:
    code, said = check(capsys, "docs", f"--accepted-from={revision}")
    assert (code, said.count("\n")) == (2, 1)
    assert "no such revision: " in said
    assert "\x1b" not in said


def test_rules_of_the_base_that_cannot_be_used_are_named_with_it(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.write(".stepfork/config.toml", "[redact]\nkeys = 1\n")
    repo.commit()
    repo.write(".stepfork/config.toml", "")
    code, said = check(capsys, "docs", "--accepted-from", "HEAD")
    assert code == 2
    assert said.startswith("stepfork check-redaction: HEAD:.stepfork/config.toml: redact.keys is not a list of names")


def test_annotations_name_files_from_the_root_and_lines(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write("docs/deep/a,b.txt", f"first\n{GITHUB}\n")
    repo.write("docs/deep/c.json", json.dumps({"a": [GITHUB]}))
    os.chdir("docs/deep")
    code, said = check(capsys, ".", "gone.txt", "--format", "github")
    assert code == 1
    assert [line for line in said.splitlines() if line.startswith("::")] == [
        "::error file=docs/deep/a%2Cb.txt,line=2,title=secret%3A github-token::github-token at line 2: "
        "take it out, and change it if it left your machine",
        "::error file=docs/deep/c.json,title=secret%3A github-token::github-token at /a/0: "
        "take it out, and change it if it left your machine",
        "::error file=docs/deep/gone.txt,title=stepfork check-redaction%3A not scanned::gone.txt: is no file or folder",
    ]
    assert "2 findings in 2 of 2 files" in said
    repo.git("add", "--all")
    staged = check(capsys, "--staged", "--format=github")[1]
    assert "::error file=docs/deep/c.json,title" in staged


def test_a_staged_path_that_nobody_knows_is_no_clean_one(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = check(capsys, "--staged", "docs/typo.md")
    assert (code, "docs/typo.md: is no file or folder" in said) == (2, True)
    assert check(capsys, "--staged", "docs/page.md")[0] == 0
    repo.git("rm", "--quiet", "docs/page.md")
    assert check(capsys, "--staged", "docs/page.md")[0] == 0
    repo.write("docs/page.md", "not staged")
    code, said = check(capsys, "--staged", "docs/page.md")
    assert (code, "no file was scanned" in said) == (0, True)
