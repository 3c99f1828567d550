"""check-redaction run by git itself, as a plain hook, on every way to commit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.redact.samples import OPENAI

HOOK = "#!/bin/sh\n{python} -m stepfork check-redaction {words}\n"


class Repository:
    """A repository with the hook installed; `words` stand after the command in it."""

    def __init__(self, folder: Path, words: str) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.git("init", "-q")
        self.write("tests/fixtures/refund.json", "clean")
        self.git("add", ".")
        self.git("commit", "-qm", "base")
        self.install(folder / ".git" / "hooks" / "pre-commit", words)

    def install(self, path: Path, words: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HOOK.format(python=sys.executable, words=words))
        path.chmod(0o755)

    def write(self, name: str, note: str, folder: Path | None = None) -> Path:
        path = (folder or self.folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"name": name, "note": note}) + "\n")
        return path

    def git(self, *words: str | bytes, code: int = 0, folder: Path | None = None) -> str:
        done = subprocess.run(["git", *words], cwd=folder or self.folder, capture_output=True)
        shown = (done.stdout + done.stderr).decode("utf-8", "replace")
        assert done.returncode == code, shown
        assert "Traceback" not in shown
        assert OPENAI not in done.stderr.decode("utf-8", "replace")
        return shown


@pytest.fixture(params=["", "--staged", "tests/fixtures"])
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Repository:
    return Repository(tmp_path / "r", request.param)


@pytest.fixture
def plain(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "r", "")


def test_c104_commit_all_uses_the_index_that_git_names(repository: Repository) -> None:
    repository.write("tests/fixtures/refund.json", OPENAI)
    shown = repository.git("commit", "-qam", "leak", code=1)
    assert "tests/fixtures/refund.json" in shown
    assert "openai-key" in shown
    assert "nothing was committed" in shown


def test_commit_of_a_path_is_judged_by_what_it_commits(repository: Repository) -> None:
    path = repository.write("tests/fixtures/refund.json", OPENAI)
    repository.git("commit", "-qm", "leak", "--", str(path), code=1)
    repository.write("tests/fixtures/other.json", "clean")
    repository.git("add", "tests/fixtures/other.json")
    repository.git("commit", "-qm", "fine", "--", "tests/fixtures/other.json")


def test_c106_a_staged_secret_is_stopped_although_the_working_copy_is_clean(repository: Repository) -> None:
    repository.write("tests/fixtures/refund.json", OPENAI)
    repository.git("add", ".")
    repository.write("tests/fixtures/refund.json", "clean")
    repository.git("commit", "-qm", "a", code=1)


def test_c106_a_secret_in_the_working_copy_alone_is_none_of_the_commit(repository: Repository) -> None:
    repository.write("tests/fixtures/refund.json", "clean too")
    repository.git("add", ".")
    path = repository.write("tests/fixtures/refund.json", OPENAI)
    repository.git("commit", "-qm", "b")
    assert OPENAI in path.read_text()


def test_c107_deletions_and_renames_pass(repository: Repository) -> None:
    repository.write("tests/fixtures/second.json", "clean")
    repository.git("add", ".")
    repository.git("commit", "-qm", "second")
    repository.git("mv", "tests/fixtures/second.json", "tests/fixtures/third.json")
    repository.git("commit", "-qm", "rename")
    repository.git("rm", "-q", "tests/fixtures/third.json")
    repository.git("commit", "-qm", "delete")
    repository.git("commit", "-q", "--allow-empty", "-m", "nothing")


def test_a_renamed_file_that_got_a_secret_is_stopped(plain: Repository) -> None:
    plain.git("mv", "tests/fixtures/refund.json", "tests/fixtures/new.json")
    plain.write("tests/fixtures/new.json", OPENAI)
    plain.git("add", ".")
    plain.git("commit", "-qm", "rename", code=1)


def test_the_first_commit_of_a_repository_is_judged(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r", "")
    repository.git("checkout", "-q", "--orphan", "other")
    repository.write("tests/fixtures/refund.json", OPENAI)
    repository.git("add", ".")
    repository.git("commit", "-qm", "first", code=1)


def test_a_linked_worktree_is_judged_by_its_own_index(plain: Repository, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    plain.git("worktree", "add", "-q", str(linked), "-b", "side")
    plain.write("tests/fixtures/refund.json", OPENAI, linked)
    assert "refund.json" in plain.git("commit", "-qam", "leak", code=1, folder=linked)
    plain.write("tests/fixtures/refund.json", "fine", linked)
    plain.git("commit", "-qam", "fine", folder=linked)


def test_a_commit_from_a_folder_below_the_root(repository: Repository) -> None:
    repository.write("tests/fixtures/refund.json", OPENAI)
    repository.git("commit", "-qam", "leak", code=1, folder=repository.folder / "tests")


def test_a_path_of_any_bytes(plain: Repository) -> None:
    (plain.folder / os.fsdecode(b"caf\xe9-\xff.json")).write_text(json.dumps({"k": OPENAI}))
    plain.git("add", ".")
    shown = plain.git("commit", "-qm", "leak", code=1)
    assert "\\udce9" in shown


def test_a_submodule_is_no_file(plain: Repository, tmp_path: Path) -> None:
    inner = Repository(tmp_path / "inner", "")
    plain.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.folder), "vendor")
    plain.git("commit", "-qm", "submodule")


def test_binary_files_pass_and_links_are_read_as_git_stores_them(plain: Repository) -> None:
    (plain.folder / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0" + bytes(range(256)) * 20)
    (plain.folder / "loop").symlink_to("loop")
    plain.git("add", ".")
    plain.git("commit", "-qm", "binary")
    (plain.folder / "data.zip").write_bytes(b"PK\x03\x04" + bytes(100))
    plain.git("add", ".")
    assert "zip archive" in plain.git("commit", "-qm", "archive", code=1)


def test_a_merge_with_a_conflict_that_was_resolved(plain: Repository) -> None:
    plain.git("checkout", "-q", "-b", "side")
    plain.write("tests/fixtures/refund.json", "side")
    plain.git("commit", "-qam", "side")
    plain.git("checkout", "-q", "main")
    plain.write("tests/fixtures/refund.json", "main")
    plain.git("commit", "-qam", "main")
    plain.git("merge", "-q", "side", code=1)
    plain.write("tests/fixtures/refund.json", OPENAI)
    plain.git("add", ".")
    plain.git("commit", "-qm", "merge", code=1)


def test_a_hook_that_names_files_reads_them_from_the_index(plain: Repository) -> None:
    """As the pre-commit framework runs it: with the names of the staged files."""
    plain.install(plain.folder / ".git" / "hooks" / "pre-commit", "tests/fixtures/refund.json untracked.txt")
    (plain.folder / "untracked.txt").write_text("clean")
    plain.write("tests/fixtures/refund.json", OPENAI)
    plain.git("add", "tests")
    plain.write("tests/fixtures/refund.json", "clean")
    plain.git("commit", "-qm", "a", code=1)
    plain.git("reset", "-q", "--hard")
    plain.write("tests/fixtures/refund.json", "clean 2")
    plain.git("add", "tests")
    plain.write("tests/fixtures/refund.json", OPENAI)
    plain.git("commit", "-qm", "b")
    (plain.folder / "untracked.txt").write_text(OPENAI)
    plain.git("add", "tests")
    plain.git("commit", "-qm", "named but untracked", code=1)


def test_c105_the_index_of_the_commit_is_intact_afterwards(plain: Repository) -> None:
    plain.write("tests/fixtures/refund.json", "fine")
    plain.write("extra.json", "x")
    plain.git("add", "tests")
    before = plain.git("ls-files", "--stage")
    plain.git("commit", "-qm", "fine")
    assert plain.git("ls-files", "--stage") == before
    assert plain.git("status", "--porcelain") == "?? extra.json\n"


def test_the_published_hooks_name_the_commands() -> None:
    import yaml

    check, fsck = yaml.safe_load((Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text())
    assert (check["id"], check["entry"], check["types"]) == ("check-redaction", "stepfork check-redaction", ["file"])
    assert check["args"] == ["--"]  # names are passed on as they are, also one like --help
    assert (fsck["id"], fsck["entry"], fsck["pass_filenames"]) == ("fsck", "stepfork fsck --staged", False)
