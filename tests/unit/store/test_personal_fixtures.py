"""What looks like personal data is a placeholder only in fixtures that say so: others keep their bytes and meaning."""

from __future__ import annotations

import json

import msgspec
import pytest

from stepfork.errors import ManifestError
from stepfork.normalize.normalize import normalize_run
from stepfork.normalize.placeholders import Placeholder, parse
from stepfork.store import manifest
from stepfork.store.codec import decode_fixture, encode_fixture
from stepfork.store.personal import looks_personal
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Trace
from tests.unit.normalize.scripted import World, exchange

PHONE = "+44 20 7946 0958"
LITERAL = "Dear {{name_1}} or {{!phone_2:x}}, {{name}}"


def stored(*texts: str, command: tuple[str, ...] = ()):
    messages = [{"role": "user", "content": text} for text in texts]
    sent = exchange("chat_completions", {"messages": messages}, {"choices": [{"{{card_3}}": 1}]})
    context = msgspec.structs.replace(World(1).context(), personal=("phone",))
    run = normalize_run(Run(Source("command", True, command), Trace("spans", ()), (sent,)), context)
    return run, encode_fixture(Fixture("a", run))


def texts_of(encoded) -> str:
    return "".join(data.decode() for data in (*encoded.objects.values(), encoded.manifest))


def test_without_personal_data_text_is_stored_as_it_is() -> None:
    nested = json.dumps({"a": LITERAL})
    run, encoded = stored(LITERAL, nested, nested.replace("{{", r"\u007b{"), command=("echo", "{{iban_1}}"))
    assert json.loads(encoded.manifest)["requires"] == []
    assert LITERAL in texts_of(encoded)
    assert "{{card_3}}" in texts_of(encoded)
    assert '"{{iban_1}}"' in texts_of(encoded)
    read = decode_fixture(encoded.manifest, encoded.objects.__getitem__, where="x")
    assert parse(read.run.exchanges[0].request.body.value["messages"][0]["content"]) == (LITERAL,)
    assert read.run.source.command == ("echo", "{{!iban_1}}")
    again = encode_fixture(read)
    assert (again.manifest, dict(again.objects)) == (encoded.manifest, dict(encoded.objects))
    assert [
        message["content"].replace(r"\u007b", "{") for message in read.run.exchanges[0].request.body.value["messages"]
    ] == [message["content"].replace(r"\u007b", "{") for message in run.exchanges[0].request.body.value["messages"]]


@pytest.mark.parametrize(
    ("data", "does"),
    [
        (rb'"{{name_1}}"', True),
        (rb'"{\"a\": \"{{!!card_2:number}}\"}"', True),
        (rb'"{\"a\": \"{\\u007bname_1}}\"}"', True),
        (rb'"{{id_1}} name_1 {{name}}"', False),
    ],
)
def test_what_may_look_personal_in_stored_bytes(data: bytes, *, does: bool) -> None:
    """In an older fixture text inside of JSON text may spell its braces by number."""
    assert looks_personal(data) is does


def test_with_personal_data_the_manifest_says_so_and_text_has_a_mark() -> None:
    run, encoded = stored(LITERAL, PHONE)
    assert json.loads(encoded.manifest)["requires"] == ["personal"]
    assert "Dear {{!name_1}} or {{!!phone_2:x}}, {{name}}" in texts_of(encoded)
    read = decode_fixture(encoded.manifest, encoded.objects.__getitem__, where="x")
    assert parse(read.run.exchanges[0].request.body.value["messages"][1]["content"]) == (Placeholder("phone", 1),)
    assert read.run.exchanges[0].request.body.value == run.exchanges[0].request.body.value


def test_an_older_reader_refuses_it_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    _, encoded = stored(PHONE)
    monkeypatch.setattr(manifest, "FEATURES", frozenset())
    with pytest.raises(ManifestError, match="requires 'personal', unknown to this stepfork"):
        decode_fixture(encoded.manifest, encoded.objects.__getitem__, where="x")
