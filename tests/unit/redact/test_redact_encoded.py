"""Bodies that stand encoded in a document: compressed or not, in base64, hex, or escaped characters."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from typing import Any

import pytest

from stepfork.errors import ScanError
from stepfork.redact import encoded
from stepfork.redact.marker import MARKER
from stepfork.redact.redactor import Redactor, redact_run
from stepfork.redact.scan import scan_bytes
from stepfork.redact.secrets import Secrets
from stepfork.rewrite.place import Place
from stepfork.rewrite.value import rewrite_value
from stepfork.trace import coding
from stepfork.trace.body import BytesBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Trace
from tests.unit.redact.samples import HEX32, OPENAI

NONE = Secrets({})
BODY = json.dumps({"choices": [{"text": f"the key is {OPENAI}, keep it"}], "note": "é" * 20})
CLEAN = json.dumps({"choices": [{"text": "hello"}], "usage": {"total_tokens": 5}})
RAW_DEFLATE = zlib.compressobj(wbits=-15)


def packed(text: str, how: str) -> bytes:
    data = text.encode()
    raw = zlib.compressobj(wbits=-15)
    return {
        "gzip": lambda: gzip.compress(data, mtime=1),
        "zlib": lambda: zlib.compress(data),
        "raw deflate": lambda: raw.compress(data) + raw.flush(),
        "gzip twice": lambda: gzip.compress(base64.b64encode(gzip.compress(data, mtime=1)), mtime=1),
        "text": lambda: data,
    }[how]()


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def in_lines(data: bytes) -> str:
    return base64.encodebytes(data).decode()


def found(data: Any, name: str = "c.json") -> list[tuple[str, str]]:
    raw = data if isinstance(data, bytes) else (data if isinstance(data, str) else json.dumps(data)).encode()
    return [(item.path, item.rule) for item in scan_bytes(raw, NONE, name)]


SPELLINGS = {
    "base64": b64,
    "base64 in lines": in_lines,
    "url-safe base64": lambda data: base64.urlsafe_b64encode(data).decode().rstrip("="),
    "hex": bytes.hex,
    "HEX": lambda data: data.hex().upper(),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("how", ["gzip", "zlib", "gzip twice", "text"])
def test_a_body_is_read_and_packed_again_as_it_was(how: str, spelling: str) -> None:
    text = SPELLINGS[spelling](packed(BODY, how))
    made = rewrite_value({"body": [text]}, Place(()), Redactor(NONE))["body"][0]
    assert made != text
    ((start, end, opened),) = encoded.find_encoded(made, 1 << 20)
    assert (start, end) == (0, len(made))
    while how == "gzip twice":
        ((_, _, opened),) = encoded.find_encoded(opened.text, 1 << 20)
        break
    assert opened.text == BODY.replace(OPENAI, MARKER)
    assert made.count("\n") == 0 or len(made.split("\n")[0]) == len(text.split("\n")[0])
    assert made.endswith("\n") == text.endswith("\n")
    assert made.endswith("=") <= (text.endswith("=") or len(text) % 4 == 0)
    assert (made == made.lower(), made == made.upper()) == (text == text.lower(), text == text.upper())
    assert rewrite_value({"body": [made]}, Place(()), Redactor(NONE)) == {"body": [made]}


@pytest.mark.parametrize("how", ["gzip", "zlib", "text"])
def test_the_path_goes_on_inside(how: str) -> None:
    data = packed(BODY, how)
    place = "/choices/0/text"
    vcr = {"interactions": [{"response": {"body": {"base64_string": b64(data)}}}]}
    assert found(vcr) == [(f"/interactions/0/response/body/base64_string{place}", "openai-key")]
    har = {"log": {"entries": [{"response": {"content": {"text": b64(data), "encoding": "base64"}}}]}}
    assert found(har) == [(f"/log/entries/0/response/content/text{place}", "openai-key")]
    betamax = {"http_interactions": [{"response": {"body": {"encoding": "utf-8", "base64_string": b64(data)}}}]}
    assert found(betamax) == [(f"/http_interactions/0/response/body/base64_string{place}", "openai-key")]
    cassette = f"body:\n  string: !!binary |\n    {in_lines(data).replace(chr(10), chr(10) + '    ')}\nnext: 1\n"
    assert found(cassette, "c.yaml") == [(f"/body/string{place}", "openai-key")]
    lines = json.dumps({"a": 1}) + "\n" + json.dumps(vcr)
    assert found(lines, "c.jsonl") == [(f"line 2 /interactions/0/response/body/base64_string{place}", "openai-key")]
    assert found(f"see\ndata:application/json;base64,{b64(data)}\n", "notes.md") == [(f"line 2 {place}", "openai-key")]


def test_a_clean_body_is_clean() -> None:
    for how in ("gzip", "zlib", "text"):
        data = packed(CLEAN, how)
        assert found({"base64_string": b64(data), "hex": data.hex()}) == []
        document = {"base64_string": b64(data)}
        assert rewrite_value(document, Place(()), Redactor(NONE)) is document


def test_bodies_of_nock_stand_in_pieces() -> None:
    data = packed(BODY, "gzip")
    pieces = [data[start : start + 40].hex() for start in range(0, len(data), 40)]
    document = [{"scope": "https://api.example", "status": 200, "response": pieces, "rawHeaders": ["a", "b"]}]
    assert found(document) == [("/0/response/0/choices/0/text", "openai-key")]
    made = rewrite_value(document, Place(()), Redactor(NONE))[0]["response"]
    assert len(made) == len(pieces)
    assert gzip.decompress(bytes.fromhex("".join(made))).decode() == BODY.replace(OPENAI, MARKER)


def test_bodies_from_before_there_were_bytes() -> None:
    data = packed(BODY, "gzip").decode("latin-1")
    assert found({"string": data}) == [("/string/choices/0/text", "openai-key")]
    escaped = "".join(f"\\x{ord(char):02X}" for char in data)
    assert found(f'body: {{string: "{escaped}"}}\n', "c.yml") == [("/body/string/choices/0/text", "openai-key")]


def test_deflate_without_a_header_is_told_by_the_headers() -> None:
    data = packed(BODY, "raw deflate")
    response = {"headers": {"Content-Encoding": ["deflate"]}, "body": {"base64_string": b64(data)}}
    assert found({"response": response}) == [("/response/body/base64_string/choices/0/text", "openai-key")]
    made = rewrite_value(response, Place(()), Redactor(NONE))["body"]["base64_string"]
    assert zlib.decompress(base64.b64decode(made), -15).decode() == BODY.replace(OPENAI, MARKER)


def test_bytes_of_whatever_kind_are_read_for_the_text_in_them() -> None:
    data = b"\x0a\x93\x04\xff" + OPENAI.encode() + b"\x00\xfe" * 8
    assert found({"base64_string": b64(data)}) == [("/base64_string", "openai-key")]
    assert found(f"string: !!binary {b64(data)}\n", "c.yaml") == [("/string", "openai-key")]
    made = rewrite_value({"base64_string": b64(data * 2)}, Place(()), Redactor(NONE))["base64_string"]
    assert base64.b64decode(made) == (data * 2).replace(OPENAI.encode(), MARKER.encode())
    image = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
    assert found({"source": {"type": "base64", "data": b64(image)}}) == []
    assert found({"signature": b64(bytes(range(256)))}) == []


@pytest.mark.parametrize("name", ["br", "zstd"])
@pytest.mark.parametrize("form", ["vcr", "har", "nock"])
def test_what_cannot_be_inflated_here_is_never_clean(name: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coding, "_codings", lambda: {"gzip": None, "deflate": None})
    data = (
        b"\x28\xb5\x2f\xfd\x04\x58" + bytes(range(128, 200)) if name == "zstd" else b"\x1b\x8f" + bytes(range(99, 200))
    )
    document = {
        "vcr": {"response": {"headers": {"content-encoding": [name]}, "body": {"base64_string": b64(data)}}},
        "har": {
            "response": {
                "headers": [{"name": "Content-Encoding", "value": name}],
                "content": {"text": b64(data), "encoding": "base64"},
            }
        },
        "nock": {"response": data.hex(), "rawHeaders": ["Content-Type", "text/plain", "Content-Encoding", name]},
    }[form]
    unread: list[tuple[str, str]] = []
    assert scan_bytes(json.dumps(document).encode(), NONE, "c.json", unread) == []
    ((path, reason),) = unread
    assert path.startswith("/response")
    assert reason.startswith(f"holds {name} data, which cannot be read here; pip install ")
    with pytest.raises(ScanError):
        scan_bytes(json.dumps(document).encode(), NONE)


def test_a_bomb_is_read_up_to_the_limit_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = b64(gzip.compress(OPENAI.encode() + b" " * (3 << 20)))
    unread: list[tuple[str, str]] = []
    monkeypatch.setattr("stepfork.redact.inside.LIMIT", 1 << 20)
    findings = scan_bytes(json.dumps({"a": {"base64_string": bomb}}).encode(), NONE, "", unread)
    assert [(item.path, item.rule) for item in findings] == [("/a/base64_string", "openai-key")]
    assert unread == [("/a/base64_string", "grows to more than 1 MiB, of which the rest was not read")]
    made = rewrite_value({"base64_string": bomb}, Place(()), Redactor(NONE))
    assert made == {"base64_string": MARKER}, "what was not read whole cannot be packed again"


def test_the_bodies_of_a_document_share_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepfork.redact.inside.LIMIT", 1 << 20)
    bodies = [{"base64_string": b64(gzip.compress(bytes([65 + index]) * (600 << 10)))} for index in range(3)]
    unread: list[tuple[str, str]] = []
    assert scan_bytes(json.dumps(bodies).encode(), NONE, "", unread) == []
    assert [path for path, _ in unread] == ["/1/base64_string", "/2/base64_string"]
    text = "first {base64_string}, then {base64_string}".format(**bodies[0])
    unread.clear()
    assert scan_bytes(json.dumps({"says": text}).encode(), NONE, "", unread) == []
    assert [path for path, _ in unread] == ["/says"]


def test_a_damaged_body_is_said_and_one_that_breaks_off_is_read_as_far_as_it_goes() -> None:
    data = packed(BODY, "gzip")
    unread: list[tuple[str, str]] = []
    broken = data[:10] + b"\xff" * 60
    assert scan_bytes(json.dumps({"base64_string": b64(broken)}).encode(), NONE, "", unread) == []
    assert unread == [("/base64_string", "holds gzip data that is damaged")]
    assert found({"says": f"tool: {b64(data)[:160]}…"}) == [("/says/choices/0/text", "openai-key")]


def test_a_file_that_is_compressed_as_a_whole_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(gzip.compress(json.dumps({"k": OPENAI}).encode()), "run.json.gz") == [("/k", "openai-key")]
    cassette = f"a:\n  x-api-key: [{HEX32}]\n"
    assert found(gzip.compress(cassette.encode()), "c.yaml.gz") == [("/a/x-api-key/0", "named secret")]
    assert found(gzip.compress(CLEAN.encode()), "run.json.gz") == []
    monkeypatch.setattr(encoded, "LIMIT", 1 << 20)
    unread: list[tuple[str, str]] = []
    assert scan_bytes(gzip.compress(b"[" + b" " * (2 << 20) + b"]"), NONE, "big.gz", unread) == []
    assert unread == [("", "grows to more than 1 MiB, of which the rest was not read")]


def test_a_short_secret_alone_leaves_the_marker_to_be_seen() -> None:
    document = {"data": b64(f"user:{OPENAI}".encode())}
    assert rewrite_value(document, Place(()), Redactor(NONE)) == {"data": MARKER}
    lines = {"data": b64(f"first line\n{OPENAI}\nlast line".encode())}
    made = rewrite_value(lines, Place(()), Redactor(NONE))["data"]
    assert base64.b64decode(made).decode() == f"first line\n{MARKER}\nlast line"


@pytest.mark.parametrize("between", [b"", b"\0" * 30, b"\0" * (1 << 17)])
def test_what_stands_behind_compressed_data_is_no_part_of_it_and_said(between: bytes) -> None:
    whole = gzip.compress(CLEAN.encode()) + between
    assert found(whole, "run.json.gz") == []
    unread: list[tuple[str, str]] = []
    data = whole + f" {OPENAI} ".encode() + between
    assert scan_bytes(data, NONE, "run.json.gz", unread) == []
    assert scan_bytes(json.dumps({"base64_string": b64(data)}).encode(), NONE, "", unread) == []
    said = "is followed by bytes that were not read"
    assert unread == [("", said), ("/base64_string", said)]


def test_damaged_data_of_zstandard_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(data: bytes) -> bytes:
        raise ValueError(data)

    monkeypatch.setattr(coding, "_codings", lambda: {"zstd": lambda: coding._Foreign(refusing, bool)})
    with pytest.raises(ScanError, match="holds zstd data that is damaged and was not scanned"):
        scan_bytes(b"\x28\xb5\x2f\xfd" + b"\xff" * 60, NONE, "a.zst")


def test_what_is_encoded_too_often_is_said() -> None:
    data = BODY
    for _ in range(3):
        data = b64(gzip.compress(data.encode()))
    assert found({"a": data}) == [("/a/choices/0/text", "openai-key")]
    unread: list[tuple[str, str]] = []
    assert scan_bytes(json.dumps({"a": b64(gzip.compress(data.encode()))}).encode(), NONE, "", unread) == []
    assert unread == [("/a", "is encoded more often than is looked into")]


def test_the_bytes_of_a_capture_are_read_through_too() -> None:
    exchange = Exchange(
        "route",
        "opaque",
        Request("GET", "/export", "", "", None),
        Response(200, "application/gzip", {}, BytesBody(packed(BODY, "gzip"))),
    )
    run, findings = redact_run(Run(Source("command", False), Trace("spans", ()), (exchange,)), NONE)
    body = run.exchanges[0].response.body
    assert isinstance(body, BytesBody)
    assert gzip.decompress(body.data).decode() == BODY.replace(OPENAI, MARKER)
    assert [item.rule for item in findings] == ["openai-key"]
