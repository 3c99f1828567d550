"""Two answers compared, and the one line that says how they differ."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, cast

from stepfork.diff.exchange_words import names_of, times
from stepfork.diff.json_diff import json_diff
from stepfork.diff.request_diff import rest_changes
from stepfork.diff.text_diff import changed_lines
from stepfork.diff.values import AnswerDiff, FieldChange, Line
from stepfork.diff.views import View
from stepfork.providers.shapes import json_text

_CALL = re.compile(r"/tool_calls/[0-9]+")


def diff_answers(old: View, new: View, *, last: bool) -> AnswerDiff | None:
    """What differs between the answers, None where nothing does; `last`: it is the run's final exchange."""
    if old.answer_text == new.answer_text:
        return None
    before, after = dict(old.answered), dict(new.answered)
    if old.kind[1] != new.kind[1]:  # each API has its own words for an answer that is whole
        before.pop("finish_reasons")
        after.pop("finish_reasons")
        if before == after:
            return None
    lines = changed_lines(before.pop("text"), after.pop("text"))
    fields = rest_changes(before, after) or json_diff(before, after)
    calls = tuple(_call_line(field) for field in fields if _is_whole_call(field))
    others = tuple(field for field in fields if not _is_whole_call(field))
    return AnswerDiff(_summary(old.answered, new.answered, last=last), (*lines, *calls), others)


def _is_whole_call(field: FieldChange) -> bool:
    return field.change in ("added", "removed") and _CALL.fullmatch(field.path) is not None


def _call_line(field: FieldChange) -> Line:
    """A call that only one side asks for, as an added or removed message shows it."""
    call = cast(dict[str, Any], field.new if field.change == "added" else field.old)
    asked = call["arguments"]
    told = asked if isinstance(asked, str) else json_text(asked)
    return Line("+" if field.change == "added" else "-", f"→ {call['name']} {told}")


def _summary(old: dict[str, Any], new: dict[str, Any], *, last: bool) -> str:
    if old["outcome"] != new["outcome"]:
        return f"answer is {new['outcome']}, was {old['outcome']}"
    before, after = old["tool_calls"], new["tool_calls"]
    if _asked(before) != _asked(after):
        if not after:
            return f"assistant answers, asked {names_of(before)}"
        if not before:
            return f"assistant asks {names_of(after)}, answered"
        if _asked(before).keys() == _asked(after).keys() and len(_asked(after)) == 1:
            return f"assistant asks {after[0]['name']} {times(len(after))}, was {times(len(before))}"
        return f"assistant asks {names_of(after)}, was {names_of(before)}"
    said_before, said_after = ([(call["name"], call["arguments"]) for call in calls] for calls in (before, after))
    if said_before != said_after:
        if sorted(said_before) == sorted(said_after):
            return f"assistant asks {names_of(after)} in another order"
        different = [a[0] for a, b in zip(said_after, said_before, strict=True) if a != b]
        return f"assistant asks {', '.join(dict.fromkeys(different))} with other arguments"
    if old["text"] != new["text"]:
        return "final answer reworded" if last else "answer reworded"
    names = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    return f"answer differs in {', '.join(names) or 'a detail'}"


def _asked(calls: list[dict[str, Any]]) -> Counter[str]:
    return Counter(call["name"] for call in calls)
