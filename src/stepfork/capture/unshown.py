"""Calls that a model was given a result of though no tool span shows them: tools that ran unseen, or no tools at all.

How an agent gives its answer (output tools of Pydantic AI) and how it hands over to another one (OpenAI Agents) are
calls to the model and tools to nobody. What tells them from tools that ran unseen is where they stand: with them an
agent's span ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from stepfork.trace.step import Step


class Wanted(msgspec.Struct, frozen=True):
    """A call that a model asked for and was given a result of, with the indexes of the model steps that asked and that
    were given it first, None where that is no step."""

    name: str
    call_id: str
    asked_by: int | None
    given_to: int | None


def unshown(steps: Sequence[Step], wanted: Sequence[Wanted]) -> Iterator[Wanted]:
    """Those of the calls that ran unseen. Steps are of any origin: parents that are no earlier steps count as none."""
    shown = {step.call_id for step in steps if step.type == "tool_call"}
    unseen = [one for one in wanted if one.call_id not in shown]
    if not unseen:
        return
    last = _last_models(steps)
    ends = {one: _is_end(steps, one, last) for one in unseen}
    tools = {step.name for step in steps if step.type == "tool_call"}
    # One that was refused (it does not validate) is asked for again, until one ends the run.
    outputs = {one.name for one in unseen if ends[one] == "output"} - tools
    together = Counter(one.asked_by for one in unseen)
    for one in unseen:
        handed_over = ends[one] == "handoff" and together[one.asked_by] == 1
        if ends[one] != "output" and one.name not in outputs and not handed_over:
            yield one


def _is_end(steps: Sequence[Step], one: Wanted, last: dict[int, int]) -> str:
    """What an agent ended with where the answer that asked was its last: `output` where its span tells what came out,
    `handoff` where the next one to go on is another agent; else nothing."""
    agent = _agent(steps, one.asked_by)
    if agent is None or last[agent] != one.asked_by:
        return ""
    if steps[agent].result is not msgspec.UNSET:
        return "output"
    next_ = _agent(steps, one.given_to)
    if next_ is None or steps[next_].name == steps[agent].name or agent in _line(steps, next_):
        return ""
    return "handoff"


def _last_models(steps: Sequence[Step]) -> dict[int, int]:
    """The last model step of each agent."""
    found: dict[int, int] = {}
    for index, step in enumerate(steps):
        agent = _agent(steps, index) if step.type == "llm_call" else None
        if agent is not None:
            found[agent] = index
    return found


def _agent(steps: Sequence[Step], index: int | None) -> int | None:
    """The nearest agent above a step."""
    return next((at for at in _line(steps, index) if steps[at].type == "agent_call"), None)


def _line(steps: Sequence[Step], index: int | None) -> Iterator[int]:
    """The steps above a step, from the nearest."""
    while index is not None:
        parent = steps[index].parent
        index = parent if parent is not None and 0 <= parent < index else None
        if index is not None:
            yield index
