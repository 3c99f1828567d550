"""Personal data in files, where a project asks for them; in a run what no pseudonym hides goes with the secrets."""

from __future__ import annotations

import base64
import gzip
import json

import pytest

from stepfork.redact.redactor import Redactor, redact_command, redact_run, redact_text
from stepfork.redact.rules import Rules
from stepfork.redact.scan import scan_bytes
from stepfork.redact.secrets import Secrets
from stepfork.rewrite.place import Place
from stepfork.rewrite.value import rewrite_value
from stepfork.trace.body import BytesBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Trace
from tests.unit.redact.samples import OPENAI

PHONE = "+44 20 7946 0958"
CARD = "41111111" + "11111111"
IBAN = "GB82 WEST" + " 1234 5698 7654 32"
NAME = "Ada Lovelace"
RULES = Rules(personal=("phone", "card", "iban"), names=("Grace Hopper", NAME))
SECRETS = Secrets({}, RULES)


def found(text: str, name: str = "", secrets: Secrets = SECRETS.with_personal) -> list[tuple[str, str]]:
    return [(item.rule, item.path) for item in scan_bytes(text.encode(), secrets, name)]


def test_each_class_has_a_rule_and_a_place() -> None:
    document = {"a": [f"call {PHONE}"], "card": int(CARD), "b": json.dumps({"iban": IBAN}), NAME: "x"}
    assert sorted(found(json.dumps(document))) == [
        ("IBAN", "/b/iban"),
        ("name 2", "/<redacted key #1>"),
        ("payment card", "/card"),
        ("phone number", "/a/0"),
    ]
    assert found(json.dumps({"mobile": 4155550123, "order_id": 4155550123, "to": "4155550123"})) == [
        ("phone number", "/mobile")
    ]


@pytest.mark.parametrize(
    ("text", "name", "path"),
    [
        (f"one\ncall {PHONE}\n", "a.txt", "line 2"),
        (f'{{"x": 1}}\n{{"y": "{PHONE}"}}\n', "a.jsonl", "line 2 /y"),
        (f'a:\n  - "{PHONE}"\n', "a.yaml", "/a/0"),
        (f"PHONE={PHONE}\n", ".env", "line 1"),
        (json.dumps({"x": f"a\n{PHONE[:3]}\u00a0{PHONE[4:]}"}), "a.json", "/x"),
        (json.dumps({"phones": ["n/a", "4155550123"]}), "a.json", "/phones/1"),
        (json.dumps({"order": "Write to 020 7946 0958"}), "a.json", "/order"),
    ],
)
def test_every_kind_of_file_is_read(text: str, name: str, path: str) -> None:
    assert found(text, name) == [("phone number", path)]
    assert found(text, name, SECRETS) == []


def test_a_stream_is_read_with_its_deltas_joined() -> None:
    chunks = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in (PHONE[:9], PHONE[9:])]
    events = [f"data: {json.dumps(chunk)}" for chunk in chunks]
    assert [rule for rule, _ in found("\n\n".join(events))] == ["phone number"]
    assert [rule for rule, _ in found(json.dumps({"events": events}))] == ["phone number"]


def test_the_list_of_names_is_no_finding_where_it_is_configured() -> None:
    config = f'format = 1\n[redact]\npersonal = ["phone"]\nnames = ["{NAME}"]\n# call {PHONE}\n'
    assert found(config, ".stepfork/config.toml") == [("phone number", "line 5")]
    assert ("name 2", "line 4") in found(config, "notes.txt")


def test_what_stands_in_a_secret_goes_with_it() -> None:
    key = OPENAI[:20] + "-" + CARD + "-" + OPENAI[20:]
    assert found(json.dumps({"api_key": key})) in ([("openai-key", "/api_key")], [("named secret", "/api_key")])


def test_what_is_no_pseudonym_is_redacted_in_a_run() -> None:
    bytes_body = BytesBody(b"\xff\xfe phone " + PHONE.encode() + b" \x00 " + CARD.encode())
    asked = Request("POST", "/x", "", "application/octet-stream", bytes_body)
    run = Run(
        Source("command", True, ("python", "agent.py", "--to", PHONE, NAME), cwd=f"work/{NAME}"),
        Trace("spans", ()),
        (Exchange("openai", "other", asked, Response(200, headers={"x": PHONE})),),
    )
    made, findings = redact_run(run, SECRETS)
    assert made.source.command == ("python", "agent.py", "--to", "[redacted]", "[redacted]")
    assert made.source.cwd == "work/[redacted]"
    assert made.exchanges[0].request.body.data == b"\xff\xfe phone [redacted] \x00 [redacted]"
    assert made.exchanges[0].response.headers == {"x": PHONE}  # the normaliser's
    assert [(item.rule, item.path) for item in findings] == [
        ("phone number", "/source/command/3"),
        ("name 2", "/source/command/4"),
        ("name 2", "/source/cwd"),
        ("phone number", "/exchanges/0/request/body"),
        ("payment card", "/exchanges/0/request/body"),
    ]
    assert redact_run(made, SECRETS) == (made, ())
    assert redact_run(run, Secrets({}))[0] == run


def test_what_is_shown_holds_none() -> None:
    assert redact_text(f"no answer for {NAME} at {PHONE}", SECRETS) == "no answer for [redacted] at [redacted]"
    assert redact_command(("mail", PHONE), SECRETS) == ("mail", "[redacted]")


def test_a_project_that_asks_for_nothing_pays_nothing() -> None:
    plain = Secrets({})
    assert plain.with_personal is plain
    assert SECRETS.with_personal is SECRETS.with_personal


def test_what_stands_encoded_in_a_run_goes_with_the_secrets() -> None:
    packed = base64.b64encode(gzip.compress(json.dumps({"call": PHONE}).encode())).decode()
    made = rewrite_value({"out": packed, "text": f"call {PHONE}"}, Place(()), Redactor(SECRETS))
    assert made["text"] == f"call {PHONE}", "which becomes a pseudonym"
    assert json.loads(gzip.decompress(base64.b64decode(made["out"]))) == {"call": "[redacted]"}
    assert found(json.dumps({"out": packed})) == [("phone number", "/out/call")]
