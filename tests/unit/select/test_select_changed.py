"""From changed paths to changed fixtures."""

from __future__ import annotations

import json

import pytest

from stepfork.git.changes import Changes
from stepfork.select.changed import fixture_changes
from stepfork.select.watch import Watch

STORE = "agent/.stepfork"


class Present:
    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.listed = 0

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)

    def manifests(self) -> list[str]:
        self.listed += 1
        return sorted(path for path in self.files if "/fixtures/" in path)


def place(name: str) -> str:
    return f"{STORE}/fixtures/{name}.json"


def manifest(name: str, *objects: str) -> bytes:
    return json.dumps({"name": name, "objects": list(objects)}).encode()


def test_added_changed_and_deleted_manifests() -> None:
    present = Present({place("a"): manifest("a"), place("b/c"): manifest("b/c")})
    changes = Changes(
        added=frozenset({place("a")}), modified=frozenset({place("b/c")}), deleted=frozenset({place("gone")})
    )
    found = fixture_changes(changes, STORE, present)
    assert [str(one) for one in found.fixtures] == [
        f"a added: {place('a')}",
        f"b/c changed: {place('b/c')}",
        "gone deleted",
    ]
    assert (found.unsure, found.others, present.listed) == ((), (), 0)


def test_a_manifest_under_a_name_that_is_not_its_own_counts_under_both() -> None:
    present = Present({place("a"): manifest("old")})
    found = fixture_changes(Changes(added=frozenset({place("a")})), STORE, present)
    assert [one.name for one in found.fixtures] == ["a", "old"]


def test_objects_reach_the_fixtures_that_list_them() -> None:
    first, second, third = "ab" + "0" * 62, "cd" + "1" * 62, "ef" + "2" * 62
    present = Present({place("a"): manifest("a", first), place("b"): manifest("b", first, second)})
    touched = [f"{STORE}/objects/{one[:2]}/{one[2:]}.json" for one in (second, third)]
    found = fixture_changes(Changes(deleted=frozenset(touched)), STORE, present)
    assert [(one.name, one.what) for one in found.fixtures] == [("b", "object changed")]
    both = Changes(modified=frozenset({place("b")}), added=frozenset(touched[:1]))
    present.listed = 0
    assert [one.name for one in fixture_changes(both, STORE, present).fixtures] == ["b"]
    assert present.listed == 0  # every new object belongs to the changed manifest


@pytest.mark.parametrize("change", ["modified", "deleted"])
def test_an_object_that_a_changed_manifest_lists_too_reaches_the_others_all_the_same(change: str) -> None:
    shared = "ab" + "0" * 62
    present = Present({place(name): manifest(name, shared) for name in ("a", "b")})
    touched = {"modified": {place("a")}, "deleted": set()}
    touched[change].add(f"{STORE}/objects/{shared[:2]}/{shared[2:]}.json")
    changes = Changes(modified=frozenset(touched["modified"]), deleted=frozenset(touched["deleted"]))
    found = fixture_changes(changes, STORE, present)
    assert [(one.name, one.what) for one in found.fixtures] == [("a", "changed"), ("b", "object changed")]


@pytest.mark.parametrize("data", [b"", b"[]", b"<<<<<<<", b"\xff", b"[" * 99_999, b'{"name": ', None])
def test_what_cannot_be_read_is_unsure(data: bytes | None) -> None:
    present = Present({} if data is None else {place("a"): data})
    found = fixture_changes(Changes(modified=frozenset({place("a")})), STORE, present)
    assert found.unsure == (f"{place('a')} cannot be read",)


def test_an_unchanged_manifest_that_cannot_be_read_may_reach_a_changed_object() -> None:
    identity = "ab" + "0" * 62
    present = Present({place("a"): b"<<<<<<<", place("b"): manifest("b", identity)})
    changes = Changes(deleted=frozenset({f"{STORE}/objects/{identity[:2]}/{identity[2:]}.json"}))
    found = fixture_changes(changes, STORE, present)
    assert found.unsure == (f"{place('a')} cannot be read",)
    assert [one.name for one in found.fixtures] == ["b"]


@pytest.mark.parametrize("document", [{}, {"name": 3, "objects": 4}, {"objects": [1, None]}, {"name": ""}])
def test_odd_members_are_no_trouble(document: object) -> None:
    present = Present({place("a"): json.dumps(document).encode()})
    found = fixture_changes(Changes(modified=frozenset({place("a")})), STORE, present)
    assert [one.name for one in found.fixtures] == ["a"]


def test_settings_bundles_other_stores_and_unrelated_files() -> None:
    paths = [
        f"{STORE}/config.toml",
        "traces/fail.sftrace/manifest.json",
        "traces/fail.sftrace/objects/ab/cd.json",
        "mail/.stepfork/fixtures/x.json",
        f"{STORE}/.gitignore",
        "agent/x.stepfork/fixtures/y.json",
        "README.md",
    ]
    found = fixture_changes(Changes(modified=frozenset(paths)), STORE, Present({}))
    assert found.unsure == (f"{STORE}/config.toml changed",)
    assert found.others == ("mail/.stepfork",)
    assert list(found.reasons) == ["traces/fail.sftrace"]
    assert found.fixtures == ()


def test_a_watched_file_counts_only_where_the_fixture_itself_is_as_it_was() -> None:
    present = Present({place(name): manifest(name) for name in ("a", "b", "c")})
    watch = Watch({"*": ["prompts/**"], "c": ["c.md"]}, "agent", "config.toml")
    prompts = ["agent/prompts/new.md", "agent/prompts/old.md"]
    changes = Changes(
        added=frozenset(prompts[:1]),
        modified=frozenset({place("b"), "agent/other.md"}),
        deleted=frozenset({*prompts[1:], place("gone")}),
    )
    found = fixture_changes(changes, STORE, present, watch)
    assert [str(one) for one in found.fixtures] == [
        "agent/prompts/new.md changed, fixture not refreshed",
        f"b changed: {place('b')}",
        "agent/prompts/new.md changed, fixture not refreshed",
        "gone deleted",
    ]
    assert [one.name for one in found.fixtures] == ["a", "b", "c", "gone"]
    assert found.watched == frozenset(prompts)
    assert fixture_changes(changes, STORE, present).watched == frozenset()
