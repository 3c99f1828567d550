"""A miss in words."""

from __future__ import annotations

from stepfork.diff.values import FieldChange, Line, MessageChange, ModelChange, RequestDiff, ToolChange
from stepfork.replay.report import Miss
from stepfork.replay.telling import parts_of, place_of, reason_of

FIELD = FieldChange("/x", "changed", 1, 2)
LINES = (Line("-", "a"), Line("+", "b"))


def message(index: int, at: tuple[int | None, int | None], label: str = "", change: str = "changed") -> MessageChange:
    return MessageChange(index, change, "user", label, LINES, (), at=at)  # type: ignore[arg-type]


def test_parts_stand_in_the_order_in_which_components_are_named() -> None:
    difference = RequestDiff(
        model=ModelChange("a", "b"),
        params=(FIELD,),
        system=LINES,
        tools=(ToolChange("refund", "changed", (FIELD,)), ToolChange("notify", "added", (FIELD,))),
        messages=(message(5, (5, 5)), message(1, (None, 1), change="added")),
        tool_results=(message(3, (3, 3), "look_up"), message(4, (4, None), "", "removed")),
        other=(FIELD,),
    )
    assert [part.name for part in parts_of(difference)] == [
        "model",
        "parameters",
        "system prompt",
        "tool refund",
        "tool notify (added)",
        "message 1 (user, added)",
        "message 3 (tool result look_up)",
        "message 4 (tool result, removed)",
        "message 5 (user)",
        "other fields",
    ]
    assert parts_of(difference)[0].fields == (FieldChange("", "changed", "a", "b"),)
    assert parts_of(RequestDiff()) == ()


def test_each_kind_of_miss_says_why() -> None:
    label = "openai chat_completions m"
    assert reason_of(Miss(2, "exhausted", "count", label, recorded=3, asked=4)) == "recorded 3×, asked 4×"
    assert reason_of(Miss(2, "roles", "roles", label)) == "addresses stand in other roles than recorded"
    assert reason_of(Miss(2, "unrecorded", "exchange", label)) == f"nothing was recorded of {label}"
    assert reason_of(Miss(2, "changed", "system", label, difference=RequestDiff(system=LINES))) == "system prompt"
    assert reason_of(Miss(2, "changed", "params", label)) == "parameters"


def test_the_place_of_a_call_past_the_last_recorded_one_says_so() -> None:
    assert place_of(Miss(2, "changed", "model", ""), 5) == "model call 3 of 5"
    assert place_of(Miss(5, "exhausted", "count", ""), 5) == "model call 6 (5 recorded)"
