"""fsck, gc, bundles, drafts and validate."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stepfork.canonical.encode import dumps
from stepfork.canonical.names import name_of
from stepfork.errors import DamagedError, ManifestError, NotFoundError, StoreError, UsageError
from stepfork.store.bundle import check_bundle_path, is_bundle, read_bundle, write_bundle
from stepfork.store.codec import encode_fixture
from stepfork.store.drafts import draft_causes, draft_path, remove_draft, write_draft
from stepfork.store.fsck import fsck_bundle, fsck_store
from stepfork.store.gc import collect
from stepfork.store.layout import init_store
from stepfork.store.manifest import seal_of
from stepfork.store.store import Store
from stepfork.store.validate import find_differences
from stepfork.trace.exchange import Exchange, Request, Response
from tests.unit.store.sample_runs import conversation, fixture_of, odd_exchanges

ONE = fixture_of(conversation(3), "one")
TWO = fixture_of(conversation(2, size=70), "team/two")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    init_store(tmp_path)
    store = Store(tmp_path / ".stepfork")
    store.write(ONE)
    store.write(TWO)
    return store


def found(store: Store) -> list[tuple[str, str]]:
    return [(finding.kind, finding.path) for finding in fsck_store(store).findings]


def shown(store: Store, name: str) -> str:
    return store.shown(store.objects.path(name))


def object_of(store: Store, fixture: str, index: int = 0) -> str:
    return str(json.loads(store.manifest(fixture))["exchanges"][index]["object"])


def test_a_whole_store(store: Store) -> None:
    checked = fsck_store(store)
    assert (checked.fixtures, checked.findings) == (2, ())
    assert checked.objects == len(encode_fixture(ONE).objects.keys() | encode_fixture(TWO).objects.keys())


def test_a_flipped_bit_in_an_object(store: Store) -> None:
    name = object_of(store, "one")
    data = bytearray(store.objects.path(name).read_bytes())
    data[len(data) // 2] ^= 4
    store.objects.path(name).write_bytes(data)
    (finding,) = fsck_store(store).findings
    assert (finding.kind, finding.path, finding.fixtures) == ("hash", shown(store, name), ("one",))
    assert str(finding) == (
        f"{shown(store, name)}: its bytes do not hash to its name (needed by one); stepfork fsck --restore takes it "
        "back from git, stepfork capture --refresh one makes a new run"
    )


def test_a_missing_object(store: Store) -> None:
    name = json.loads(store.manifest("team/two"))["trace"]
    store.objects.path(name).unlink()
    (finding,) = fsck_store(store).findings
    assert (finding.kind, finding.path, finding.fixtures) == ("missing", shown(store, name), ("team/two",))


def edited(change: Callable[[Any], Any]) -> Callable[[Path], None]:
    def edit(path: Path) -> None:
        document = json.loads(path.read_bytes())
        change(document)
        path.write_bytes(dumps(document))

    return edit


@pytest.mark.parametrize(
    ("change", "kind", "what"),
    [
        (lambda path: path.write_bytes(b""), "manifest", "invalid JSON"),
        (lambda path: path.write_bytes(b"\xff"), "manifest", "invalid UTF-8"),
        (lambda path: path.write_bytes(b"<<<<<<< a\n"), "manifest", "unmerged conflict; take one run whole"),
        (lambda path: path.write_bytes(b'{"fixture_version": 2}'), "manifest", "upgrade stepfork"),
        (lambda path: path.write_bytes(path.read_bytes() + b"\n"), "noncanonical", "canonical form"),
        (lambda path: path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n")), "noncanonical", "canonical form"),
        (lambda path: path.write_bytes(path.read_bytes().replace(b"  ", b" ")), "noncanonical", "canonical form"),
        (edited(lambda d: d["exchanges"][0].update(base=0)), "manifest", "not an earlier exchange"),
        (edited(lambda d: d.update(run="0" * 64)), "manifest", "run digest"),
        (edited(lambda d: d.update(requires=["x"])), "manifest", "unknown to this stepfork"),
        (edited(lambda d: d["exchanges"][0]["says"].append("user: more")), "edited", "seal"),
        (edited(lambda d: d["exchanges"][0].update(label="other")), "edited", "seal"),
        (edited(lambda d: d["exchanges"][0].update(status=500)), "edited", "seal"),
        (edited(lambda d: d.update(contracts=[1])), "edited", "seal"),
        (edited(lambda d: d["source"].update(exit_code=1)), "edited", "seal"),
        (edited(lambda d: d.update(name="else")), "edited", "seal"),
    ],
    ids=range(16),
)
def test_a_manifest_that_was_changed(store: Store, change: Callable[[Path], None], kind: str, what: str) -> None:
    change(store.manifest_path("team/two"))
    (finding,) = fsck_store(store).findings
    assert (finding.kind, finding.path) == (kind, ".stepfork/fixtures/team/two.json")
    assert what in finding.what


def test_an_object_that_hashes_and_is_not_canonical(store: Store) -> None:
    data = b'{"spaces":1}'
    store.objects.write_all({name_of(data): data, name_of(b"\xff"): b"\xff"})
    assert sorted(found(store)) == sorted(("noncanonical", shown(store, name_of(d))) for d in (data, b"\xff"))


def test_an_object_of_the_wrong_kind(store: Store) -> None:
    document = json.loads(store.manifest("one"))
    trace, system = document["trace"], document["exchanges"][0]["system"]
    document["trace"], document["exchanges"][0]["system"] = system, trace
    rows = [
        [e["object"], e.get("base"), e.get("keep"), e.get("system", ""), e.get("tools", "")]
        for e in document["exchanges"]
    ]
    document["run"] = name_of(dumps([system, rows]))
    document["seal"] = seal_of(document)
    store.manifest_path("one").write_bytes(dumps(document))
    (finding,) = fsck_store(store).findings
    assert (finding.kind, finding.path) == ("content", ".stepfork/fixtures/one.json")
    assert "exchange 0, object" in finding.what


def test_files_that_no_store_has(store: Store, tmp_path: Path) -> None:
    root = store.root
    odd = ["notes.txt", "fixtures/a b.json", "fixtures/x.yaml", "fixtures/con.json", "objects/ab/short.json"]
    odd += ["objects/stray", "objects/AB/" + "c" * 62 + ".json", "objects/ab/" + "c" * 62, "config.toml.orig"]
    for path in odd:
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text("{}")
    (root / "failed").mkdir()
    (root / "failed" / "anything").write_text("")
    (root / "fixtures" / "link.json").symlink_to(root / "fixtures" / "one.json")
    (root / "objects" / "cd").symlink_to(tmp_path)
    links = [("link", ".stepfork/fixtures/link.json"), ("link", ".stepfork/objects/cd")]
    assert sorted(found(store)) == sorted([("unknown", f".stepfork/{path}") for path in odd] + links)


def test_names_that_differ_only_in_case_are_found(store: Store) -> None:
    store.manifest_path("One").write_bytes(store.manifest("one"))
    assert [kind for kind, _ in found(store)] == ["name", "name"]


def test_no_store_is_an_error_and_not_clean(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        fsck_store(Store(tmp_path / "none"))
    with pytest.raises(NotFoundError):
        fsck_bundle(tmp_path / "none.sftrace")


def test_gc_lists_then_removes(store: Store) -> None:
    stray = {name_of(data): data for data in (b"1\n", b"22\n")}
    store.objects.write_all(stray)
    listed = collect(store, remove=False)
    assert [(item.name, item.size) for item in listed] == [(name, len(stray[name])) for name in sorted(stray)]
    assert listed[0].path == shown(store, min(stray))
    assert stray.keys() <= set(store.objects.names())
    kept = min(stray)
    assert [item.name for item in collect(store, [b'{"objects": ["%s"]}' % kept.encode()], remove=True)] == [max(stray)]
    assert kept in set(store.objects.names())
    assert [item.name for item in collect(store, remove=True)] == [kept]
    assert collect(store, remove=True) == []
    assert (store.read("one"), store.read("team/two")) == (ONE, TWO)


def test_gc_removes_nothing_while_a_manifest_cannot_be_read(store: Store) -> None:
    store.objects.write_all({name_of(b"1\n"): b"1\n"})
    (store.root / "fixtures" / "x.json").symlink_to("one.json")
    with pytest.raises(DamagedError, match="symbolic link"):
        collect(store, remove=True)
    assert name_of(b"1\n") in set(store.objects.names())


def test_a_bundle_there_and_back(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "out" / "one.sftrace"
    written = write_bundle(path, ONE)
    assert (written.path, written.files) == (path, len(encode_fixture(ONE).objects) + 1)
    assert is_bundle(path)
    assert read_bundle(path) == ONE
    assert fsck_bundle(path).findings == ()
    assert (path / "manifest.json").read_bytes() == store.manifest("one")
    assert [entry.name for entry in path.parent.iterdir()] == ["one.sftrace"]
    with pytest.raises(UsageError, match="there is something already"):
        write_bundle(path, TWO)
    write_bundle(path, TWO, replace=True)
    assert read_bundle(path) == TWO
    assert fsck_bundle(path).findings == ()
    assert [entry.name for entry in path.parent.iterdir()] == ["one.sftrace"]


def test_a_bundle_where_none_may_be(tmp_path: Path) -> None:
    (tmp_path / "full.sftrace").mkdir()
    (tmp_path / "link.sftrace").symlink_to(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    for name in ("x.zip", ".sftrace", "full.sftrace", "link.sftrace", "file/x.sftrace", "file/deeper/x.sftrace"):
        with pytest.raises(UsageError):
            check_bundle_path(tmp_path / name, replace=True)
        with pytest.raises(UsageError):
            write_bundle(tmp_path / name, ONE, replace=True)


def test_a_bundle_in_a_folder_that_cannot_be_written_is_refused_before_a_paid_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_bundle_path(tmp_path / "new" / "folders" / "one.sftrace")
    asked: list[Path] = []
    monkeypatch.setattr(os, "access", lambda path, _: asked.append(path))
    with pytest.raises(UsageError, match="cannot be written"):
        check_bundle_path(tmp_path / "new" / "folders" / "one.sftrace")
    assert asked == [tmp_path]


def test_a_damaged_bundle(tmp_path: Path) -> None:
    path = tmp_path / "one.sftrace"
    write_bundle(path, ONE)
    name = json.loads((path / "manifest.json").read_bytes())["trace"]
    target = path / "objects" / name[:2] / f"{name[2:]}.json"
    target.write_bytes(target.read_bytes().replace(b"refunds", b"refUnds"))
    with pytest.raises(DamagedError, match=f"{name[2:]}.json: the object is damaged"):
        read_bundle(path)
    (path / "objects" / "ff").mkdir(exist_ok=True)
    (path / "objects" / "ff" / ("f" * 62 + ".json")).write_text("1\n")
    (path / "extra").write_text("")
    kinds = sorted(finding.kind for finding in fsck_bundle(path).findings)
    assert kinds == ["hash", "hash", "unknown", "unknown"]
    (path / "manifest.json").unlink()
    with pytest.raises(NotFoundError):
        read_bundle(path)
    (path / "manifest.json").symlink_to("extra")
    with pytest.raises(DamagedError, match="symbolic link"):
        read_bundle(path)
    with pytest.raises(NotFoundError):
        read_bundle(tmp_path / "none.sftrace")


def test_a_draft_keeps_a_run_that_is_no_fixture(store: Store) -> None:
    run = fixture_of(conversation(2) + odd_exchanges()).run
    path = write_draft(store, "team/inc-7", run, ["a call did not end", "no spans"])
    assert path == store.root / "failed" / "team" / "inc-7.sftrace"
    draft = read_bundle(path)
    assert draft.run == run
    assert draft_causes(draft) == ("a call did not end", "no spans")
    assert draft_causes(ONE) is None
    assert fsck_store(store).findings == ()
    assert write_draft(store, "team/inc-7", ONE.run, []) == path
    assert draft_causes(read_bundle(path)) == ()
    assert remove_draft(store, "team/inc-7")
    assert not remove_draft(store, "team/inc-7")
    assert not (store.root / "failed").exists()
    with pytest.raises(UsageError):
        draft_path(store, "../inc-7")


def test_validate_is_strict_about_what_is_whole() -> None:
    whole = encode_fixture(ONE).manifest
    assert find_differences(ONE, whole, where="w") == []
    broken = Exchange("openai", "other", Request("GET", "/x"), Response(200, ending="client_closed"))
    draft = msgspec.structs.replace(fixture_of([broken]), extensions={"causes": ["why"]})
    manifest = encode_fixture(draft).manifest
    findings = find_differences(draft, manifest, where="w")
    assert [(finding.kind, finding.path) for finding in findings] == [("draft", "w"), ("draft", "w")]
    assert find_differences(draft, manifest, where="w", partial=True) == []


@pytest.mark.parametrize(
    ("change", "kinds"),
    [
        (lambda d: d["exchanges"][0]["says"].append("x"), ["edited"]),
        (lambda d: d["exchanges"][0].update(label="openai other"), ["edited", "content"]),
        (lambda d: d["exchanges"][0].update(status=500), ["edited", "content"]),
        (lambda d: d["objects"].insert(0, "0" * 64), ["edited", "content"]),
        (lambda d: d.update(seal="0" * 64), ["edited"]),
    ],
    ids=range(5),
)
def test_validate_sees_what_does_not_fit(change: Callable[[Any], Any], kinds: list[str]) -> None:
    document = json.loads(encode_fixture(ONE).manifest)
    change(document)
    assert [finding.kind for finding in find_differences(ONE, dumps(document), where="w")] == kinds


def test_every_error_of_a_store_is_one_line(store: Store) -> None:
    store.manifest_path("one").write_bytes(b"<<<<<<< HEAD\n=======\n>>>>>>> x\n")
    with pytest.raises(StoreError) as caught:
        store.read("one")
    assert isinstance(caught.value, ManifestError)
    assert str(caught.value) == (
        ".stepfork/fixtures/one.json: unmerged conflict; take one run whole: stepfork resolve one --ours|--theirs"
    )
