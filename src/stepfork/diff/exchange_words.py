"""What an exchange that only one side has is about, in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from stepfork.diff.keys import canonical_text
from stepfork.diff.units import read_json
from stepfork.diff.views import Side
from stepfork.providers.answer import UNREADABLE

_TIMES = {1: "once", 2: "twice"}


def words_of(side: Side, index: int) -> str:
    """``assistant asks issue_refund again``, ``user: Please refund it.``; empty where there is nothing to say."""
    view = side.views[index]
    if is_failed_try(side, index):
        status = view.answer.error.type if view.status < 400 and view.answer.error else view.status
        return f"a try that was answered {status}"
    own = side.own_units(index)
    calls = [call for unit in own for call in unit.rest.get("tool_calls", ())]
    if calls:
        before = view.form.units[: side.owns[index]]
        earlier = {_call(call) for unit in before for call in unit.rest.get("tool_calls", ())}
        if all(_call(call) in earlier for call in calls):
            return f"assistant asks {names_of(calls)} again"
        told = f": {calls[0]['arguments']}" if len(calls) == 1 else ""
        return f"assistant asks {names_of(calls)}{told}"
    said = next((unit for unit in own if unit.role == "user" and unit.text), None)
    return "" if said is None else f"user: {said.text}"


def is_failed_try(side: Side, index: int) -> bool:
    """Whether a provider answered an exchange with an error and the same was asked once more: before it, where calls
    overlapped."""
    error = side.views[index].answer.error
    if error is None or error.type == UNREADABLE:
        return False
    return any(
        side.same_request(index, other) and (other > index or side.views[other].answer.outcome != "error")
        for other in range(len(side.views))
        if other != index
    )


def names_of(calls: Sequence[dict[str, Any]]) -> str:
    """``lookup``, ``issue_refund twice``, ``lookup ×2, issue_refund``."""
    counts = Counter(str(call["name"]) for call in calls)
    if len(counts) == 1:
        [(name, count)] = counts.items()
        return f"{name} {times(count)}" if count > 1 else name
    return listed(counts.items())


def listed(counts: Iterable[tuple[str, int]]) -> str:
    """``lookup ×2, issue_refund``."""
    return ", ".join(name if count == 1 else f"{name} ×{count}" for name, count in counts)


def times(count: int) -> str:
    """``once``, ``twice``, ``3 times``."""
    return _TIMES.get(count, f"{count} times")


def _call(call: dict[str, Any]) -> tuple[str, str]:
    value = read_json(call["arguments"])
    return call["name"], call["arguments"] if value is None else canonical_text(value)
