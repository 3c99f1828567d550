"""Fixtures on a disk: written, replaced, removed, damaged and healed."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from stepfork.errors import BusyError, DamagedError, ManifestError, NotFoundError, StoreError, UsageError
from stepfork.store import store as store_module
from stepfork.store.codec import encode_fixture
from stepfork.store.fsck import fsck_store
from stepfork.store.layout import init_store
from stepfork.store.lock import locked
from stepfork.store.objects import ObjectFolder
from stepfork.store.store import Store, find_store
from stepfork.trace.fixture import Fixture
from tests.unit.store.sample_runs import chat, conversation, fixture_of, user


@pytest.fixture
def store(tmp_path: Path) -> Store:
    init_store(tmp_path)
    return Store(tmp_path / ".stepfork")


def files(store: Store) -> dict[str, bytes]:
    """Every file of fixtures and objects, temporary ones too."""
    return {
        path.relative_to(store.root).as_posix(): path.read_bytes()
        for folder in ("fixtures", "objects")
        for path in (store.root / folder).rglob("*")
        if path.is_file()
    }


def expected(*fixtures: Fixture) -> dict[str, bytes]:
    found = {}
    for fixture in fixtures:
        encoded = encode_fixture(fixture)
        found[f"fixtures/{fixture.name}.json"] = encoded.manifest
        found |= {f"objects/{name[:2]}/{name[2:]}.json": data for name, data in encoded.objects.items()}
    return found


def test_write_and_read(store: Store) -> None:
    one, two = fixture_of(conversation(3), "one"), fixture_of(conversation(2), "folder/two")
    written = store.write(one)
    assert (written.path, written.files) == (store.root / "fixtures" / "one.json", 7)
    assert (written.new_objects, written.new_manifest) == (6, True)
    assert written.bytes == sum(map(len, expected(one).values()))
    assert store.write(two).new_objects == 1  # its trace: all else is the beginning of the first
    assert store.names() == ["folder/two", "one"]
    assert (store.read("one"), store.read("folder/two")) == (one, two)
    assert files(store) == expected(one, two)
    assert fsck_store(store).findings == ()


def test_b3sum_would_print_the_name(store: Store) -> None:
    from blake3 import blake3

    store.write(fixture_of(conversation(2)))
    paths = list((store.root / "objects").rglob("*.json"))
    assert paths
    for path in paths:
        assert blake3(path.read_bytes()).hexdigest() == path.parent.name + path.stem


def test_a_second_write_touches_nothing(store: Store) -> None:
    fixture = fixture_of(conversation(3))
    store.write(fixture)
    before = {path: path.stat().st_mtime_ns for path in store.root.rglob("*.json")}
    written = store.write(fixture)
    assert (written.new_objects, written.removed_objects, written.new_manifest) == (0, 0, False)
    assert {path: path.stat().st_mtime_ns for path in store.root.rglob("*.json")} == before


def test_refresh_removes_what_only_the_old_run_reached(store: Store) -> None:
    old, other = fixture_of(conversation(4), "refund"), fixture_of(conversation(3), "other")
    new = fixture_of(conversation(2, size=80), "refund")
    store.write(old)
    store.write(other)
    written = store.write(new)
    assert written.removed_objects == 2  # the fourth exchange and the trace: the other fixture has all else
    assert files(store) == expected(other, new)


def test_delete_keeps_what_others_reach(store: Store) -> None:
    one, two = fixture_of(conversation(3), "folder/one"), fixture_of(conversation(2), "two")
    store.write(one)
    store.write(two)
    store.delete("folder/one")
    assert files(store) == expected(two)
    assert not (store.root / "fixtures" / "folder").exists()
    with pytest.raises(NotFoundError, match="no such fixture"):
        store.delete("folder/one")


def test_a_name_that_is_taken(store: Store) -> None:
    store.write(fixture_of(conversation(2)), must_not_exist=True)
    before = files(store)
    with pytest.raises(BusyError, match="exists already"):
        store.write(fixture_of(conversation(3)), must_not_exist=True)
    assert files(store) == before


def test_the_loser_of_two_refreshes_is_told(store: Store) -> None:
    store.write(fixture_of(conversation(1)))
    seen = store.manifest("refund")
    store.write(fixture_of(conversation(2)), expected=seen)
    before = files(store)
    with pytest.raises(BusyError, match="another writer changed"):
        store.write(fixture_of(conversation(3)), expected=seen)
    store.write(fixture_of(conversation(2)), expected=seen)  # what the other one wrote: nobody loses anything
    assert files(store) == before
    store.delete("refund")
    with pytest.raises(BusyError, match="another writer changed"):
        store.write(fixture_of(conversation(2)), expected=seen)


def test_names_that_differ_only_in_case(store: Store) -> None:
    store.write(fixture_of([], "team/refund"))
    for name in ("team/Refund", "Team/other"):
        with pytest.raises(UsageError, match="only in case"):
            store.write(fixture_of([], name))
        with pytest.raises(UsageError, match="only in case"):
            store.check_writable(name)
    assert store.names() == ["team/refund"]
    store.check_writable("team/other")
    store.check_writable("team/refund")


def test_a_bad_name_writes_nothing(store: Store) -> None:
    for name in ("../evil", "/tmp/evil", "a/../../evil"):
        with pytest.raises(UsageError):
            store.write(fixture_of([], name))
        with pytest.raises(UsageError):
            store.read(name)
    assert files(store) == {}


def test_a_run_that_cannot_be_stored_leaves_the_old_fixture(store: Store) -> None:
    store.write(fixture_of(conversation(1)))
    before = files(store)
    with pytest.raises(Exception, match="no canonical form"):
        store.write(fixture_of([chat([user(float("nan"))])]))
    assert files(store) == before


@pytest.mark.parametrize("damage", ["flipped", "empty", "cut", "longer"])
def test_a_damaged_object_is_an_error_that_names_it_and_who_needs_it(store: Store, damage: str) -> None:
    store.write(fixture_of(conversation(3), "one"))
    store.write(fixture_of(conversation(2), "two"))
    name = json.loads(store.manifest("one"))["exchanges"][0]["object"]
    path = store.objects.path(name)
    data = path.read_bytes()
    bad = {"flipped": bytes([data[0] ^ 1]) + data[1:], "empty": b"", "cut": data[:-1], "longer": data + b"\n"}
    path.write_bytes(bad[damage])
    with pytest.raises(DamagedError) as caught:
        store.read("two")
    assert str(caught.value).startswith(f".stepfork/objects/{name[:2]}/{name[2:]}.json: the object is damaged")
    assert "needed by one, two" in str(caught.value)
    written = store.write(fixture_of(conversation(3), "one"))  # the right bytes heal it
    assert written.new_objects == 1
    assert store.read("two") == fixture_of(conversation(2), "two")


def test_a_missing_object_is_an_error_that_names_it(store: Store) -> None:
    store.write(fixture_of(conversation(2)))
    name = json.loads(store.manifest("refund"))["trace"]
    store.objects.path(name).unlink()
    with pytest.raises(NotFoundError, match="the object is missing; needed by refund: stepfork fsck --restore"):
        store.read("refund")


def test_the_path_says_what_a_moved_manifest_is_called(store: Store) -> None:
    store.write(fixture_of(conversation(1), "old"))
    (store.root / "fixtures" / "new").mkdir()
    (store.root / "fixtures" / "old.json").rename(store.root / "fixtures" / "new" / "name.json")
    assert store.read("new/name").name == "new/name"
    with pytest.raises(NotFoundError):
        store.read("old")
    assert store.name_of_path(store.root / "fixtures" / "new" / "name.json") == "new/name"
    assert store.name_of_path(store.root / "config.toml") is None
    assert store.name_of_path(store.root / "fixtures" / "x" / ".." / ".." / "y.json") is None


def test_symbolic_links_are_refused(store: Store, tmp_path: Path) -> None:
    store.write(fixture_of(conversation(2), "real"))
    elsewhere = tmp_path / "elsewhere.json"
    manifest = store.manifest_path("real")
    manifest.rename(elsewhere)
    manifest.symlink_to(elsewhere)
    with pytest.raises(DamagedError, match=r"\.stepfork/fixtures/real\.json: is a symbolic link"):
        store.read("real")
    manifest.unlink()
    elsewhere.rename(manifest)
    path = store.objects.path(json.loads(store.manifest("real"))["trace"])
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    with pytest.raises(DamagedError, match="is a symbolic link"):
        store.read("real")
    store.write(fixture_of(conversation(2), "real"))
    assert not path.is_symlink()
    assert store.read("real") == fixture_of(conversation(2), "real")
    path.parent.rename(tmp_path / "moved")
    path.parent.symlink_to(tmp_path / "moved")
    with pytest.raises(DamagedError, match="is a symbolic link"):
        store.read("real")
    with pytest.raises(DamagedError, match="is a symbolic link"):
        store.write(fixture_of(conversation(2), "real"))


def test_a_folder_of_fixtures_that_is_a_link_is_refused(store: Store, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (store.root / "fixtures" / "team").symlink_to(tmp_path / "outside")
    with pytest.raises(DamagedError, match=r"\.stepfork/fixtures/team: is a symbolic link"):
        store.write(fixture_of([], "team/refund"))
    assert list((tmp_path / "outside").iterdir()) == []
    with pytest.raises(DamagedError, match="is a symbolic link"):
        store.read("team/refund")


def test_a_pipe_is_no_object(store: Store) -> None:
    store.write(fixture_of(conversation(2)))
    path = store.objects.path(json.loads(store.manifest("refund"))["trace"])
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(DamagedError, match="not a regular file"):
        store.read("refund")


def test_read_only_files_are_replaced_and_removed(store: Store) -> None:
    old, new = fixture_of(conversation(2)), fixture_of(conversation(2, size=90))
    store.write(old)
    for path in store.root.rglob("*.json"):
        path.chmod(stat.S_IREAD)
    store.write(new)
    assert files(store) == expected(new)
    store.delete("refund")
    assert files(store) == {}


def test_what_a_killed_writer_left_is_cleaned_by_the_next_one(store: Store) -> None:
    kept, killed = fixture_of(conversation(2), "kept"), fixture_of(conversation(5, size=70), "killed")
    store.write(kept)
    encoded = encode_fixture(killed)
    (store.root / "fixtures" / ".7b-1-dead.tmp").write_bytes(encoded.manifest)
    store.objects.write_all(encoded.objects)
    half = store.objects.path(json.loads(encoded.manifest)["trace"]).parent / ".7b-2-dead.tmp"
    half.write_bytes(b'{"half":')
    assert store.names() == ["kept"]
    assert store.read("kept") == kept
    assert fsck_store(store).findings == ()
    store.write(kept)
    assert files(store) == expected(kept)


def test_leftovers_wait_while_another_writer_is_at_work(store: Store) -> None:
    store.write(fixture_of(conversation(1), "a"))
    left = store.root / "fixtures" / ".7b-1-dead.tmp"
    left.write_bytes(b"{}")
    with locked(store.root, exclusive=False):
        store.write(fixture_of(conversation(1), "b"))
        assert left.exists()
    store.write(fixture_of(conversation(1), "b"))
    assert not left.exists()


def test_a_write_that_fails_leaves_no_traces(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.write(fixture_of(conversation(1)))
    before = files(store)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store_module, "write_atomic", full)
    with pytest.raises(StoreError, match=r"cannot be written .No space left on device."):
        store.write(fixture_of(conversation(3, size=80)))
    monkeypatch.undo()
    assert store.read("refund") == fixture_of(conversation(1))
    store.write(fixture_of(conversation(1)))
    assert files(store) == before


def test_nothing_is_removed_while_a_manifest_cannot_be_read(store: Store) -> None:
    store.write(fixture_of(conversation(2), "one"))
    store.write(fixture_of(conversation(3), "two"))
    path = store.manifest_path("two")
    path.rename(path.with_suffix(".away"))
    path.symlink_to(path.with_suffix(".away"))
    store.write(fixture_of(conversation(2, size=90), "one"))
    path.unlink()
    path.with_suffix(".away").rename(path)
    assert store.read("two") == fixture_of(conversation(3), "two")


def test_both_sides_of_a_conflict_keep_their_objects(store: Store) -> None:
    one, two = fixture_of(conversation(2, size=50), "a"), fixture_of(conversation(2, size=60), "a")
    for fixture in (one, two):
        store.objects.write_all(encode_fixture(fixture).objects)
    conflict = (
        b"<<<<<<< a\n" + encode_fixture(one).manifest + b"=======\n" + encode_fixture(two).manifest + b">>>>>>> b\n"
    )
    store.manifest_path("a").write_bytes(conflict)
    with pytest.raises(ManifestError, match="unmerged conflict"):
        store.read("a")
    store.write(fixture_of(conversation(2, size=70), "b"))
    store.delete("b")
    present = set(store.objects.names())
    assert present == encode_fixture(one).objects.keys() | encode_fixture(two).objects.keys()


def test_a_reader_sees_the_old_fixture_or_the_new_one(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = fixture_of(conversation(2)), fixture_of(conversation(3, size=90))
    store.write(old)
    get = ObjectFolder.get
    replaced: Iterator[bool] = iter([True])

    def get_late(folder: ObjectFolder, name: str) -> bytes:
        if next(replaced, False):
            store.write(new)
        return get(folder, name)

    monkeypatch.setattr(ObjectFolder, "get", get_late)
    assert store.read("refund") == new


def test_find_store(tmp_path: Path) -> None:
    init_store(tmp_path)
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert find_store(deep).root == tmp_path.resolve() / ".stepfork"
    init_store(deep / "other")
    assert find_store(deep, "other/.stepfork").root == (deep / "other" / ".stepfork").resolve()
    with pytest.raises(NotFoundError, match=r"no such store.*stepfork init"):
        find_store(deep, "nowhere")
    (deep / "tests" / "fixtures").mkdir(parents=True)
    for folder in ("tests", "."):
        with pytest.raises(NotFoundError, match=r"is a folder and no store; name the \.stepfork that init made"):
            find_store(deep, folder)
    moved = (deep / "other" / ".stepfork").rename(deep / "runs")
    for part in ("fixtures", "objects"):  # git keeps no empty folder
        (moved / part).rmdir()
    assert find_store(deep, "runs").root == moved.resolve()
    (moved / "config.toml").unlink()
    Store(moved).write(fixture_of(conversation(1)))
    assert find_store(deep, "runs").names()
    with pytest.raises(NotFoundError, match=r"no .stepfork folder here or above.*stepfork init"):
        find_store(Path(tmp_path.anchor))


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    store = Store(tmp_path / ".stepfork")
    assert store.names() == []
    with pytest.raises(NotFoundError):
        store.read("refund")
    with pytest.raises(StoreError, match="cannot be written"):
        store.write(fixture_of([]))


def test_init_is_idempotent_and_keeps_what_is_there(tmp_path: Path) -> None:
    assert len(init_store(tmp_path)) == 6
    assert init_store(tmp_path) == []
    root = tmp_path / ".stepfork"
    (root / "config.toml").write_text("format = 1\n[watch]\n")
    (root / ".gitignore").write_text("mine")
    changes = init_store(tmp_path)
    assert changes == [f"added 3 lines to {root.as_posix()}/.gitignore"]
    assert (root / ".gitignore").read_text().splitlines() == ["mine", "/failed/", ".lock", "*.tmp"]
    assert (root / "config.toml").read_text() == "format = 1\n[watch]\n"
    assert init_store(tmp_path) == []


def test_extensions_of_a_stranger_survive_a_rewrite(store: Store) -> None:
    fixture = msgspec.structs.replace(fixture_of(conversation(1)), extensions={"x": {"y": [1.0]}})
    store.write(fixture)
    store.write(store.read("refund"))
    assert store.read("refund").extensions == {"x": {"y": [1.0]}}
