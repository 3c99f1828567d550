"""A name and its value side by side, as recorders of traffic, traces and argument lists have them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stepfork.redact.marker import MARKER
from stepfork.redact.redactor import Redactor, redact_text
from stepfork.redact.rules import Rules
from stepfork.redact.scan import scan_bytes
from stepfork.redact.secrets import Secrets
from stepfork.rewrite.events import rewrite_events
from stepfork.rewrite.place import Place
from stepfork.rewrite.text import rewrite_text
from stepfork.rewrite.value import rewrite_value
from tests.unit.redact.samples import BEARER, HEX32, PASSWORD

NONE = Secrets({})
NAME = "x-api" + "-key"

SIDE_BY_SIDE: list[tuple[Any, str]] = [
    ({"name": NAME, "value": HEX32}, "/value"),
    ({"Value": HEX32, "Name": NAME}, "/Value"),
    ({"key": "API_KEY", "type": "text", "value": HEX32, "enabled": True}, "/value"),
    ({"headerName": "X-Api-Key", "headerValue": [HEX32]}, "/headerValue/0"),
    ({"name": "pass" + "word", "value": PASSWORD}, "/value"),
    ({"key": f"http.request.header.{NAME}", "value": {"stringValue": HEX32}}, "/value/stringValue"),
    (
        {"key": f"http.request.header.{NAME}", "value": {"arrayValue": {"values": [{"stringValue": HEX32}]}}},
        "/value/arrayValue/values/0/stringValue",
    ),
    ([NAME, HEX32], "/1"),
    (["accept", "*/*", NAME, HEX32, "host", "x"], "/3"),
    ([["accept", "*/*"], [NAME, HEX32]], "/1/1"),
    ([NAME, [HEX32]], "/1/0"),
    (["run", "--api" + "-key", HEX32], "/2"),
    ({NAME: [HEX32]}, f"/{NAME}/0"),
    ({NAME: {"equalTo": HEX32}}, f"/{NAME}/equalTo"),
    ({NAME: [{"matcher": "exact", "value": HEX32}]}, f"/{NAME}/0/value"),
    ({"apikey": [{"key": "value", "value": HEX32}, {"key": "key", "value": NAME}]}, "/apikey/0/value"),
]
APART: list[Any] = [
    {"name": NAME, "value": "your-key"},
    {"name": "cache_key", "value": HEX32},
    {"name": "password", "type": "string", "value": "required"},
    {"name": NAME, "in": "header", "required": True, "checksum": HEX32},
    {"name": "commit", "value": HEX32, "note": NAME},
    ["api_key", "access_token", "client_secret", "oauth2_pkce_s256"],
    ["password", "client_2fa"],
    ["api_key", "k3y9x2b7"],
    {NAME: {"type": "string", "id": HEX32, "sha256": HEX32}},
    {"auth_tokens": {"count": 5, "ids": [HEX32]}},
    [HEX32, NAME],
    [NAME, {"id": HEX32}],
]


def found(document: Any, name: str = "") -> list[tuple[str, str]]:
    data = document if isinstance(document, str) else json.dumps(document)
    return [(item.path, item.rule) for item in scan_bytes(data.encode(), NONE, name)]


@pytest.mark.parametrize(("document", "path"), SIDE_BY_SIDE)
def test_a_named_value_is_found_where_the_name_stands_beside_it(document: Any, path: str) -> None:
    assert found(document) == [(path, "named secret")]
    assert found(json.dumps({"har": [1, document]}, indent=1)) == [(f"/har/1{path}", "named secret")]
    assert found({"result": json.dumps([document])}) == [(f"/result/0{path}", "named secret")]


@pytest.mark.parametrize(("document", "path"), SIDE_BY_SIDE)
def test_a_capture_loses_it_and_nothing_else(document: Any, path: str) -> None:
    expected = json.loads(json.dumps(document).replace(HEX32, MARKER).replace(PASSWORD, MARKER))
    assert rewrite_value(document, Place(()), Redactor(NONE)) == expected
    text = rewrite_text(json.dumps({"a": json.dumps(document)}), Place(()), Redactor(NONE))
    assert json.loads(json.loads(text)["a"]) == expected
    (event,) = rewrite_events([f"data: {json.dumps(document)}"], Place(()), Redactor(NONE))
    assert json.loads(event.removeprefix("data: ")) == expected
    assert rewrite_value(expected, Place(()), Redactor(NONE)) == expected


@pytest.mark.parametrize("document", APART)
def test_what_no_name_beside_it_calls_a_secret_stays(document: Any) -> None:
    assert found(document) == []
    assert rewrite_value(document, Place(()), Redactor(NONE)) == document
    assert redact_text(repr(document), NONE) == repr(document)


@pytest.mark.parametrize(
    "text",
    [
        "('{name}', b'{value}')",
        '"name": "{name}", "type": "header", "value": "{value}"',
        '{{"value": "{value}", "enabled": true, "key": "{name}"',
        '<add key="{name}" value="{value}"/>',
        'header(name="{name}", value="{value}")',
        "{name}:\n    - {value}\n",
        "{name}: ['{value}']",
        "- name: {name}\n  value: {value}\n",
        "- - {name}\n  - {value}\n",
        '\\"name\\": \\"{name}\\", \\"value\\": \\"{value}\\"',
    ],
)
def test_in_a_text_of_no_form_too(text: str) -> None:
    whole = text.format(name=NAME, value=BEARER)
    assert found(f"log: {whole}") == [(f"line {1 + whole[: whole.index(BEARER)].count(chr(10))}", "named secret")]
    assert redact_text(whole, NONE) == text.format(name=NAME, value=MARKER)


@pytest.mark.parametrize("text", ["{name} and then {value}", "need a {name}, {value}", "[{name}], see {value}"])
def test_in_prose_the_next_word_is_no_value(text: str) -> None:
    whole = text.format(name=NAME, value=BEARER)
    assert redact_text(whole, NONE) == whole


def test_yaml_cassettes_keep_the_values_of_a_header_in_a_list() -> None:
    cassette = f"request:\n  headers:\n    {NAME}:\n    - {HEX32}\n    accept:\n    - '*/*'\n"
    assert found(cassette, "c.yaml") == [(f"/request/headers/{NAME}/0", "named secret")]


def test_names_of_a_project_count_beside_their_value() -> None:
    secrets = Secrets({}, Rules(keys=("x-acme-session",)))
    document = {"name": "X-Acme-Session", "value": "blue whale"}
    assert rewrite_value(document, Place(()), Redactor(secrets))["value"] == MARKER
    assert [item.path for item in scan_bytes(json.dumps(document).encode(), secrets)] == ["/value"]
