from __future__ import annotations

import base64
import gzip
import json

import pytest

from stepfork.errors import ScanError
from stepfork.redact import prefilter
from stepfork.redact.redactor import redact_text
from stepfork.redact.rules import Rules
from stepfork.redact.scan import scan_bytes
from stepfork.redact.secrets import Secrets
from tests.unit.redact.samples import AWS, GITHUB, HEX32, OPENAI, PASSWORD, PEM

NONE = Secrets({})


def scan(data: str | bytes, name: str = "", secrets: Secrets = NONE) -> list[tuple[str, str]]:
    raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    found = scan_bytes(raw, secrets, name)
    shown = repr(found)
    assert all(secret not in shown for secret in (OPENAI, GITHUB, AWS, HEX32, PASSWORD))
    return [(item.path, item.rule) for item in found]


def test_json_gives_the_pointer() -> None:
    document = {"a": [{"b/c~d": f"x {OPENAI}"}], "messages": [{"content": json.dumps({"api_key": HEX32})}]}
    assert scan(json.dumps(document, indent=2)) == [
        ("/a/0/b~1c~0d", "openai-key"),
        ("/messages/0/content/api_key", "named secret"),
    ]


def test_names_of_members_are_hidden_and_numbered() -> None:
    document = {OPENAI: {"pass" + "word": PASSWORD}, "safe": {GITHUB: 1}, "again": {OPENAI: 2}}
    assert scan(json.dumps(document)) == [
        ("/<redacted key #1>", "openai-key"),
        ("/<redacted key #1>/password", "named secret"),
        ("/safe/<redacted key #2>", "github-token"),
        ("/again/<redacted key #1>", "openai-key"),
    ]


def test_duplicate_members_are_both_read() -> None:
    assert scan(f'{{"a": "{OPENAI}", "a": "clean"}}') == [("/a", "openai-key")]


def test_escapes_hide_nothing() -> None:
    by_number = "".join(f"\\u{ord(char):04x}" for char in OPENAI)
    assert scan(f'["{by_number}"]') == [("/0", "openai-key")]
    assert scan(json.dumps({"url": "postgres://app:" + PASSWORD + "@db.example/main"}).replace("/", "\\/")) == [
        ("/url", "password in a URL")
    ]


def test_a_stored_stream_gives_the_event() -> None:
    chunks = [
        {"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in ("the key ", OPENAI[:9], OPENAI[9:])
    ]
    events = [*(f"data: {json.dumps(chunk)}" for chunk in chunks), "data: [DONE]", ""]
    assert scan(json.dumps({"events": events, "status": 200})) == [("/events (event 1)", "openai-key")]
    whole = {"type": "response.completed", "response": {"output": [{"text": f"{GITHUB}"}]}}
    assert scan(json.dumps({"response": {"body": {"events": ["", f"data: {json.dumps(whole)}"]}}})) == [
        ("/response/body (event 1)", "github-token")
    ]


def test_a_stream_that_is_a_file_or_a_string() -> None:
    chunks = [
        {"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in (OPENAI[:5], OPENAI[5:20], OPENAI[20:])
    ]
    text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    assert scan(text) == [("(event 0)", "openai-key")]
    assert scan(json.dumps({"body": {"string": text}})) == [("/body/string (event 0)", "openai-key")]


def test_json_lines_give_the_line() -> None:
    lines = [json.dumps({"n": 1}), "", json.dumps({"m": {"k": OPENAI}}), "{broken " + GITHUB]
    assert scan("\n".join(lines)) == [("line 3 /m/k", "openai-key"), ("line 4", "github-token")]


def test_text_gives_the_line() -> None:
    assert scan(f"one\ntwo {AWS}\nthree api-key: {HEX32}\n") == [
        ("line 2", "aws-access-key-id"),
        ("line 3", "named secret"),
    ]


def test_yaml_is_read_to_its_scalars() -> None:
    body = json.dumps({"api_key": HEX32})
    cassette = (
        f"interactions:\n- request:\n    body: '{body}'\n    uri: &u https://x.example\n  response: *u\n# {OPENAI}\n"
    )
    assert scan(cassette, "c.yaml") == [
        ("/interactions/0/request/body/api_key", "named secret"),
        ("line 6", "openai-key"),
    ]


def test_yaml_binaries_are_read_inflated() -> None:
    packed = base64.b64encode(gzip.compress(json.dumps({"key": OPENAI}).encode())).decode()
    cassette = f"# data: token=abc\nbody:\n  string: !!binary |\n    {packed}\nhint: {OPENAI}\n"
    assert ("/body/string/key", "openai-key") in scan(cassette, "cassette.yml")


@pytest.mark.parametrize("text", ["a: [", "a: &a [*a, *b]", "!!python/object:os.system x", "? {a: b}\n: c", "\t- x"])
def test_yaml_that_is_none_or_odd_is_read_as_text(text: str) -> None:
    assert ("line 1", "openai-key") in scan(f"# {OPENAI}\n{text}\n", "odd.yaml")


def test_private_keys_in_yaml_blocks() -> None:
    block = PEM.replace("\n", "\n    ")
    assert scan(f"upstream: |\n    {block}\n", "k.yaml")[0] == ("/upstream", "private-key")


def test_an_environment_file_is_read_by_its_names() -> None:
    text = (
        f'# all\nDEBUG=1\nexport ADMIN_PASS="two words 9"\nAN_API_KEY=sk-...\nHOME=/root/abcdefgh1\nA_TOKEN={HEX32}\n'
    )
    assert scan(text, "config/.env.local") == [("line 6", "named secret"), ("line 3", "secret variable")]
    assert scan(text, "notes.txt") == [("line 6", "named secret")]


def test_known_values_are_found_in_files() -> None:
    secrets = Secrets.collect({"STRIPE_KEY": "plain words only"}, {})
    assert scan('{"a": "say plain words only now"}', "", secrets) == [("/a", "value of STRIPE_KEY")]
    assert scan("say plain%20words%20only", "", secrets) == [("line 1", "value of STRIPE_KEY")]


def test_c045_text_that_is_not_ascii_is_read() -> None:
    assert scan(json.dumps({"消息": f"密钥是{OPENAI}。"}, ensure_ascii=False)) == [("/消息", "openai-key")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_other_encodings_with_a_mark_are_read(encoding: str) -> None:
    assert scan(f"x {OPENAI}".encode(encoding)) == [("line 1", "openai-key")]


def test_utf_16_without_a_mark_and_other_binary_data_are_read_for_their_text() -> None:
    assert scan(f"x {OPENAI}".encode("utf-16-le"))[0][1] == "openai-key"
    assert scan(b"\x89PNG\r\n\x1a\n\0\0" + bytes(range(256)) * 4 + OPENAI.encode() + b"\0\xff")[0][1] == "openai-key"
    assert scan(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40) == []


@pytest.mark.parametrize(
    "data",
    ["caf\xe9".encode("latin-1"), gzip.compress(b"caf\xe9", mtime=0), b"BZh91AY", b"PK\x03\x04rest", b"ok \xf0\x28"],
)
def test_c045_what_cannot_be_read_is_an_error_and_never_clean(data: bytes) -> None:
    with pytest.raises(ScanError):
        scan(data)


def test_c046_the_last_line_of_a_large_file_is_read() -> None:
    lines = "\n".join(json.dumps({"content": "hello world " * 80, "total_tokens": index}) for index in range(2500))
    document = f'[{lines.replace(chr(10), ",")}, "{OPENAI}"]'
    assert len(document) > 2_000_000
    assert scan(document) == [("/2500", "openai-key")]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 50_000,
        "[" + "9" * 6000 + "]",
        '["\\ud800"]',
        "\ufeff[]",
        '{"a": 1e999, "b": NaN}',
        "\x00" * 50,
        "data: " * 2000,
        "api_key=" * 5000,
        "\\" * 20_000 + "token",
        "%" * 5000 + "key=%zz",
        "-----BEGIN " + "RSA PRIVATE KEY" + "-----" + "\n" * 5000,
        "://" * 5000 + "@",
        "eyJ" + "a" * 30_000 + "." * 3000,
        "",
    ],
)
def test_hostile_text_is_read_without_a_traceback(text: str) -> None:
    assert all(isinstance(path, str) for path, _ in scan(text))


def test_c041_and_c044_words_and_hashes_are_left_alone() -> None:
    values = [
        "<task-notification>done</task-notification>",
        "risk-adjusted-2024 and desk-booking-0042 and ask-anthropic-2025",
        "commit 9a038989604e8da62ecddbe2094b16ce1b778be1",
        "integrity sha512-9t0pYyHk1m0Qm3nq8v1l5wqJx0Z6bq8H8mYy3Zc0l2mQmY9Q2r3d8Z1xw0a7kq1e4V5n6p7s8t9u0v1w2x3y4A==",
        "traceId 5b8efff798038103d269b633813fc60c",
        "public_key keyword monkey capital",
        "blake3 af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
    ]
    document = {"values": values, "object": "af13" * 16, "mapKey": "k" * 40, "api_version": "2024-05-01-preview"}
    assert scan(json.dumps(document)) == []


def test_the_search_of_files_is_made_where_files_are_read_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    make = prefilter.Prefilter
    monkeypatch.setattr(prefilter, "Prefilter", lambda matcher: made.append(matcher) or make(matcher))
    secrets = Secrets({}, Rules(personal=("phone",)))
    assert OPENAI not in redact_text(f"key {OPENAI}", secrets.with_personal)
    assert made == []
    for one in (secrets.with_personal, secrets):
        assert one.may_stand_in(f"key {OPENAI}")
    assert made == [secrets.matcher]
