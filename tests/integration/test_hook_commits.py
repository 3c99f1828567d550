"""check-redaction run by git as a plain hook: without words, with --staged, and with the name of a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.hooked import FILE, Work
from tests.unit.redact.samples import OPENAI


@pytest.fixture(params=["", "--staged", "tests/fixtures"])
def hooked(request: pytest.FixtureRequest, work: Work) -> Work:
    """The repository, its hook with each of these words."""
    work.install(words=request.param)
    return work


def test_c104_commit_all_uses_the_index_that_git_names(hooked: Work) -> None:
    hooked.write(FILE, OPENAI)
    code, shown = hooked.run("commit", "-qam", "leak")
    assert code == 1
    assert FILE in shown
    assert "openai-key" in shown
    assert "nothing was committed" in shown


def test_c106_a_staged_secret_is_stopped_although_the_working_copy_is_clean(hooked: Work) -> None:
    hooked.write(FILE, OPENAI)
    hooked.git("add", ".")
    path = hooked.write(FILE, "clean")
    assert hooked.run("commit", "-qm", "a")[0] == 1
    assert "clean" in path.read_text()


def test_c106_a_secret_in_the_working_copy_alone_is_none_of_the_commit(hooked: Work) -> None:
    hooked.write(FILE, "clean too")
    hooked.git("add", ".")
    path = hooked.write(FILE, OPENAI)
    hooked.git("commit", "-qm", "b")
    assert OPENAI in path.read_text()


def test_c107_deletions_and_renames_pass(hooked: Work) -> None:
    hooked.write("tests/fixtures/second.json", "clean")
    hooked.git("add", ".")
    hooked.git("commit", "-q", "--no-verify", "-m", "second")
    hooked.git("mv", "tests/fixtures/second.json", "tests/fixtures/third.json")
    hooked.git("rm", "-q", FILE)
    hooked.git("commit", "-qm", "rename and delete")
    hooked.git("commit", "-q", "--allow-empty", "-m", "nothing")
    hooked.git("rm", "-q", "tests/fixtures/third.json")
    hooked.git("commit", "-qm", "delete all")


def test_a_commit_from_a_folder_below_the_root(hooked: Work) -> None:
    hooked.write(FILE, OPENAI)
    assert hooked.run("commit", "-qam", "leak", at=hooked.folder / "tests")[0] == 1


def test_a_linked_worktree_is_judged_by_its_own_index(work: Work, tmp_path: Path) -> None:
    linked = Work(tmp_path / "linked")
    work.git("worktree", "add", "-q", str(linked.folder), "-b", "side")
    linked.write(FILE, OPENAI)
    code, shown = linked.run("commit", "-qam", "leak")
    assert (code, "refund.json" in shown) == (1, True)
    linked.write(FILE, "fine")
    linked.git("commit", "-qam", "fine")


def test_an_archive_cannot_be_looked_into_and_a_link_is_read_as_git_stores_it(work: Work) -> None:
    (work.folder / "loop").symlink_to("loop")
    work.git("add", ".")
    work.git("commit", "-qm", "loop")
    (work.folder / "data.zip").write_bytes(b"PK\x03\x04" + bytes(100))
    work.git("add", ".")
    code, shown = work.run("commit", "-qm", "archive")
    assert (code, "zip archive" in shown) == (1, True)


def test_a_hook_that_names_files_reads_them_from_the_index(work: Work) -> None:
    work.install(words=f"{FILE} untracked.txt")
    (work.folder / "untracked.txt").write_text("clean")
    work.write(FILE, OPENAI)
    work.git("add", "tests")
    work.write(FILE, "clean")
    assert work.run("commit", "-qm", "a")[0] == 1
    work.git("add", "tests")
    work.write(FILE, OPENAI)
    work.git("commit", "-qm", "b", "--allow-empty")
    (work.folder / "untracked.txt").write_text(OPENAI)
    work.git("add", "tests")
    assert work.run("commit", "-qm", "named but untracked")[0] == 1


def test_c105_the_index_of_the_commit_is_intact_afterwards(work: Work) -> None:
    work.write(FILE, "fine")
    work.write("extra.json", "x")
    work.git("add", "tests")
    before = work.git("ls-files", "--stage")
    work.git("commit", "-qm", "fine")
    assert work.git("ls-files", "--stage") == before
    assert work.git("status", "--porcelain") == "?? extra.json\n"


def test_the_published_hooks_name_the_commands() -> None:
    import yaml

    check, fsck = yaml.safe_load((Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text())
    assert (check["id"], check["entry"], check["types"]) == ("check-redaction", "stepfork check-redaction", ["file"])
    assert check["args"] == ["--"]  # names are passed on as they are, also one like --help
    assert (fsck["id"], fsck["entry"], fsck["pass_filenames"]) == ("fsck", "stepfork fsck --staged", False)
