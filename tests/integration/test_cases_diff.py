"""What `stepfork diff` prints of changes that structural comparisons miss, multiply or shout about."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.integration.stand import Stand
from tests.integration.wire import CHAT_EVENTS
from tests.unit.diff.conversations import chat, fixture

Messages = Sequence[dict[str, Any]]


def users(*texts: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text} for text in texts]


def tool(name: str, **parameters: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", **parameters}}}


def call(arguments: Any) -> dict[str, Any]:
    function = {"name": "refund", "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]}


def compare(stand: Stand, old: Messages, new: Messages, old_body: Any = None, new_body: Any = None) -> list[str]:
    """The lines of the report on two fixtures of one request each. Every form of the report says that they differ."""
    for name, messages, body in (("old", old, old_body), ("new", new, new_body)):
        stand.store.write(fixture([chat(messages, "ok", **(body or {}))], name=name))
    lines = stand.stepfork("diff", "old", "new", "--exit-code", code=1).out.splitlines()
    document = json.loads(stand.stepfork("diff", "old", "new", "--json").out)
    assert document["changed"] is True
    assert stand.stepfork("diff", "old", "old", "--exit-code").out == "old: no semantic change (1 exchange)\n"
    return [line.strip() for line in lines]


def changed(lines: list[str]) -> list[str]:
    return [line for line in lines if line[:2] in ("- ", "+ ", "~ ")]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ([True], [1], "/stop/0: true → 1"),
        ([2], [2.0], "/stop/0: 2 → 2.0"),
        (1, 1.0, "/stop: 1 → 1.0"),
        ([[0]], [[False]], "/stop/0/0: 0 → false"),
    ],
)
def test_c066_another_type_of_an_equal_value_is_a_change(stand: Stand, old: Any, new: Any, line: str) -> None:
    assert changed(compare(stand, users("x"), users("x"), {"stop": old}, {"stop": new})) == [f"~ {line}"]
    shown = changed(compare(stand, [*users("x"), call({"a": old})], [*users("x"), call({"a": new})]))
    assert shown == [f"~ {line.replace('/stop', '/tool_calls/0/arguments/a')}"]


def test_c066_a_schema_that_lists_false_for_0(stand: Stand) -> None:
    old, new = ({"tools": [tool("refund", properties={"mode": {"enum": values}})]} for values in ([0, 1], [False, 1]))
    lines = compare(stand, users("x"), users("x"), old, new)
    assert changed(lines) == ["~ /parameters/properties/mode/enum/0: 0 → false"]
    assert lines[2].startswith("tool refund ")


def test_c067_names_that_start_with_two_underscores_are_seen(stand: Stand) -> None:
    old, new = ({"tools": [tool("q", properties={"__typename": {"type": kind}})]} for kind in ("string", "integer"))
    shown = changed(compare(stand, users("x"), users("x"), old, new))
    assert shown == ['~ /parameters/properties/__typename/type: "string" → "integer"']
    shown = changed(compare(stand, [call({"__typename": "Order"})], [call({"__typename": "Refund"})]))
    assert shown == ['~ /tool_calls/0/arguments/__typename: "Order" → "Refund"']


def test_c068_each_parameter_that_went_or_changed_is_listed(stand: Stand) -> None:
    old = {"temperature": 0.2, "top_p": 1, "seed": 7, "stop": ["x"]}
    shown = changed(compare(stand, users("x"), users("x"), old, {"temperature": 0.9}))
    assert shown == ["- /seed: 7", '- /stop: ["x"]', "~ /temperature: 0.2 → 0.9", "- /top_p: 1"]


def test_c069_order_and_repetition_of_messages_matter_and_tools_pair_by_name(stand: Stand) -> None:
    lines = compare(stand, users("a", "b", "c"), users("a", "c", "b"))
    assert lines[0].startswith("old → new: 1 authored change ")
    assert "moved" in " ".join(lines)
    result = {"role": "tool", "tool_call_id": "c", "content": "sent"}
    lines = compare(stand, [*users("x"), result, result], [*users("x"), result])
    assert changed(lines)[-1:] == ["- sent"]
    assert len([line for line in lines if line.endswith("sent")]) == 1
    body = {"tools": [tool("a"), tool("b", required=["x"])]}
    other = {"tools": [tool("b", required=["y"]), tool("a")]}
    assert changed(compare(stand, users("x"), users("x"), body, other)) == ['~ /parameters/required/0: "x" → "y"']


def test_c070_a_message_before_thirty_others_is_one_addition(stand: Stand) -> None:
    rest = [{"role": ("user", "assistant")[number % 2], "content": f"m{number}"} for number in range(30)]
    for first in ({"role": "system", "content": "s"}, {"role": "user", "content": "s"}):
        lines = compare(stand, rest, [first, *rest])
        assert lines[0].startswith("old → new: 1 authored change ")
        assert changed(lines)[-1] == "+ s"
        assert not [line for line in lines if line.startswith(("- ", "~ "))]


def test_c071_inputs_that_changed_all_through_end_in_a_count(stand: Stand) -> None:
    def records(side: str) -> str:
        return json.dumps([{"id": f"{side}{number}", "amount": number} for number in range(3_000)])

    old, new = ([*users("x"), {"role": "tool", "tool_call_id": "c", "content": records(side)}] for side in "ab")
    lines = compare(stand, old, new)
    assert len(lines) < 40
    assert lines[-1] == "… 5,981 more changed lines (--full shows them)"


def test_c072_another_spelling_of_the_same_run_is_one_calm_line(stand: Stand) -> None:
    program = """
import pathlib
count = pathlib.Path("count")
again = count.exists()
count.touch()
body = {"model": "test-model", "messages": [{"role": "user", "content": "hi"}], "stream": True}
text = json.dumps(dict(reversed(body.items())), indent=3) if again else json.dumps(body)
call(text.encode())
"""
    waiting = b": keepalive\n\n"

    def answer(asked: Any, line: Any) -> None:
        again = len(stand.model.asked) > 1
        pieces = [waiting] if again else []
        line.stream(*(piece for event in CHAT_EVENTS for piece in (*pieces, event)))

    stand.capture(program, answer)
    said = stand.stepfork("capture", "--refresh", "case", "--yes")
    assert stand.model.asked[0].body != stand.model.asked[1].body
    report = [line for line in said.err.splitlines() if "case: " in line][1:]
    assert report == ["case: no semantic change (1 exchange)"]
    assert "bytes differ" in said.err
    assert "error" not in said.err.lower()
