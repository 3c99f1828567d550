"""The tool calls of one side of a comparison: how often the run made each, and how often one ended in an error.

A conversation repeats in each request what was said before. A call counts where it was made, in the answer that asks
for it or in the exchange that brought it into the conversation; its result in the exchange that brought that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from stepfork.diff.units import Unit, read_json
from stepfork.diff.views import Side
from stepfork.providers.calls import bare_tool
from stepfork.providers.shapes import dict_of
from stepfork.trace.body import JsonValue
from stepfork.trace.fixture import Run
from stepfork.trace.step import Step

_FLAGS = ("isError", "is_error")
"""How a result says that it is an error: the Model Context Protocol's word, and that of the Messages API."""


class SideCalls(msgspec.Struct, frozen=True):
    """Numbers of calls by tool: ``asked`` by models, ``given_errors`` of results that are errors, and both as the
    steps of the trace tell them, ``done`` and ``failed``. ``unasked`` are those done of which no model's call is known.
    ``by_spans``: the steps were watched, not derived; ``models``: the run has exchanges; ``in_process``: it
    was a block of code, whose calls are told where there are any."""

    asked: Counter[str]
    given_errors: Counter[str]
    done: Counter[str]
    failed: Counter[str]
    unasked: Counter[str]
    by_spans: bool
    models: bool
    in_process: bool


def side_calls(side: Side, run: Run) -> SideCalls:
    """What one side's run called."""
    trace = run.trace
    steps = [step for step in trace.steps if step.type == "tool_call"]
    return SideCalls(
        asked=Counter(_asked(side)),
        given_errors=Counter(_given_errors(side)),
        done=Counter(bare_tool(step.name) for step in steps),
        failed=Counter(bare_tool(step.name) for step in steps if _failed(step)),
        unasked=Counter(bare_tool(step.name) for step in steps if step.instrumented and step.call_id is None),
        by_spans=trace.origin != "exchanges" or any(step.instrumented for step in steps),
        models=bool(side.views),
        in_process=run.source.kind == "in_process",
    )


def dropped(old: SideCalls, new: SideCalls) -> Iterator[tuple[str, int, int]]:
    """Tool, old and new number of each tool that was called more often before.

    Where both sides watched the tool at work, what was done counts, else what the models asked for; where one side
    tells one of these and the other the other, nothing is said. What a program did that no model had asked for is gone
    where nothing tells of it any more.
    """
    alike = old.by_spans == new.by_spans
    for tool in sorted(old.asked.keys() | old.done.keys()):
        own = old.unasked[tool] and new.in_process
        if own or (old.by_spans and new.by_spans and old.done[tool]):
            before, after = old.done[tool], new.done[tool]
        elif old.models and new.models:
            before, after = old.asked[tool], new.asked[tool]
        elif alike:
            before, after = old.done[tool], new.done[tool]
        else:
            continue
        if after < before:
            yield tool, before, after


def now_failing(old: SideCalls, new: SideCalls) -> Iterator[tuple[str, int, int]]:
    """Tool, old and new number of failing calls, where there are more of them."""
    for tool in sorted(new.given_errors.keys() | new.failed.keys()):
        pairs = [(old.given_errors[tool], new.given_errors[tool])] if old.models else []
        pairs += [(old.failed[tool], new.failed[tool])] if old.by_spans == new.by_spans else []
        grown = [pair for pair in pairs if pair[1] > pair[0]]
        if grown:
            yield tool, *max(grown, key=lambda pair: pair[1] - pair[0])


def _asked(side: Side) -> Iterator[str]:
    known: set[str] = set()
    for view in side.views:
        if view.answer.outcome in ("ok", "incomplete"):  # what was cut off is asked again
            for call in _calls(view.answered):
                known.add(call["id"])
                yield bare_tool(call["name"])
    for index in range(len(side.views)):
        if side.bases[index] is None:  # its history was there before the run
            continue
        for unit in side.own_units(index):
            for call in _calls(unit.rest):
                if call["id"] and call["id"] not in known:
                    known.add(call["id"])
                    yield bare_tool(call["name"])


def _calls(holder: dict[str, Any]) -> list[dict[str, str]]:
    return holder.get("tool_calls") or []


def _given_errors(side: Side) -> Iterator[str]:
    known: set[tuple[str, str, str]] = set()
    for index, view in enumerate(side.views):
        for unit in failed_results(view.form.units, side.owns[index]):
            key = (unit.rest["call_id"], unit.label, unit.text)
            if not (key[0] and key in known):
                known.add(key)
                yield bare_tool(unit.label)


def failed_results(units: Sequence[Unit], start: int) -> Iterator[Unit]:
    """Each tool result from `start` on that says that it is an error."""
    first = start
    while 0 < first < len(units) and units[first - 1].index == units[first].index:  # its message has the flags
        first -= 1
    flags: list[bool] = []
    for at in range(first, len(units)):
        unit = units[at]
        if at == first or unit.index != units[at - 1].index:
            flags = list(_flags(units, at))
        if unit.section == "tool_results":
            flagged = flags.pop(0) if flags else False
            if at >= start and (flagged or _says_error(unit.text)):
                yield unit


def _flags(units: Sequence[Unit], start: int) -> Iterator[bool]:
    """For each result of the message whose first unit stands at `start`, whether its block has the flag."""
    for at in range(start, len(units)):
        if units[at].index != units[start].index:
            return
        extra = dict_of(units[at].rest.get("extra"))
        if not extra:
            continue
        if "result" in extra or _is_flagged(extra.get("rest")):
            yield _is_flagged(extra.get("rest")) or _is_flagged(dict_of(extra.get("result")).get("rest"))
        content = extra.get("content")
        for entry in content if isinstance(content, list) else []:
            if entry == "tool_result" or (isinstance(entry, dict) and "tool_result" in entry):
                told = dict_of(entry).get("tool_result")
                yield _is_flagged(dict_of(told).get("rest"))
        return


def _is_flagged(value: JsonValue) -> bool:
    return any(dict_of(value).get(name) is True for name in _FLAGS)


def _says_error(text: str) -> bool:
    return any(name in text for name in _FLAGS) and _is_flagged(read_json(text))


def _failed(step: Step) -> bool:
    return step.error is not None or (step.result is not msgspec.UNSET and _is_flagged(step.result))
