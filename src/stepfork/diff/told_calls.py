"""Which calls the exchanges of both sides tell already, so that a step does not tell them a second time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stepfork.diff.views import Side


class ToldCalls:
    """What models asked for and were given, by the ids of calls, on both sides."""

    def __init__(self, old: Side, new: Side) -> None:
        self._asked = dict(_asked(old)), dict(_asked(new))
        self._given = dict(_given(old)), dict(_given(new))

    def tells_of(self, call_id: str | None, *, new: bool) -> bool:
        """Whether the exchanges of a side hold a call."""
        return call_id is not None and call_id in self._asked[new]

    def asked_otherwise(self, old: str | None, new: str | None) -> bool:
        """Whether they show that a call got other arguments."""
        return _differ(self._asked, old, new)

    def given_otherwise(self, old: str | None, new: str | None) -> bool:
        """Whether they show that it gave something else."""
        return _differ(self._given, old, new)


def _differ(sides: tuple[dict[str, str], dict[str, str]], old: str | None, new: str | None) -> bool:
    before, after = (None if one is None else side.get(one) for side, one in zip(sides, (old, new), strict=True))
    return None not in (before, after) and before != after


def _asked(side: Side) -> Iterator[tuple[str, str]]:
    for index, view in enumerate(side.views):
        for unit in side.own_units(index):
            yield from _calls(unit.rest)
        yield from _calls(view.answered)


def _calls(holder: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for call in holder.get("tool_calls") or ():
        if isinstance(call, dict) and call.get("id"):
            yield call["id"], call["arguments"]


def _given(side: Side) -> Iterator[tuple[str, str]]:
    for index in range(len(side.views)):
        for unit in side.own_units(index):
            call_id = unit.rest.get("call_id")
            if unit.section == "tool_results" and isinstance(call_id, str) and call_id:
                yield call_id, unit.text
