"""A project that asks for personal data: captured, searched for in every file, and replayed for another customer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stepfork.cli.check_redaction import main as check
from tests.integration.stand import Stand
from tests.integration.wire import Asked, Line

CONFIG = 'format = 1\n[redact]\npersonal = ["phone", "card", "iban"]\nnames = ["Ada Lovelace", "Grace Hopper"]\n'
ADA: dict[str, str] = {
    "name": "Ada Lovelace",
    "phone": "020 7946 0958",
    "e164": "+442079460958",
    "card": "4111 1111" + " 1111 1111",
    "iban": "GB82 WEST" + " 1234 5698 7654 32",
}
GRACE: dict[str, str] = {
    "name": "Grace Hopper",
    "phone": "0161 496 0123",
    "e164": "+441614960123",
    "card": "5555 5555" + " 5555 4444",
    "iban": "DE89 3704" + " 0044 0532 0130 00",
}

AGENT = """
who = json.load(open("customer.json"))
text = f"I am {who['name']}, call {who['phone']}. Charge {who['card']}, refund to {who['iban']}."
messages = [{"role": "user", "content": text}]
spans = []
while True:
    answer = json.loads(call({"model": "test-model", "messages": messages}))
    if "error" in answer:
        sys.exit("the model said no")
    said = answer["choices"][0]["message"]
    spans.append(span(len(spans) + 1))
    messages.append(said)
    if not said.get("tool_calls"):
        break
    for asked in said["tool_calls"]:
        given = json.loads(asked["function"]["arguments"])
        assert given["card"] == int(who["card"].replace(" ", "")), given
        assert given["to"] == who["e164"], given
        assert given["iban"] == who["iban"].replace(" ", ""), given
        assert given["holder"] == who["name"].upper(), given
        result = json.dumps({"charged": given["card"], "sms": given["to"], "note": json.dumps({who["name"]: "paid"})})
        messages.append({"role": "tool", "tool_call_id": asked["id"], "content": result})
        spans.append(span(len(spans) + 1, "execute_tool charge", "execute_tool", gen_ai__tool__name="charge",
                          gen_ai__tool__call__id=asked["id"], gen_ai__tool__call__arguments=json.dumps(given),
                          gen_ai__tool__call__result=result))
export(*spans)
open("said", "w").write(said["content"])
"""


def model(who: dict[str, str]) -> Any:
    def answer(asked: Asked, line: Line) -> None:
        said: dict[str, Any] = {"role": "assistant", "content": f"{who['name']}, {who['card']} was charged."}
        if not any(message["role"] == "tool" for message in json.loads(asked.body)["messages"]):
            given = {
                "card": int(who["card"].replace(" ", "")),
                "to": who["e164"],
                "iban": who["iban"].replace(" ", ""),
                "holder": who["name"].upper(),
            }
            function = {"name": "charge", "arguments": json.dumps(given)}
            said["tool_calls"] = [{"id": "call_1AbCdEf0123456789xyz", "type": "function", "function": function}]
        told = {"id": "chatcmpl-1AbCdEf0123456789", "choices": [{"index": 0, "message": said}]}
        line.whole(json.dumps(told).encode(), "Content-Type: application/json")

    return answer


def be(stand: Stand, who: dict[str, str]) -> None:
    (stand.root / "customer.json").write_text(json.dumps(who))
    stand.model.script = model(who)


@pytest.fixture
def shop(stand: Stand) -> Stand:
    (stand.root / ".stepfork" / "config.toml").write_text(CONFIG)
    stand.agent(AGENT)
    be(stand, ADA)
    return stand


def files(root: Path) -> dict[str, bytes]:
    found = (root / ".stepfork").rglob("*")
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in found
        if path.is_file() and path.name != "config.toml"
    }


CAPTURE = ("capture", "--name", "case", "--", "python", "agent.py")
REPLAY = ("replay", "case", "--executes", "charge", "--", "python", "agent.py")


def test_no_file_holds_a_value_and_another_customer_writes_the_same(shop: Stand) -> None:
    shop.stepfork(*CAPTURE)
    ada = files(shop.root)
    everything = b"".join(ada.values())
    for value in ADA.values():
        for spelled in (value, value.replace(" ", ""), value.upper(), value.lower()):
            assert spelled.encode() not in everything
    for placeholder in ("{{name_1}}", "{{phone_1}}", "{{card_1}}", "{{iban_1}}", "{{card_1:number}}"):
        assert placeholder.encode() in everything
    assert check([".stepfork"]) == 0
    be(shop, GRACE)
    shop.stepfork("capture", "--refresh", "case", "--yes")
    assert files(shop.root) == ada


@pytest.mark.parametrize("who", [ADA, GRACE], ids=["same", "other"])
def test_a_replay_gives_the_customer_of_the_day_its_own(shop: Stand, who: dict[str, str]) -> None:
    shop.stepfork(*CAPTURE)
    be(shop, who)
    said = shop.stepfork(*REPLAY)
    assert "case: replayed" in said.err
    assert (shop.root / "said").read_text() == f"{who['name']}, {who['card']} was charged."


def test_a_result_about_somebody_else_misses(shop: Stand) -> None:
    shop.stepfork(*CAPTURE)
    text = (shop.root / "agent.py").read_text()
    (shop.root / "agent.py").write_text(text.replace('"sms": given["to"]', f'"sms": "{GRACE["e164"]}"'))
    said = shop.stepfork(*REPLAY, code=1)
    assert "miss at model call 2" in said.err
    assert "7946" not in said.err
    assert "496" not in said.err


def test_a_fixture_of_before_is_found_and_redacted_in_place(shop: Stand) -> None:
    config = shop.root / ".stepfork" / "config.toml"
    config.write_text("format = 1\n")
    shop.stepfork(*CAPTURE)
    assert ADA["card"].encode() in b"".join(files(shop.root).values())
    config.write_text(CONFIG)
    assert check([".stepfork"]) == 1
    assert check(["--fix", ".stepfork"]) == 0
    assert check([".stepfork"]) == 0
    fixed = files(shop.root)
    assert b"{{card_1:number}}" in b"".join(fixed.values())
    be(shop, GRACE)
    assert "case: replayed" in shop.stepfork(*REPLAY).err


def test_a_value_in_the_command_is_redacted_and_said(shop: Stand) -> None:
    said = shop.stepfork("capture", "--name", "case", "--explain", "--", "python", "agent.py", "--to", ADA["phone"])
    assert "phone number" in said.err
    assert b"7946" not in b"".join(files(shop.root).values())


def test_what_was_committed_before_is_found(shop: Stand, capfd: pytest.CaptureFixture[str]) -> None:
    (shop.root / "notes.md").write_text(f"Call {ADA['name']} at {ADA['phone']}.\n")
    assert check(["notes.md"]) == 1
    told = capfd.readouterr().out
    assert "line 1   name 1\n" in told
    assert "line 1   phone number\n" in told
    assert "Lovelace" not in told
