"""Which tools a replay runs for real, asked before anything runs.

Model answers come from a fixture, and a fixture comes in pull requests: an answer that asks for a tool makes the agent
run it. So what counts is every call that the recorded answers ask for, beside those that the trace tells of; whoever
starts a replay lists the tools that may run, and what is not listed does not get as far as starting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import msgspec

from stepfork.providers.calls import bare_tool
from stepfork.replay.answerable import answered_tools
from stepfork.replay.asked import asked_tools
from stepfork.trace.fixture import Run
from stepfork.trace.step import Trace


def recorded_tools(run: Run) -> tuple[str, ...]:
    """The tools that a replay of `run` may execute, each once, in order of first appearance: those of the trace's
    steps, then those that only answers ask for. A server's name before the tool's own (``mcp__orders__``) is left
    out, and so are tools that are answered from the recording."""
    answered = answered_tools(run)
    return tuple(name for name in named_tools(run) if name not in answered)


def named_tools(run: Run) -> tuple[str, ...]:
    """The same with those that a replay would answer: a recording that only the model's answers are taken from answers
    no tool, instrumented or not."""
    told = [step.name for step in run.trace.steps if step.type == "tool_call"]
    asked = [name for exchange in run.exchanges for name in asked_tools(exchange)]
    return tuple(dict.fromkeys(bare_tool(name) for name in (*told, *asked)))


def unlisted_tools(run: Run, listed: Collection[str], served: Collection[str] = ()) -> tuple[str, ...]:
    """The recorded tools that are neither `listed` as ones that may run nor `served` by a route."""
    known = {bare_tool(name) for name in (*listed, *served)}
    return tuple(name for name in recorded_tools(run) if name not in known)


def executed_tools(trace: Trace) -> dict[str, int]:
    """How often the tools of a new run ran, in order of their first call.

    A trace without spans tells what the model asked for: of that counts what it was given a result of.
    """
    tools = [step for step in trace.steps if step.type == "tool_call"]
    ran = [step for step in tools if trace.origin != "exchanges" or step.result is not msgspec.UNSET]
    return dict(Counter(bare_tool(step.name) for step in ran))
