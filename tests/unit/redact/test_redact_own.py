"""What a project adds to the rules: its names and its patterns, wherever a run or a file has them."""

from __future__ import annotations

import json

import pytest

from stepfork.redact.own_names import OwnNames
from stepfork.redact.own_patterns import OwnPatterns, leading_literal
from stepfork.redact.query import query_secrets
from stepfork.redact.redactor import Redactor, redact_text
from stepfork.redact.rules import Rules
from stepfork.redact.scan import scan_bytes
from stepfork.redact.secrets import Secrets
from stepfork.rewrite.place import Place
from stepfork.rewrite.value import rewrite_value
from tests.unit.redact.samples import HEX32

R = "[redacted]"
VALUE = "plain words"
KEYS = Rules(keys=("x-acme-session", "Crew Code"), variables=("ACME_LICENCE",))
PATTERNS = Rules(
    patterns={"acme-key": "acme_[a-z0-9]{8}", "ticket": r"(?i)ticket[:=]\s*(\w+)", "pin": r"\b(\d{3})-(\d{3})\b"}
)
OWN = Secrets({}, KEYS)


def document(value: object, secrets: Secrets = OWN) -> object:
    return rewrite_value(value, Place(()), Redactor(secrets))


@pytest.mark.parametrize("name", ["x-acme-session", "X-Acme-Session", "X_ACME_SESSION", "xAcmeSession", "crew_code"])
def test_a_member_of_any_spelling_loses_its_value(name: str) -> None:
    assert document({name: VALUE, "other": VALUE}) == {name: R, "other": VALUE}
    assert document({"deep": [{name: [VALUE, 17, None, True]}]}) == {"deep": [{name: [R, R, None, True]}]}
    inner = json.dumps({"a": json.dumps({name: VALUE})})
    assert json.loads(json.loads(str(document(inner)))["a"]) == {name: R}


def test_words_that_are_cut_otherwise_are_another_name() -> None:
    for name in ("x-ac-me-session", "xacme-ses-sion"):
        assert document({name: VALUE}) == {name: VALUE}


def test_a_list_of_pairs_and_a_list_of_arguments() -> None:
    assert document({"headers": [["X-Acme-Session", "ab"], ["a", "x-acme-session"]]}) == {
        "headers": [["X-Acme-Session", R], ["a", "x-acme-session"]]
    }
    assert document(["app", "--x-acme-session", "ab", "--x-acme-session", "-v"]) == [
        *("app", "--x-acme-session", R, "--x-acme-session", "-v")
    ]
    assert document({"required": ["x-acme-session", "page"]}) == {"required": ["x-acme-session", "page"]}
    assert document({"http.request.header.x-acme-session": ["ab"]}) == {"http.request.header.x-acme-session": [R]}


def test_what_stands_below_such_a_member_goes_too() -> None:
    assert document({"x-acme-session": {"id": VALUE, "tries": 3}}) == {"x-acme-session": {"id": R, "tries": R}}


def test_a_field_of_a_schema_is_described_and_has_no_value() -> None:
    schema = {"type": "object", "properties": {"crew_code": {"type": "string"}}, "required": ["crew_code"]}
    assert document(schema) == schema


@pytest.mark.parametrize(
    "value",
    [R, "${ACME_SESSION}", "$ACME_SESSION", "{{session}}", "<session>", "%SESSION%", "***", "Bearer ${X}", "", " "],
)
def test_what_marks_the_place_of_a_value_stays(value: str) -> None:
    assert document({"x-acme-session": value}) == {"x-acme-session": value}
    text = f'x-acme-session="{value}"'
    assert redact_text(text, OWN) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("X-Acme-Session: two words; and=more\r\nHost: a", f"X-Acme-Session: {R}\r\nHost: a"),
        ('curl -H "X-Acme-Session: two words" https://a.example', f'curl -H "X-Acme-Session: {R}" https://a.example'),
        ("x_acme_session=abc&page=2", f"x_acme_session={R}&page=2"),
        ("GET /v1?x-acme-session=abc&page=2 HTTP/1.1", f"GET /v1?x-acme-session={R}&page=2 HTTP/1.1"),
        ("{'x_acme_session': 'it''s', 'b': 1}", f"{{'x_acme_session': '{R}''s', 'b': 1}}"),
        ("run --x-acme-session abc now", f"run --x-acme-session {R} now"),
        ("export ACME_LICENCE=abc", f"export ACME_LICENCE={R}"),
        ("<xAcmeSession>abc</xAcmeSession>", f"<xAcmeSession>{R}</xAcmeSession>"),
        ('cut short: {"x_acme_session": "abc def', f'cut short: {{"x_acme_session": "{R}'),
        ("request.headers.x_acme_session = 'abc'", f"request.headers.x_acme_session = '{R}'"),
        ('Crew-Code: sid="a"; b=1', f"Crew-Code: {R}"),
        ("[(b'x-acme-session', b'ab'), (b'a', b'b')]", f"[(b'x-acme-session', b'{R}'), (b'a', b'b')]"),
        ('see [["x-acme-session", "ab"]]', f'see [["x-acme-session", "{R}"]]'),
        ('name="x_acme_session"\r\n\r\na b\r\n--b', f'name="x_acme_session"\r\n\r\n{R}\r\n--b'),
    ],
)
def test_in_text_the_value_goes_as_far_as_it_reaches(text: str, left: str) -> None:
    assert redact_text(text, OWN) == left
    assert redact_text(left, OWN) == left


@pytest.mark.parametrize(
    "text",
    [
        "the x-acme-session header",
        "x_acme_session: str | None = None",
        "x_acme_session = read_session()",
        "acme_licence=abc",
        'see "required": ["x-acme-session", "page"]',
        "x-acme-sessions: abc",
        "max-acme-session: abc",
    ],
)
def test_other_text_stays(text: str) -> None:
    assert redact_text(text, OWN) == text


def test_flags_variables_and_parameters_of_a_command_and_a_path() -> None:
    command = ("env", "ACME_LICENCE=a", "run", "--x-acme-session", "b", "--xAcmeSession=c", "--page", "d")
    made = Redactor(OWN).command(command)
    assert made == ("env", f"ACME_LICENCE={R}", "run", "--x-acme-session", R, f"--xAcmeSession={R}", "--page", "d")
    left = ("run", "--x-acme-session", "${SESSION}", "--x-acme-session=$SESSION", "--x-acme-session", "--page", "2")
    assert Redactor(OWN).command(left) == left
    path = rewrite_value(
        "/v1/x?x-acme-session=plain words&page=2", Place(("exchange", 0, "request"), ("path",)), Redactor(OWN)
    )
    assert path == f"/v1/x?x-acme-session={R}&page=2"
    query = "page=1&x%2Dacme%2Dsession=b"
    assert [query[span.start : span.end] for span in query_secrets(query, own=OwnNames(KEYS.keys))] == ["b"]


def test_the_value_of_such_a_variable_is_known() -> None:
    secrets = Secrets.collect({"ACME_LICENCE": VALUE, "CREW_CODE": "other words"}, {}, KEYS)
    assert redact_text(f"{VALUE}, other words", secrets) == f"{R}, {R}"
    assert not Secrets.collect({"ACME_LICENCE": VALUE}, {}).known.plain


def test_a_file_of_variables() -> None:
    found = scan_bytes(b"A=1\nexport ACME_LICENCE=abc\nCREW_CODE='x y'\n", OWN, "deploy/.env")
    assert [item.path for item in found] == ["line 2", "line 3"]


def test_a_pattern_reports_under_its_own_name_and_its_groups_are_the_secret() -> None:
    secrets = Secrets({}, PATTERNS)
    text = "acme_abcd1234, Ticket: 77x, 123-456"
    assert redact_text(text, secrets) == f"{R}, Ticket: {R}, {R}-{R}"
    found = scan_bytes(json.dumps({"a": text, "n": 1}).encode(), secrets)
    assert {item.rule for item in found} == {"acme-key", "ticket", "pin"}
    assert document({"acme_abcd1234": 1}, secrets) == {R: 1}


def test_a_pattern_of_digits_finds_numbers() -> None:
    secrets = Secrets({}, Rules(patterns={"member": r"\b77\d{6}\b"}))
    assert document({"id": 77123456, "other": 1}, secrets) == {"id": R, "other": 1}
    assert document({"n": "771234567"}, secrets) == {"n": "771234567"}


@pytest.mark.parametrize("depth", range(4))
@pytest.mark.parametrize("source", ["^acme:[a-z]+$", "acme:[a-z]+", "(?i)ACME:[a-z]+", "[a-z]{4}:secretive"])
def test_the_look_ahead_misses_nothing(source: str, depth: int) -> None:
    text = json.dumps(["first\nline", "acme:secretive"])
    for _ in range(depth):
        text = json.dumps({"a": text})
    assert len(scan_bytes(text.encode(), Secrets({}, Rules(patterns={"own": source})))) == 1


def test_clean_files_are_not_read_for_patterns_with_a_literal() -> None:
    secrets = Secrets({}, Rules(keys=("x-acme-session",), patterns={"own": "acme_[a-z]+"}))
    assert not secrets.prefilter.may_hold_secret('{"session": "acme"}')
    assert secrets.prefilter.may_hold_secret('{"XAcmeSession": 1}')


@pytest.mark.parametrize(
    ("source", "literal"),
    [
        ("acme_[a-z0-9]{32}", "acme_"),
        (r"\bacme-live-(\w+)", "acme-live-"),
        ("acme?x", "acm"),
        ("acme{2}", "acm"),
        ("acme|other", ""),
        ("acme(?:x|y)z", "acme"),
        ("acme[^]|]x", "acme"),
        ("acme[^]x]|y", ""),
        (r"acme\|x", "acme"),
        ("(acme)x", ""),
        ("(?i)acme", ""),
        ("ac.me", ""),
        ("acme:x", "acme"),
    ],
)
def test_the_literal_that_a_pattern_begins_with(source: str, literal: str) -> None:
    assert leading_literal(source) == literal


def test_a_project_without_rules_pays_nothing() -> None:
    assert not OwnNames().may_stand_in("session")
    assert OwnPatterns({}).literals == []


def test_a_field_of_a_form_and_pairs_as_python_prints_them_need_no_project() -> None:
    form = f'Content-Disposition: form-data; name="api_key"; x="k"\r\nContent-Type: a/b\r\n\r\n{HEX32}\r\n--b'
    assert redact_text(form, Secrets({})) == form.replace(HEX32, R)
    assert scan_bytes(f"[(b'api-key', b'{HEX32}')]".encode(), Secrets({}))
