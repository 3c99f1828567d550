"""Two answers compared, and the one line that says how they differ."""

from __future__ import annotations

from collections import Counter
from typing import Any

from stepfork.diff.json_diff import json_diff
from stepfork.diff.request_diff import rest_changes
from stepfork.diff.text_diff import changed_lines
from stepfork.diff.values import AnswerDiff
from stepfork.diff.views import View

_TIMES = {1: "once", 2: "twice"}


def diff_answers(old: View, new: View, *, last: bool) -> AnswerDiff | None:
    """What differs between the answers, None where nothing does; `last`: it is the run's final exchange."""
    if old.answer_text == new.answer_text:
        return None
    before, after = dict(old.answered), dict(new.answered)
    lines = changed_lines(before.pop("text"), after.pop("text"))
    fields = rest_changes(before, after) or json_diff(before, after)
    return AnswerDiff(_summary(old.answered, new.answered, last=last), lines, fields)


def _summary(old: dict[str, Any], new: dict[str, Any], *, last: bool) -> str:
    if old["outcome"] != new["outcome"]:
        return f"answer is {new['outcome']}, was {old['outcome']}"
    before, after = old["tool_calls"], new["tool_calls"]
    if _asked(before) != _asked(after):
        if not after:
            return f"assistant answers, asked {_names(before)}"
        if not before:
            return f"assistant asks {_names(after)}, answered"
        return f"assistant asks {_names(after)}, was {_names(before)}"
    said_before, said_after = ([(call["name"], call["arguments"]) for call in calls] for calls in (before, after))
    if said_before != said_after:
        if sorted(said_before) == sorted(said_after):
            return f"assistant asks {_names(after)} in another order"
        different = [a[0] for a, b in zip(said_after, said_before, strict=True) if a != b]
        return f"assistant asks {', '.join(dict.fromkeys(different))} with other arguments"
    if old["text"] != new["text"]:
        return "final answer reworded" if last else "answer reworded"
    names = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    return f"answer differs in {', '.join(names) or 'a detail'}"


def _asked(calls: list[dict[str, Any]]) -> Counter[str]:
    return Counter(call["name"] for call in calls)


def _names(calls: list[dict[str, Any]]) -> str:
    counts = _asked(calls)
    if len(counts) == 1:
        [(name, count)] = counts.items()
        return f"{name} {_TIMES.get(count, f'{count} times')}" if count > 1 else name
    return ", ".join(name if count == 1 else f"{name} ×{count}" for name, count in counts.items())
