"""check-redaction --fix on what is staged, by hand and as a hook of git itself."""

from __future__ import annotations

import io
import json
import os
import subprocess
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from stepfork.cli.check_redaction import main
from stepfork.redact.marker import MARKER
from stepfork.store.bundle import read_bundle, write_bundle
from stepfork.store.fsck import fsck_store
from stepfork.store.store import Store
from stepfork.workflows.init import init_project
from tests.integration.hooked import FILE, Work
from tests.unit.redact.samples import GITHUB, OPENAI
from tests.unit.store.sample_runs import fixture_of
from tests.unit.workflows.test_fix_redaction import leaky


def text(note: str) -> str:
    return json.dumps({"note": note}) + "\n"


def fix(work: Work, *words: str, at: Path | None = None) -> tuple[int, str]:
    shown = io.StringIO()
    with chdir(at or work.folder), redirect_stdout(shown), redirect_stderr(shown):
        code = main(["--fix", *words])
    assert OPENAI not in shown.getvalue()
    assert GITHUB not in shown.getvalue()
    return code, shown.getvalue()


def holds_secret(work: Work, *where: str) -> bool:
    return subprocess.run(["git", "grep", "-q", OPENAI, *where], cwd=work.folder).returncode == 0


def staged(work: Work, path: str = FILE, at: Path | None = None) -> str:
    return work.git("cat-file", "blob", f":{path}", at=at)


def committed(work: Work, path: str = FILE, at: Path | None = None) -> str:
    return work.git("cat-file", "blob", f"HEAD:{path}", at=at)


def test_what_is_staged_is_redacted_in_both_places(work: Work) -> None:
    path = work.write(FILE, OPENAI)
    path.chmod(0o755)
    work.git("add", ".")
    code, shown = fix(work, "--staged")
    assert code == 0
    assert shown.splitlines() == [
        "stepfork check-redaction: 1 secret redacted in 1 of 1 staged file",
        f"  {FILE}   /note   openai-key",
        "Change any secret that left this machine",
    ]
    assert staged(work) == path.read_text() == text(MARKER)
    assert work.git("ls-files", "--stage", FILE).startswith("100755 ")
    assert work.git("status", "--porcelain") == f"M  {FILE}\n"
    assert fix(work, "--staged") == (0, "stepfork check-redaction: no secret in 1 staged file\n")
    work.git("commit", "-qm", "clean")


def test_edits_that_are_not_staged_stay(work: Work) -> None:
    work.write(FILE, OPENAI)
    work.git("add", ".")
    path = work.write(FILE, "an edit of the user's")
    assert fix(work, "--staged")[0] == 0
    assert staged(work) == text(MARKER)
    assert path.read_text() == text("an edit of the user's")
    path.write_text(text(OPENAI) + text("more"))
    work.write(FILE, OPENAI)
    work.git("add", ".")
    path.write_text(text(OPENAI) + text("more"))
    code, shown = fix(work, "--staged")
    assert code == 0, "of the commit nothing is left"
    assert f"{FILE}: the file differs from what was staged, and stays as it is: it holds a secret too" in shown
    assert path.read_text() == text(OPENAI) + text("more")


def test_a_file_that_is_gone_or_a_link_is_left_alone(work: Work) -> None:
    path = work.write(FILE, OPENAI)
    work.git("add", ".")
    path.unlink()
    assert fix(work, "--staged")[0] == 0
    assert not path.exists()
    assert staged(work) == text(MARKER)
    (work.folder / "link").symlink_to(f"nowhere/{GITHUB}")
    work.git("add", "link")
    code, shown = fix(work, "--staged")
    assert code == 1
    assert "link: is a symbolic link, whose target cannot be redacted" in shown


def test_line_endings_that_git_changes_are_no_edit(work: Work) -> None:
    work.git("config", "core.autocrlf", "true")
    path = work.folder / "notes.txt"
    path.write_bytes(f"one\r\n{OPENAI}\r\n".encode())
    work.git("add", "notes.txt")
    assert fix(work, "--staged")[0] == 0
    assert staged(work, "notes.txt") == f"one\n{MARKER}\n"
    assert path.read_bytes() == f"one\r\n{MARKER}\r\n".encode()
    assert work.git("status", "--porcelain", "notes.txt") == "A  notes.txt\n"


def test_a_path_of_any_bytes_and_a_folder_below_the_root(work: Work) -> None:
    name = os.fsdecode(b"tests/caf\xe9.json")
    path = work.write(name, OPENAI)
    work.git("add", ".")
    assert fix(work, "--staged", at=work.folder / "tests")[0] == 0
    assert path.read_text() == text(MARKER)
    assert work.git("status", "--porcelain", "-z") == f"A  {os.fsencode(name).decode('utf-8', 'replace')}\0"


def test_paths_limit_what_is_redacted(work: Work) -> None:
    work.write("a.json", OPENAI)
    work.write("b.json", OPENAI)
    work.git("add", ".")
    assert fix(work, "--staged", "a.json")[0] == 0
    assert staged(work, "a.json") == text(MARKER)
    assert holds_secret(work, "--", "b.json")
    assert work.git("status", "--porcelain") == "A  a.json\nA  b.json\n"


def test_a_file_in_conflict_is_said(work: Work) -> None:
    work.git("checkout", "-q", "-b", "side")
    work.write(FILE, "side")
    work.git("commit", "-qam", "side")
    work.git("checkout", "-q", "main")
    work.write(FILE, OPENAI)
    work.git("commit", "-q", "--no-verify", "-am", "main")
    work.run("merge", "-q", "side")
    code, shown = fix(work, "--staged")
    assert code == 1
    assert "is in conflict: resolve it first" in shown


@pytest.fixture
def fixing(work: Work) -> Work:
    work.install(words="--fix")
    return work


def test_a_hook_redacts_and_lets_the_commit_go_on(fixing: Work) -> None:
    path = fixing.write(FILE, OPENAI)
    fixing.git("add", ".")
    assert "1 secret redacted" in fixing.git("commit", "-qm", "one")
    assert committed(fixing) == path.read_text() == text(MARKER)
    assert fixing.git("status", "--porcelain") == ""


def test_c104_commit_all(fixing: Work) -> None:
    path = fixing.write(FILE, OPENAI)
    fixing.git("commit", "-qam", "one")
    assert committed(fixing) == path.read_text() == text(MARKER)
    assert fixing.git("status", "--porcelain") == ""


def test_commit_of_a_path_redacts_what_it_leaves_behind_too(fixing: Work) -> None:
    other = fixing.write("other.json", "base")
    fixing.git("add", ".")
    fixing.git("commit", "-qm", "two files")
    fixing.write("other.json", "staged for later")
    fixing.git("add", "other.json")
    path = fixing.write(FILE, OPENAI)
    fixing.git("commit", "-qm", "one", "--", FILE)
    assert committed(fixing) == path.read_text() == text(MARKER)
    assert fixing.git("status", "--porcelain") == "M  other.json\n"
    assert staged(fixing, "other.json") == other.read_text() == text("staged for later")


def test_c106_a_hook_keeps_what_is_not_staged(fixing: Work) -> None:
    fixing.write(FILE, OPENAI)
    fixing.git("add", ".")
    path = fixing.write(FILE, "later")
    fixing.git("commit", "-qm", "one")
    assert committed(fixing) == text(MARKER)
    assert path.read_text() == text("later")
    assert fixing.git("status", "--porcelain") == f" M {FILE}\n"


def test_a_linked_worktree_has_an_index_of_its_own(fixing: Work, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    fixing.git("worktree", "add", "-q", str(linked), "-b", "other")
    (linked / FILE).write_text(text(OPENAI))
    fixing.git("commit", "-qam", "one", at=linked)
    assert committed(fixing, at=linked) == (linked / FILE).read_text() == text(MARKER)
    assert fixing.git("status", "--porcelain", at=linked) == ""
    assert (fixing.folder / FILE).read_text() == text("base")
    assert fixing.git("status", "--porcelain") == ""


def test_what_cannot_be_redacted_stops_the_commit(fixing: Work) -> None:
    (fixing.folder / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\xff" + OPENAI.encode())
    path = fixing.write(FILE, OPENAI)
    fixing.git("add", ".")
    before = fixing.head()
    code, shown = fixing.run("commit", "-qm", "one")
    assert code == 1
    assert "nothing was committed" in shown
    assert fixing.head() == before
    assert staged(fixing) == path.read_text() == text(MARKER), "what can be redacted is, and waits for the next commit"


def test_names_that_a_hook_passes_are_redacted_where_they_are(fixing: Work) -> None:
    fixing.install(words=f"--fix {FILE} untracked.txt")
    fixing.write(FILE, OPENAI)
    fixing.git("add", ".")
    (fixing.folder / "untracked.txt").write_text(GITHUB)
    fixing.git("commit", "-qm", "one")
    assert committed(fixing) == text(MARKER)
    assert (fixing.folder / "untracked.txt").read_text() == MARKER


def stored(work: Work, *names: str) -> Store:
    init_project(work.folder)
    store = Store(work.folder / ".stepfork")
    for name in names:
        store.write(leaky(name))
    return store


def test_a_fixture_is_staged_anew_with_its_objects(work: Work) -> None:
    store = stored(work, "refund")
    store.write(fixture_of([], "clean"))
    write_bundle(work.folder / "one.sftrace", leaky())
    work.git("add", ".")
    code, shown = fix(work, "--staged")
    assert code == 0
    assert "written anew, with new objects: .stepfork/fixtures/refund.json, one.sftrace/manifest.json" in shown
    assert work.git("diff", "--name-only") == "", "the work tree has what is staged"
    assert work.git("ls-files", "--others") == ""
    assert OPENAI not in repr((store.read("refund"), read_bundle(work.folder / "one.sftrace")))
    work.git("commit", "-qm", "clean")
    assert not holds_secret(work, "HEAD")
    assert fsck_store(store).findings == ()


def test_one_object_that_a_commit_adds_takes_its_fixture_along(work: Work) -> None:
    store = stored(work, "refund")
    work.git("add", ".")
    work.git("commit", "-q", "--no-verify", "-m", "leak")
    store.write(leaky("second", text="other"))
    work.git("add", ".")
    code, shown = fix(work, "--staged")
    assert code == 0, shown
    assert OPENAI not in repr(store.read("second"))
    assert OPENAI in repr(store.read("refund")), "nothing of it is part of this commit"
    assert work.git("diff", "--name-only") == ""


def test_all_that_is_to_be_staged_again_is_named(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    store = stored(work, "refund")
    work.git("add", ".")
    monkeypatch.setenv("PRE_COMMIT", "1")
    code, shown = fix(work, "--staged")
    assert code == 1
    told = "nothing was committed. Redacted in the work tree, to be staged again: "
    assert shown.splitlines()[-1] == f"{told}.stepfork/fixtures/refund.json, .stepfork/objects"
    work.git("add", ".stepfork/fixtures/refund.json", ".stepfork/objects")
    assert fix(work, "--staged")[0] == 0
    assert work.git("diff", "--name-only") == work.git("ls-files", "--others") == ""
    assert fsck_store(store).findings == ()


def test_a_secret_typed_into_a_staged_object_goes_with_the_name_that_it_had(work: Work) -> None:
    store = stored(work)
    store.write(leaky(secret="plain text"))
    path = next(path for path in store.root.glob("objects/*/*") if b"use plain text please" in path.read_bytes())
    path.write_text(path.read_text().replace("plain text", OPENAI))
    work.git("add", ".")
    code, shown = fix(work, "--staged")
    assert code == 0
    assert f"{path.relative_to(work.folder)}: was edited by hand, and its fixture is written as it reads now" in shown
    assert work.git("diff", "--name-only") == work.git("ls-files", "--others") == "", "the work tree has what is staged"
    assert not holds_secret(work, "--cached")
    assert fsck_store(store).findings == ()
    assert f"use {MARKER} please" in repr(store.read("refund"))


def test_a_fixture_that_was_changed_after_it_was_staged_stays_in_the_work_tree(work: Work) -> None:
    store = stored(work, "refund")
    work.git("add", ".")
    store.write(leaky("refund", text="another run"))
    mine = store.manifest("refund")
    code, shown = fix(work, "--staged")
    assert code == 0, shown
    assert ".stepfork/fixtures/refund.json: the file differs from what was staged, and stays as it is" in shown
    assert store.manifest("refund") == mine
    work.git("commit", "-qm", "clean")
    assert not holds_secret(work, "HEAD")


def test_a_hook_redacts_fixtures_of_a_commit_of_all(fixing: Work) -> None:
    store = stored(fixing, "refund")
    fixing.git("add", ".")
    fixing.git("commit", "-qm", "fixture")
    assert OPENAI not in repr(store.read("refund"))
    assert fixing.git("status", "--porcelain") == ""
    assert not holds_secret(fixing, "HEAD")
    store.write(leaky("refund", text="again"))
    fixing.git("add", ".stepfork/objects")
    fixing.git("commit", "-qam", "again")
    assert OPENAI not in repr(store.read("refund"))
    assert fixing.git("status", "--porcelain") == ""


def test_an_object_that_no_staged_fixture_needs_is_taken_out(work: Work) -> None:
    store = stored(work, "refund")
    work.git("add", ".stepfork/objects")
    code, shown = fix(work, "--staged")
    assert code == 0, shown
    assert "objects" not in work.git("diff", "--cached", "--name-only")
    assert OPENAI in repr(store.read("refund")), "the fixture itself was not staged"
