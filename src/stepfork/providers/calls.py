"""What an answer is made of, the same for all APIs."""

from __future__ import annotations

from typing import Literal

import msgspec

from stepfork.trace.step import StepError, Usage

Outcome = Literal["ok", "error", "incomplete", "unfinished"]
"""``ok``: answered. ``error``: the provider said no, by its status, in its body or in the middle of a stream.
``incomplete``: answered, but cut by a limit or a filter, as the provider itself says; the recording is complete.
``unfinished``: the recording ends before the answer does."""


class ToolCall(msgspec.Struct, frozen=True):
    """A call that the model asks the agent to make.

    ``arguments`` is JSON text as the model wrote it where the API sends text, else written with sorted members. A call
    without an id (the older ``function_call``) has an empty one.
    """

    id: str
    name: str
    arguments: str


def bare_tool(name: str) -> str:
    """The tool's own name, where a client put the server's before it: ``mcp__orders__lookup``."""
    return name.rpartition("__")[2] if name.startswith("mcp__") else name


class ToolResult(msgspec.Struct, frozen=True):
    """What the agent gave back for a call. ``name`` is the tool's, from the call with the same id, None if unknown."""

    call_id: str
    name: str | None
    text: str


class Answer(msgspec.Struct, frozen=True):
    """What the provider answered. ``text`` is the first choice's (its refusal where that is all there is);
    ``finish_reasons`` are the provider's words, one a choice; ``error`` is set exactly when ``outcome`` is ``error``;
    ``cost_usd`` is what the provider says it bills, None where it does not say.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    model: str | None = None
    usage: Usage | None = None
    finish_reasons: tuple[str, ...] = ()
    outcome: Outcome = "ok"
    error: StepError | None = None
    reasoning: str = ""
    cost_usd: float | None = None
