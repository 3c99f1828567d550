"""A store in a real repository: checkouts, the index, merges, history."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import msgspec
import pytest

from stepfork.errors import GitError, NotFoundError, UsageError
from stepfork.redact.secrets import Secrets
from stepfork.store.codec import encode_fixture
from stepfork.store.fsck import fsck_store
from stepfork.store.layout import init_store
from stepfork.store.store import Store
from stepfork.trace.fixture import Fixture
from stepfork.workflows import maintenance
from tests.unit.store.sample_runs import conversation, fixture_of

NONE = Secrets({})


def git(folder: Path, *words: str, code: int = 0) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def store(project: Path) -> Store:
    git(project, "init", "-q")
    folder = project / "services" / "agent"
    folder.mkdir(parents=True)
    init_store(folder)
    return Store(folder / ".stepfork")


def version(number: int, name: str = "refund") -> Fixture:
    return fixture_of(conversation(3, size=40 + number), name)


def commit(store: Store, message: str = "x") -> None:
    git(store.root, "add", "-A", ".")
    git(store.root, "commit", "-q", "-m", message)


def objects(fixture: Fixture) -> set[str]:
    return set(encode_fixture(fixture).objects)


@pytest.mark.parametrize("autocrlf", ["true", "input", "false"])
def test_no_checkout_setting_changes_bytes(store: Store, tmp_path: Path, autocrlf: str) -> None:
    git(store.root, "config", "core.autocrlf", autocrlf)
    store.write(version(1))
    before = {path.relative_to(store.root): path.read_bytes() for path in store.root.rglob("*.json")}
    commit(store)
    clone = tmp_path / "clone"
    git(
        tmp_path,
        "clone",
        "-q",
        "-c",
        f"core.autocrlf={autocrlf}",
        "-c",
        "core.eol=crlf",
        str(store.root.parents[2]),
        str(clone),
    )
    there = Store(clone / "services" / "agent" / ".stepfork")
    assert {path.relative_to(there.root): path.read_bytes() for path in there.root.rglob("*.json")} == before
    assert there.read("refund") == version(1)
    assert fsck_store(there).findings == ()
    there.write(version(1))
    assert git(clone, "status", "--porcelain", "--ignored") == ""


def test_writing_the_same_run_again_leaves_git_clean(store: Store) -> None:
    store.write(version(1))
    commit(store)
    for path in sorted(store.root.rglob("*.json")):
        path.unlink()
    store.write(version(1))
    assert git(store.root, "status", "--porcelain", "--ignored", ".") == ""


def test_an_edited_prompt_is_three_files_in_a_commit(store: Store) -> None:
    store.write(fixture_of(conversation(12)))
    commit(store)
    store.write(fixture_of(conversation(12, system="Refund twice.")))
    git(store.root, "add", "-A", ".")
    changed = git(store.root, "diff", "--cached", "--no-renames", "--name-status").split()[::2]
    assert sorted(changed) == ["A", "D", "M"]


def test_fsck_staged_asks_the_index(store: Store, project: Path) -> None:
    store.write(version(1))
    manifest = "services/agent/.stepfork/fixtures/refund.json"
    git(project, "add", manifest)
    checked = maintenance.fsck_staged(store)
    assert checked.fixtures == 1
    assert {finding.kind for finding in checked.findings} == {"staged"}
    assert {finding.path for finding in checked.findings} == {
        f".stepfork/objects/{name[:2]}/{name[2:]}.json" for name in objects(version(1))
    }
    assert checked.findings[0].fixtures == ("refund",)
    git(project, "add", ".")
    assert maintenance.fsck_staged(store).findings == ()
    commit(store)
    store.write(version(2))
    git(project, "add", manifest)
    fresh = objects(version(2)) - objects(version(1))
    assert len(maintenance.fsck_staged(store).findings) == len(fresh)
    git(project, "add", "-A")
    assert maintenance.fsck_staged(store).findings == ()


def test_fsck_staged_reads_the_staged_bytes(store: Store, project: Path) -> None:
    store.write(version(1))
    path = store.objects.path(json.loads(store.manifest("refund"))["trace"])
    good = path.read_bytes()
    path.write_bytes(good + b" ")
    git(project, "add", ".")
    path.write_bytes(good)
    (finding,) = maintenance.fsck_staged(store).findings
    assert (finding.kind, finding.path) == ("hash", store.shown(path))
    store.manifest_path("refund").write_bytes(b"<<<<<<< HEAD\n")
    git(project, "add", ".")
    (finding,) = maintenance.fsck_staged(store).findings
    assert (finding.kind, finding.path) == ("manifest", ".stepfork/fixtures/refund.json")


def test_a_deleted_fixture_passes_fsck_staged(store: Store, project: Path) -> None:
    store.write(version(1))
    commit(store)
    store.delete("refund")
    git(project, "add", "-A")
    checked = maintenance.fsck_staged(store)
    assert (checked.fixtures, checked.findings) == (0, ())


def test_gc_keeps_what_the_index_or_a_ref_reaches(store: Store) -> None:
    store.write(version(1))
    commit(store)
    store.write(version(2))
    git(store.root, "add", "-A", ".")
    store.write(version(3))
    for number in (1, 2, 4):
        store.objects.write_all(encode_fixture(version(number)).objects)
    only = {number: objects(version(number)) - objects(version(3)) for number in (1, 2, 4)}

    def paths(*numbers: int) -> set[str]:
        return {store.shown(store.objects.path(name)) for number in numbers for name in only[number]}

    listed = maintenance.gc(store, dry_run=True, all_refs=True)
    assert set(listed.removed) == paths(4)
    assert set(maintenance.gc(store, dry_run=True).removed) == paths(1, 4)
    assert only[1] <= set(store.objects.names())
    done = maintenance.gc(store, dry_run=False)
    assert set(done.removed) == paths(1, 4)
    assert done.kept == len(set(store.objects.names())) == len(objects(version(3)) | objects(version(2)))
    assert done.bytes > 0
    assert store.read("refund") == version(3)


def test_gc_outside_a_repository(tmp_path: Path) -> None:
    init_store(tmp_path)
    store = Store(tmp_path / ".stepfork")
    store.write(version(1))
    store.objects.write_all(encode_fixture(version(2)).objects)
    with pytest.raises(GitError):
        maintenance.gc(store, dry_run=True, all_refs=True)
    assert maintenance.gc(store, dry_run=False).removed
    assert store.read("refund") == version(1)
    with pytest.raises(GitError):
        maintenance.fsck_staged(store)


@pytest.fixture
def merging(store: Store) -> Store:
    """Both sides refreshed one fixture: ours to version 2, theirs to version 3."""
    store.write(version(1))
    store.write(version(9, "other"))
    commit(store)
    git(store.root, "branch", "topic")
    store.write(version(2))
    commit(store)
    git(store.root, "checkout", "-q", "topic")
    store.write(version(3))
    commit(store)
    git(store.root, "checkout", "-q", "main")
    git(store.root, "merge", "-q", "topic", code=1)
    return store


def test_both_sides_of_a_merge_conflict_and_resolve_takes_one_whole(merging: Store) -> None:
    assert "UU" in git(merging.root, "status", "--porcelain", ".")
    for side, number in (("theirs", 3), ("ours", 2), ("theirs", 3)):
        path = maintenance.resolve(merging, "refund", side, NONE).path  # type: ignore[arg-type]
        assert path == merging.manifest_path("refund")
        assert merging.read("refund") == version(number)
        assert set(merging.objects.names()) == objects(version(number)) | objects(version(9, "other"))
    git(merging.root, "add", "-A", ".")
    git(merging.root, "commit", "-q", "-m", "merged")
    assert maintenance.fsck(merging).findings == ()
    with pytest.raises(UsageError, match="is not in conflict"):
        maintenance.resolve(merging, "refund", "ours", NONE)


def test_resolve_brings_back_what_the_merge_removed(store: Store) -> None:
    run = version(1).run
    base = version(1)
    theirs = msgspec.structs.replace(base, contracts=({"theirs": 1},))  # the same objects, another manifest
    store.write(base)
    commit(store)
    git(store.root, "branch", "topic")
    store.write(version(2))
    commit(store)
    git(store.root, "checkout", "-q", "topic")
    store.write(theirs)
    commit(store)
    git(store.root, "checkout", "-q", "main")
    git(store.root, "merge", "-q", "topic", code=1)
    assert not objects(base) <= set(store.objects.names())
    maintenance.resolve(store, "refund", "theirs", NONE)
    assert store.read("refund").contracts == ({"theirs": 1},)
    assert store.read("refund").run == run


def test_resolve_in_a_rebase(store: Store) -> None:
    store.write(version(1))
    commit(store)
    git(store.root, "checkout", "-q", "-b", "topic")
    store.write(version(2))
    commit(store)
    git(store.root, "checkout", "-q", "main")
    store.write(version(3))
    commit(store)
    git(store.root, "checkout", "-q", "topic")
    git(store.root, "rebase", "-q", "main", code=1)
    maintenance.resolve(store, "refund", "theirs", NONE)  # in a rebase, the commit that is put on top
    assert store.read("refund") == version(2)
    git(store.root, "add", ".")
    assert maintenance.fsck(store).findings == ()


def test_resolve_where_one_side_deleted_the_fixture(store: Store) -> None:
    store.write(version(1))
    commit(store)
    git(store.root, "branch", "topic")
    store.delete("refund")
    git(store.root, "commit", "-q", "-a", "-m", "gone")
    git(store.root, "checkout", "-q", "topic")
    store.write(version(2))
    commit(store)
    git(store.root, "checkout", "-q", "main")
    git(store.root, "merge", "-q", "topic", code=1)
    maintenance.resolve(store, "refund", "theirs", NONE)
    assert store.read("refund") == version(2)
    maintenance.resolve(store, "refund", "ours", NONE)
    assert store.names() == []
    assert set(store.objects.names()) == set()


def test_list_pack_and_unpack(store: Store, tmp_path: Path) -> None:
    store.write(version(1))
    store.write(fixture_of(conversation(1), "broken"))
    store.manifest_path("broken").write_bytes(b"{")
    broken, refund = maintenance.list_fixtures(store)
    assert broken.name == "broken"
    assert broken.problem == ".stepfork/fixtures/broken.json: invalid JSON at line 1 column 2"
    encoded = encode_fixture(version(1))
    assert refund == maintenance.Listed(
        "refund", 3, len(encoded.objects) + 1, encoded.size, "openai chat_completions gpt-4.1"
    )
    path = maintenance.pack(store.read("refund"), tmp_path / "refund.sftrace", NONE).path
    assert maintenance.unpack(store, path, NONE, "copy").path == store.manifest_path("copy")
    assert store.read("copy") == version(1, "copy")
    with pytest.raises(Exception, match="exists already"):
        maintenance.unpack(store, path, NONE)
    document = maintenance.fixture_document(store.read("refund"))
    assert document["exchanges"][2]["request"]["body"]["json"]["messages"][-1]["role"] == "user"
    json.dumps(document)
    store.objects.path(json.loads(store.manifest("refund"))["trace"]).unlink()
    assert "missing" in str(maintenance.list_fixtures(store)[2].problem)
    with pytest.raises(NotFoundError):
        store.read("refund")
