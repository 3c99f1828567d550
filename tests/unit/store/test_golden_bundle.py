"""The frozen bundle of format version 1: read for ever, written the same, and read alike by a second reader."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from stepfork.canonical.encode import dumps
from stepfork.canonical.names import name_of
from stepfork.store.bundle import bundle_manifest, read_bundle
from stepfork.store.codec import encode_fixture
from stepfork.store.fsck import fsck_bundle
from stepfork.store.validate import find_differences
from stepfork.trace.body import JsonBody
from tests.golden.naive_canonical import encode
from tests.golden.naive_reader import NaiveBundle

BUNDLE = Path(__file__).parents[2] / "golden" / "everything.sftrace"


def test_it_is_whole() -> None:
    checked = fsck_bundle(BUNDLE)
    assert (checked.fixtures, checked.findings) == (1, ())
    assert find_differences(read_bundle(BUNDLE), bundle_manifest(BUNDLE), where="golden", partial=True) == []


def test_it_is_written_the_same() -> None:
    encoded = encode_fixture(read_bundle(BUNDLE))
    names = {path.parent.name + path.stem: path.read_bytes() for path in BUNDLE.glob("objects/*/*.json")}
    assert encoded.objects == names


def test_its_files_have_the_form_of_the_second_encoder() -> None:
    for path in BUNDLE.rglob("*.json"):
        data = path.read_bytes()
        assert encode(json.loads(data)) == data


def test_its_digests_are_what_the_specification_says() -> None:
    manifest = json.loads(bundle_manifest(BUNDLE))
    rows = [
        [e["object"], e.get("base"), e.get("keep"), e.get("system", ""), e.get("tools", "")]
        for e in manifest["exchanges"]
    ]
    assert manifest["run"] == name_of(encode([manifest["trace"], rows]))
    assert manifest.pop("seal") == name_of(encode(manifest))


def test_it_shows_every_feature_of_the_format() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in BUNDLE.rglob("*.json"))
    for feature in (
        *("$stepfork:object", "$stepfork:join", "$stepfork:value", "$$stepfork:object", "response_order", "separator"),
        *(
            '"base": ',
            '"keep": ',
            '"system": null',
            "request_base64",
            "request_text",
            "request_reason",
            "response_text",
        ),
        *('"events"', '"ending"', '"method"', '"query"', '"status": 404', '"cost_usd"', '"kind": ', '"trace_check"'),
    ):
        assert feature in text, feature


def test_a_second_reader_reads_the_same() -> None:
    fixture, naive = read_bundle(BUNDLE), NaiveBundle(BUNDLE)

    def plain(body: Any) -> Any:
        return body.value if isinstance(body, JsonBody) else None

    for index, exchange in enumerate(fixture.run.exchanges):
        assert dumps(naive.requests[index]) == dumps(plain(exchange.request.body))
        assert dumps(naive.responses[index]) == dumps(plain(exchange.response.body))
    assert dumps(naive.trace) == dumps({**msgspec.to_builtins(fixture.run.trace), "trace_version": 1})
