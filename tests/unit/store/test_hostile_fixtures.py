"""Manifests and objects from a stranger: each is one error of ours, which names file and place and quotes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from stepfork.canonical.encode import dumps
from stepfork.canonical.names import name_of
from stepfork.errors import DamagedError, ManifestError, StoreError
from stepfork.store.codec import Encoded, decode_fixture, encode_fixture
from stepfork.store.manifest import parse_manifest, read_manifest, seal_of
from stepfork.trace.step import Step, Trace
from tests.unit.store.sample_runs import SYSTEM, chat, conversation, fixture_of, user

WHERE = ".stepfork/fixtures/refund.json"
Document = dict[str, Any]


def sample() -> Encoded:
    return encode_fixture(fixture_of(conversation(3), trace=Trace("spans", (Step("tool_call", "t", 0, 1, result=[]),))))


def bound(document: Document) -> bytes:
    """The bytes of a changed manifest whose digests are right again, so that only the change itself can be refused."""
    rows = [
        [e.get("object"), e.get("base"), e.get("keep"), e.get("system", ""), e.get("tools", "")]
        for e in document["exchanges"]
    ]
    document["run"] = name_of(dumps([document["trace"], rows]))
    document["seal"] = seal_of(document)
    return dumps(document)


def with_object(change: Callable[[Any], Any], which: int | str = 1) -> tuple[bytes, dict[str, bytes]]:
    """The sample with one object changed: of an exchange by its number, or `trace`, `system` or `tools`."""
    encoded = sample()
    document = json.loads(encoded.manifest)
    holder = document if which == "trace" else document["exchanges"][0 if isinstance(which, str) else which]
    member = which if isinstance(which, str) else "object"
    old = holder[member]
    data = dumps(change(json.loads(encoded.objects[old])))
    name = name_of(data)
    holder[member] = name
    document["objects"] = sorted({*document["objects"], name} - {old})
    return bound(document), {**encoded.objects, name: data}


def refused(manifest: bytes, objects: dict[str, bytes], kind: type[StoreError], what: str) -> None:
    with pytest.raises(kind, match=what) as caught:
        decode_fixture(manifest, objects.__getitem__, where=WHERE)
    text = str(caught.value)
    assert text.startswith(WHERE)
    assert "\n" not in text
    assert "sesame" not in text
    assert SYSTEM not in text


def changed(change: Callable[[Document], Any], *, digests: bool = True) -> bytes:
    document = json.loads(sample().manifest)
    change(document)
    return bound(document) if digests else dumps(document)


CONFLICT = b"""{
<<<<<<< HEAD
  "name": "ours"
=======
  "name": "theirs"
>>>>>>> topic
}
"""


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "invalid JSON at line 1 column 1"),
        (b"\xff\xfe{}", "invalid UTF-8 at byte 0"),
        (b'{"sesame": 1, "sesame": 2}', "two members of the same name"),
        (b"[" * 100_000, "nested more than|invalid JSON"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested more than"),
        (b"[]", "not a manifest"),
        (b'"sesame"', "not a manifest"),
        (b"{}", "not a manifest"),
        (b'{"fixture_version": true}', "not a manifest"),
        (b'{"fixture_version": "1"}', "not a manifest"),
        (b'{"fixture_version": 1.0}', "not a manifest"),
        (b'{"fixture_version": 0}', "not a manifest"),
        (b'{"fixture_version": 2, "sesame": 1}', "fixture_version 2 is newer than 1.*upgrade stepfork"),
        (b'{"fixture_version": 1}', "absent, unknown or of a wrong type"),
        (CONFLICT, "unmerged conflict; .*stepfork resolve"),
        (CONFLICT.replace(b"\n", b"\r\n"), "unmerged conflict; .*stepfork resolve"),
        (b"<<<<<<< HEAD\n", "unmerged conflict"),
        (b'{"fixture_version": NaN}', "not finite"),
    ],
    ids=range(18),
)
def test_bytes_that_are_no_manifest(data: bytes, what: str) -> None:
    refused(data, {}, ManifestError, what)


def test_a_conflict_is_no_conflict_in_a_text() -> None:
    fixture = fixture_of([chat([user("<<<<<<< HEAD\n=======\n>>>>>>> topic\n")])], "markers")
    encoded = encode_fixture(fixture)
    assert decode_fixture(encoded.manifest, encoded.objects.__getitem__, where=WHERE) == fixture


MEMBERS = sorted(json.loads(sample().manifest))
WRONG: list[Any] = [None, True, 7, -1, 1.5, "sesame", [], ["sesame"], {}, {"sesame": 1}, [[]], [None], 2**63]


@pytest.mark.parametrize("member", MEMBERS)
def test_a_member_of_any_wrong_type_is_refused(member: str) -> None:
    encoded = sample()
    for wrong in WRONG:
        if type(wrong) is type(json.loads(encoded.manifest)[member]) or member in ("verification", "extensions"):
            continue
        document = json.loads(encoded.manifest) | {member: wrong}
        refused(dumps(document), encoded.objects, ManifestError, ".")


@pytest.mark.parametrize("member", [name for name in MEMBERS if name not in ("verification", "seal", "extensions")])
def test_an_absent_member_is_refused(member: str) -> None:
    document = json.loads(sample().manifest)
    del document[member]
    refused(dumps(document), sample().objects, ManifestError, ".")


@pytest.mark.parametrize("member", ["label", "object", "says", "status", "base", "keep", "system", "tools"])
def test_a_member_of_an_exchange_of_any_wrong_type_is_refused(member: str) -> None:
    encoded = sample()
    good = {"base": int, "keep": int, "status": int, "says": list, "label": str}
    for wrong in WRONG:
        if type(wrong) is good.get(member) or (wrong is None and member in ("base", "keep", "system", "tools")):
            continue
        document = json.loads(encoded.manifest)
        document["exchanges"][1][member] = wrong
        refused(dumps(document), encoded.objects, ManifestError, r"\$\.exchanges|run digest")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda d: d["exchanges"][0].update(base=0), r"exchanges\[0\]\.base: not an earlier exchange"),
        (lambda d: d["exchanges"][1].update(base=2), r"exchanges\[1\]\.base: not an earlier exchange"),
        (lambda d: d["exchanges"][1].update(base=-1), r"exchanges\[1\]\.base: not an earlier exchange"),
        (lambda d: d["exchanges"][0].update(keep=1), r"exchanges\[0\]\.keep"),
        (lambda d: d["exchanges"][1].update(keep=0), r"exchanges\[1\]\.keep"),
        (lambda d: d["exchanges"][1].update(keep=-1), r"exchanges\[1\]\.keep"),
        (lambda d: d["exchanges"][0].update(object="../../../etc/passwd"), r"exchanges\[0\]\.object"),
        (lambda d: d["exchanges"][0].update(system="0" * 64), r"exchanges\[0\]\.system"),
        (lambda d: d["exchanges"][1].update(tools="/etc/passwd"), r"exchanges\[1\]\.tools"),
        (lambda d: d.update(trace="0" * 64), r"\$\.trace"),
        (lambda d: d.update(trace="..\\trace"), r"\$\.trace"),
        (lambda d: d["objects"].append("../../evil"), r"\$\.objects"),
        (lambda d: d["objects"].append("0" * 64), r"\$\.objects"),
        (lambda d: d["objects"].append(d["objects"][-1]), r"\$\.objects"),
        (lambda d: d["objects"].clear(), r"\$\.trace"),
        (lambda d: d.update(name="../../evil"), "part of a fixture name"),
        (lambda d: d.update(name="/abs"), "part of a fixture name"),
        (lambda d: d.update(world={}), r"\$\.world"),
        (lambda d: d.update(sesame=1), "unknown"),
        (lambda d: d["source"].update(sesame=1), r"\$\.source"),
        (lambda d: d["source"].update(kind="sesame"), r"\$\.source\.kind"),
        (lambda d: d["exchanges"][2].update(sesame=1), r"\$\.exchanges\[2\]"),
        (lambda d: d.update(requires=["time-travel"]), "requires 'time-travel', unknown to this stepfork.*upgrade"),
    ],
    ids=range(23),
)
def test_a_manifest_that_points_nowhere(change: Callable[[Document], Any], what: str) -> None:
    refused(changed(change), sample().objects, ManifestError, what)


def test_two_runs_in_one_manifest_are_refused() -> None:
    ours = json.loads(encode_fixture(fixture_of(conversation(3))).manifest)
    theirs = json.loads(encode_fixture(fixture_of(conversation(3, size=60))).manifest)
    ours["exchanges"][2] = theirs["exchanges"][2]
    ours["objects"] = sorted({*ours["objects"], *theirs["objects"]})
    refused(dumps(ours), {}, ManifestError, "run digest does not fit the exchanges.*stepfork resolve")


def test_exchanges_in_another_order_are_another_run() -> None:
    def swap(document: Document) -> None:
        one, two = document["exchanges"][1:]
        document["exchanges"][1:] = [one | {"object": two["object"]}, two | {"object": one["object"]}]

    refused(changed(swap, digests=False), sample().objects, ManifestError, "run digest")


def test_unknown_extensions_are_kept() -> None:
    data = changed(lambda document: document.update(extensions={"later": {"x": [1]}}))
    fixture = decode_fixture(data, sample().objects.__getitem__, where=WHERE)
    assert fixture.extensions == {"later": {"x": [1]}}


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda d: [d], "of a wrong type"),
        (lambda d: None, "of a wrong type"),
        (lambda d: "sesame", "of a wrong type"),
        (lambda d: d | {"sesame": 1}, "the format does not know"),
        (lambda d: d | {"api": 7}, "api"),
        (lambda d: d | {"provider": None}, "provider"),
        (lambda d: d | {"path": []}, "path"),
        (lambda d: d | {"method": 1}, "method"),
        (lambda d: d | {"status": True}, "status"),
        (lambda d: d | {"status": "200"}, "status"),
        (lambda d: d | {"ending": "sesame"}, "wrong type"),
        (lambda d: d | {"headers": []}, "headers"),
        (lambda d: d | {"headers": {"x": 1}}, "wrong type"),
        (lambda d: d | {"messages": {}}, "messages"),
        (lambda d: d | {"messages": "sesame"}, "messages"),
        (lambda d: d | {"system": []}, "system twice"),
        (lambda d: d | {"tools": []}, "tools twice"),
        (lambda d: d | {"request": []}, "has parts of one"),
        (lambda d: {k: v for k, v in d.items() if k != "request"}, "has parts of one"),
        (lambda d: {k: v for k, v in d.items() if k != "messages"}, "continues some"),
        (lambda d: d | {"request_text": "sesame"}, "more than one body"),
        (lambda d: d | {"response_text": "sesame"}, "no known form"),
        (lambda d: d | {"events": ["x", 1]}, "no known form"),
        (lambda d: d | {"response_order": "sesame"}, "order"),
        (lambda d: d | {"response_order": ".*999999999"}, "order"),
        (lambda d: d | {"response_order": 7}, "no known form"),
        (lambda d: _answered(d, {"response_base64": "se=same"}), "base64"),
        (lambda d: _answered(d, {"response_base64": 7}), "no known form"),
        (lambda d: d | {"response": {"$stepfork:object": "0" * 64}}, "not among the manifest's objects"),
        (lambda d: d | {"response": {"$stepfork:object": "../sesame"}}, "marker"),
        (lambda d: d | {"response": {"$stepfork:object": None}}, "marker"),
        (lambda d: d | {"response": {"$stepfork:join": "sesame"}}, "marker"),
        (lambda d: d | {"response": {"$stepfork:join": [1]}}, "piece of another kind"),
        (lambda d: d | {"response": {"$stepfork:join": [{"$stepfork:join": []}]}}, "piece of another kind"),
        (lambda d: d | {"response": {"$stepfork:value": [0, "request"]}}, "marker"),
        (lambda d: d | {"response": {"$stepfork:sesame": 1}}, "marker"),
        (lambda d: {"$stepfork:join": []}, "of a wrong type"),
    ],
    ids=range(37),
)
def test_an_exchange_object_from_a_stranger(change: Callable[[Any], Any], what: str) -> None:
    refused(*with_object(change), DamagedError, what)


def _answered(document: Any, members: Document) -> Document:
    return {name: value for name, value in document.items() if not name.startswith("response")} | members


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda d: [], "of a wrong type"),
        (lambda d: {}, "absent or of a wrong type"),
        (lambda d: d | {"trace_version": 2}, "version"),
        (lambda d: {k: v for k, v in d.items() if k != "trace_version"}, "version"),
        (lambda d: d | {"sesame": 1}, "does not know"),
        (lambda d: d | {"steps": 1}, "wrong type"),
        (lambda d: d | {"steps": [1]}, "wrong type"),
        (lambda d: d | {"steps": {"a": 1}}, "wrong type"),
        (lambda d: d | {"steps": [d["steps"][0] | {"sesame": 1}]}, "does not know"),
        (lambda d: d | {"steps": [d["steps"][0] | {"usage": 7}]}, "wrong type"),
        (lambda d: d | {"steps": [d["steps"][0] | {"start": True}]}, "wrong type"),
        (lambda d: d | {"steps": [d["steps"][0] | {"start": 1.5}]}, "wrong type"),
        (lambda d: d | {"error": {"sesame": 1}}, "does not know"),
        (lambda d: d | {"origin": "sesame"}, "wrong type"),
        (lambda d: d | {"notes": "sesame"}, "wrong type"),
        (lambda d: d | {"input": {"$stepfork:value": [9, "request"]}}, "points at an exchange"),
        (lambda d: d | {"input": {"$stepfork:value": [-1, "request"]}}, "points at an exchange"),
        (lambda d: d | {"input": {"$stepfork:value": [True, "request"]}}, "points at an exchange"),
        (lambda d: d | {"input": {"$stepfork:value": [0, "sesame"]}}, "points at an exchange"),
        (lambda d: d | {"input": {"$stepfork:value": []}}, "points at an exchange"),
        (lambda d: d | {"input": {"$stepfork:value": "sesame"}}, "marker"),
        (lambda d: d | {"input": {"$stepfork:value": [0, "request", "sesame"]}}, "points at a value"),
        (lambda d: d | {"input": {"$stepfork:value": [0, "request", "messages", -1]}}, "points at a value"),
        (lambda d: d | {"input": {"$stepfork:value": [0, "request", "messages", True]}}, "points at a value"),
        (
            lambda d: d | {"input": {"$stepfork:value": [0, "request", "messages", 0, "role", None]}},
            "points at a value",
        ),
        (lambda d: d | {"input": {"$stepfork:value": [0, "request", None]}}, "points at a value"),
    ],
    ids=range(26),
)
def test_a_trace_from_a_stranger(change: Callable[[Any], Any], what: str) -> None:
    refused(*with_object(change, "trace"), DamagedError, what)


def test_a_system_prompt_from_a_stranger() -> None:
    for wrong in ("sesame", {"a": 1}, 7, None):
        refused(*with_object(lambda _, wrong=wrong: wrong, "system"), DamagedError, "system prompt is of a wrong type")


def test_more_messages_kept_than_there_are() -> None:
    data = changed(lambda document: document["exchanges"][2].update(keep=99))
    refused(data, sample().objects, DamagedError, "exchange 2, object [0-9a-f]{64}: it keeps more messages")


def test_a_base_without_messages() -> None:
    exchanges = [chat([user("a")]), chat([user("a"), user("b")])]
    encoded = encode_fixture(fixture_of(exchanges))
    document = json.loads(encoded.manifest)
    name = document["exchanges"][0]["object"]
    data = dumps({k: v for k, v in json.loads(encoded.objects[name]).items() if k != "messages"})
    document["exchanges"][0]["object"] = name_of(data)
    document["objects"] = sorted({*document["objects"], name_of(data)} - {name})
    refused(bound(document), {**encoded.objects, name_of(data): data}, DamagedError, "exchange 1.*keeps more messages")


def test_small_files_cannot_fill_the_memory() -> None:
    text = dumps("sesame" * 200_000)
    bomb = {"$stepfork:join": [{"$stepfork:object": name_of(text)}] * 2000}
    manifest, objects = with_object(lambda document: document | {"response": bomb})
    document = json.loads(manifest)
    document["objects"] = sorted({*document["objects"], name_of(text)})
    refused(bound(document), {**objects, name_of(text): text}, DamagedError, "larger than a fixture may be")


@pytest.mark.parametrize("data", [b"", b"\xff", b"{", b"[" * 100_000, b'{"a":1,"a":2}', b"[1e999]", b"[9e9999999]"])
def test_an_object_that_is_no_json(data: bytes) -> None:
    encoded = sample()
    name = json.loads(encoded.manifest)["exchanges"][1]["object"]
    refused(encoded.manifest, {**encoded.objects, name: data}, DamagedError, f"object {name}: ")


def test_an_edit_by_hand_can_be_read_and_is_seen_by_its_seal() -> None:
    def edit(document: Document) -> None:
        document["contracts"] = [{"type": "tools_called"}]

    data = changed(edit, digests=False)
    manifest = read_manifest(data, WHERE)
    assert manifest.contracts == ({"type": "tools_called"},)
    assert seal_of(parse_manifest(data, WHERE)) != manifest.seal
