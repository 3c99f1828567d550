"""Which recorded calls a replay of a command answers instead of letting them run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stepfork.providers.calls import bare_tool
from stepfork.replay.frozen_calls import RecordedCall, recorded_calls
from stepfork.trace.fixture import Run


def answerable(run: Run) -> list[RecordedCall]:
    """The instrumented calls that have an end, but for model calls that went over HTTP, where they are answered, and
    for what was called inside of one that is answered, which is not asked for."""
    return _Answerable(run).calls


def answered_tools(run: Run) -> frozenset[str]:
    """The tools of which no recorded call runs in a replay of a program that is instrumented as it was."""
    found = _Answerable(run)
    return frozenset(found.tools(told=True)) - found.tools(told=False)


def answered_in_order(run: Run) -> tuple[str, ...]:
    """`answered_tools`, in order of their first step."""
    answered = answered_tools(run)
    names = dict.fromkeys(bare_tool(step.name) for step in run.trace.steps if step.type == "tool_call")
    return tuple(name for name in names if name in answered)


def exchanges_inside(run: Run) -> frozenset[int]:
    """The exchanges that were made inside of a call that is answered: nobody asks for them."""
    steps, calls = run.trace.steps, _Answerable(run).indices()
    found = set[int]()
    for step in steps:
        above, seen = step.parent, set[int]()
        while step.exchange is not None and above is not None and 0 <= above < len(steps) and above not in seen:
            if above in calls:
                found.add(step.exchange)
                break
            seen.add(above)
            above = steps[above].parent
    return frozenset(found)


class _Answerable:
    def __init__(self, run: Run) -> None:
        self._run = run
        self._steps = [index for index, step in enumerate(run.trace.steps) if step.instrumented]
        self._recorded: Sequence[RecordedCall] = recorded_calls(run) if self._steps else ()
        self._numbers: set[int] = set()
        self.calls = [
            call for call, index in zip(self._recorded, self._steps, strict=True) if self._counts(call, index)
        ]

    def indices(self) -> set[int]:
        """The steps of the calls."""
        return {self._steps[number] for number in self._numbers}

    def tools(self, *, told: bool) -> set[str]:
        """The tools with calls that are answered, or not made since the one around them is; or with others."""
        never = {
            index
            for call, index in zip(self._recorded, self._steps, strict=True)
            if call.number in self._numbers or self._is_inside(call)
        }
        steps = self._run.trace.steps
        return {
            bare_tool(step.name) for at, step in enumerate(steps) if step.type == "tool_call" and (at in never) == told
        }

    def _counts(self, call: RecordedCall, index: int) -> bool:
        """Whether a call is answered; calls come in stored order, those around one before it."""
        exchange = self._run.trace.steps[index].exchange
        over_http = exchange is not None and not self._run.exchanges[exchange].in_process
        if not call.can_answer or (call.type == "llm_call" and over_http) or self._is_inside(call):
            return False
        self._numbers.add(call.number)
        return True

    def _is_inside(self, call: RecordedCall) -> bool:
        return any(number in self._numbers for number in _above(call, self._recorded))


def _above(call: RecordedCall, calls: Sequence[RecordedCall]) -> Iterable[int]:
    """The numbers of the calls around one."""
    seen: set[int] = set()
    above = call.parent
    while above is not None and above not in seen:
        yield above
        seen.add(above)
        above = calls[above].parent
