"""A project's own rules from the command line: the same bytes, a hit with other ids, a rule that is named and helps."""

from __future__ import annotations

import json

import pytest

import stepfork
from tests.integration.stand import Stand

RULES = """
[normalize]
id_fields = ["booking_ref"]
time_fields = ["quoted_at"]
duration_fields = ["took"]
id_patterns = ["ORD-[0-9a-f]{12}"]
literal_patterns = ["support@acme\\\\.example"]
"""
PROGRAM = """
import random, time
ref = "".join(random.choice("ABCDEFGHJKMNPQRSTUVWXYZ") for _ in range(5)) + str(random.randint(2, 9))
order = "ORD-" + "".join(random.choice("0123456789abcdef") for _ in range(12))
quoted = 1_700_000_000 + random.randint(1, 10**7)
told = {"booking_ref": ref, "quoted_at": quoted, "took": random.random(), "order": order}
first = {"role": "user", "content": "Write to support@acme.example about my booking."}
asked = {"id": "call_1", "type": "function", "function": {"name": "book", "arguments": "{}"}}
tool = {"role": "tool", "tool_call_id": "call_1", "content": json.dumps(told)}
ask_all = lambda *messages: call({"model": "test-model", "messages": list(messages)})
ask_all(first)
cancel = {"role": "user", "content": f"Cancel {ref} and {order}."}
ask_all(first, {"role": "assistant", "tool_calls": [asked]}, tool, cancel)
print(ref, order)
"""


def configure(stand: Stand, rules: str) -> None:
    path = stand.store.root / "config.toml"
    path.write_text("format = 1\n" + rules, encoding="utf-8")


def test_captures_are_equal_and_replays_hit_with_other_ids(stand: Stand) -> None:
    configure(stand, RULES)
    printed = stand.capture(PROGRAM).out
    files = stand.files()
    refresh = stand.stepfork("capture", "--refresh", "case", "--yes")
    assert refresh.out != printed
    assert stand.files() == files
    (exchange,) = (one for one in stand.document()["exchanges"] if "Cancel" in json.dumps(one["request"]))
    _, _, tool, cancel = exchange["request"]["body"]["json"]["messages"]
    told = json.loads(tool["content"])
    assert told == {"booking_ref": "{{id_3}}", "quoted_at": 1, "took": 0.0, "order": "ORD-{{id_4}}"}
    assert cancel["content"] == "Cancel {{id_3}} and ORD-{{id_4}}."
    assert "support@acme.example" in json.dumps(stand.document()["exchanges"][0]["request"])
    replay = stand.stepfork("replay", "case", "--", "python", "agent.py")
    assert replay.out != refresh.out
    shown = stand.stepfork("show", "case", "--placeholders").out
    assert "booking_ref" in shown


def test_a_rule_that_a_miss_names_makes_the_older_fixture_replay(stand: Stand) -> None:
    stand.capture(PROGRAM)
    said = stand.stepfork("replay", "case", "--", "python", "agent.py", code=1)
    named = said.err.partition("if that value is noise, in .stepfork/config.toml:\n")[2].splitlines()
    configure(stand, "\n".join(line for line in named if line.startswith("  ")) + "\n")
    stand.stepfork("replay", "case", "--", "python", "agent.py")


def test_doctor_names_the_rules(stand: Stand) -> None:
    stand.agent(PROGRAM)
    said = stand.stepfork("doctor", "--", "python", "agent.py", code=1).out
    assert '[normalize] id_fields = ["booking_ref"] in config.toml' in " ".join(said.split())
    configure(stand, RULES)
    assert "the same, byte for byte" in stand.stepfork("doctor", "--", "python", "agent.py").out


def test_record_and_playback_know_them(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(stand, RULES)
    stand.agent(PROGRAM)
    source = (stand.root / "agent.py").read_text(encoding="utf-8")

    def program() -> None:
        exec(compile(source, "agent.py", "exec"), {"__name__": "agent"})

    for _ in range(2):
        with stepfork.record("block", emit_test=False):
            program()
        files = stand.files()
    with stepfork.record("block", emit_test=False):
        program()
    assert stand.files() == files
    with stepfork.playback("block"):
        program()


def test_spans_alone_are_read_by_them(stand: Stand) -> None:
    configure(stand, RULES)
    told = json.dumps({"booking_ref": "Q7K2MP", "took": 1.5})
    span = {
        "traceId": "01" * 16, "spanId": "02" * 8, "name": "execute_tool book", "startTimeUnixNano": "1000",
        "endTimeUnixNano": "2000", "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
            {"key": "gen_ai.tool.name", "value": {"stringValue": "book"}},
            {"key": "gen_ai.tool.call.result", "value": {"stringValue": told}},
        ],
    }  # fmt: skip
    (stand.root / "spans.json").write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}))
    trace = json.loads(stand.stepfork("trace", "convert", "spans.json").out)
    assert trace["steps"][0]["result"] == {"booking_ref": "{{id_1}}", "took": 0.0}


def test_a_rule_that_cannot_be_used_stops_a_capture_before_it_runs(stand: Stand) -> None:
    configure(stand, '[normalize]\nid_patterns = ["("]\n')
    stand.agent("print('ran')")
    said = stand.stepfork("capture", "--name", "case", "--", "python", "agent.py", code=2)
    assert "entry 1 of normalize.id_patterns does not compile" in said.err
    assert "ran" not in said.out
