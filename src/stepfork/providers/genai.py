"""GenAI span attributes, current and older, to the fields of a step.

The names are those of the OpenTelemetry GenAI conventions (and of the versions before), and what frameworks that
follow them loosely use: Pydantic AI, LangSmith, Claude Code, Strands. Nothing is guessed from a span that names no
operation, Claude Code's own spans apart: half-instrumented spans would count model calls twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from stepfork.providers.calls import bare_tool
from stepfork.providers.cost import told_cost
from stepfork.providers.genai_tools import arguments_of, result_of
from stepfork.providers.genai_values import exact_value, structured
from stepfork.providers.shapes import text_or_none
from stepfork.trace.body import JsonValue
from stepfork.trace.span import Span
from stepfork.trace.step import StepError, StepType, Usage

_OPERATIONS: dict[str, StepType] = {
    "chat": "llm_call",
    "text_completion": "llm_call",
    "generate_content": "llm_call",
    "embeddings": "llm_call",
    "call_llm": "llm_call",
    "execute_tool": "tool_call",
    "invoke_agent": "agent_call",
    "create_agent": "agent_call",
    "retrieval": "retrieval",
}
# Releases of Claude Code whose spans do not name their operation yet.
_CLAUDE_CODE = {
    "claude_code.llm_request": "chat",
    "claude_code.tool": "execute_tool",
    "claude_code.interaction": "invoke_agent",
}
_INPUT_TOKENS = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "input_tokens")
_OUTPUT_TOKENS = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "output_tokens")
_CACHED_TOKENS = (
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "gen_ai.usage.details.cache_read_tokens",
    "gen_ai.usage.details.cached_tokens",
    "cache_read_tokens",
)
_MODELS = ("gen_ai.response.model", "gen_ai.request.model", "model")
_CALL_IDS = ("gen_ai.tool.call.id", "gen_ai.tool.call_id", "tool_use_id")
_FINISH = ("gen_ai.response.finish_reasons", "gen_ai.response.finish_reason", "stop_reason")


class GenAiStep(msgspec.Struct, frozen=True):
    """What one span says about the step that it is. ``operation`` is the GenAI one; ``response_id`` and ``cost_usd``
    are None where the span does not say; ``bad`` names attributes whose value is of another type than theirs."""

    type: StepType
    operation: str
    name: str
    call_id: str | None = None
    arguments: JsonValue | msgspec.UnsetType = msgspec.UNSET
    result: JsonValue | msgspec.UnsetType = msgspec.UNSET
    error: StepError | None = None
    model: str | None = None
    usage: Usage | None = None
    finish_reasons: tuple[str, ...] = ()
    response_id: str | None = None
    cost_usd: float | None = None
    bad: tuple[str, ...] = ()


def operation_of(span: Span) -> str | None:
    """The GenAI operation that a span names, None where it names none."""
    return text_or_none(span.attributes.get("gen_ai.operation.name")) or _CLAUDE_CODE.get(span.name)


def step_type(span: Span) -> StepType | None:
    """The type of step that a span is; None for ``chain``, ``agent_step``, any unknown operation, and none."""
    return _OPERATIONS.get(operation_of(span) or "")


def step_of(span: Span) -> GenAiStep | None:
    """The step that a span is, None where it is none (see `step_type`)."""
    operation, kind = operation_of(span), step_type(span)
    if operation is None or kind is None:
        return None
    attributes = span.attributes
    bad: list[str] = []
    tool = kind == "tool_call"
    found = result_of(span) if tool else None
    model = kind == "llm_call"
    return GenAiStep(
        type=kind,
        operation=operation,
        name=_name(kind, operation, span),
        call_id=(_first_text(attributes, _CALL_IDS) or (found.call_id if found else None)) if tool else None,
        arguments=arguments_of(span) if tool else msgspec.UNSET,
        result=found.value if found else result_of_agent(span) if kind == "agent_call" else msgspec.UNSET,
        error=error_of(span),
        model=_first_text(attributes, _MODELS) if kind != "tool_call" else None,
        # The usage of an agent is the sum of what its model calls used: kept, it would count twice.
        usage=_usage(attributes, bad) if model else None,
        finish_reasons=_finish_reasons(attributes) if model else (),
        response_id=_first_text(attributes, ("gen_ai.response.id", "request_id")) if model else None,
        cost_usd=told_cost(attributes, bad) if model else None,
        bad=tuple(bad),
    )


def result_of_agent(span: Span) -> JsonValue | msgspec.UnsetType:
    """What an agent's span says came out of it (Pydantic AI), UNSET where it does not say."""
    told = span.attributes.get("final_result")
    return structured(told) if isinstance(told, str) and told else msgspec.UNSET


def agent_of(span: Span) -> str | None:
    """The name of the agent that the span belongs to, None where it does not say."""
    return _first_text(span.attributes, ("gen_ai.agent.name", "agent_name"))


def conversation_of(span: Span) -> str | None:
    """The conversation that the span belongs to, None where it does not say."""
    return _first_text(span.attributes, ("gen_ai.conversation.id",))


def error_of(span: Span) -> StepError | None:
    """What went wrong: an error status, an ``error.type``, or an exception event where no status says otherwise."""
    thrown = next((event.attributes for event in reversed(span.events) if event.name == "exception"), None)
    named = _first_text(span.attributes, ("error.type",))
    failed = span.status == "error" or named is not None or (thrown is not None and span.status != "ok")
    failed = failed or (span.attributes.get("success") is False and span.status != "ok")
    if not failed:
        return None
    said = thrown or {}
    return StepError(
        type=_first_text(said, ("exception.type",)) or named or "error",
        message=span.status_message
        or _first_text(said, ("exception.message",))
        or _first_text(span.attributes, ("error.message", "error"))
        or "",
    )


def _name(kind: Literal["llm_call", "tool_call", "agent_call", "retrieval"], operation: str, span: Span) -> str:
    attributes = span.attributes
    match kind:
        case "llm_call":
            return "chat" if operation == "call_llm" else operation
        case "tool_call":
            named = _first_text(attributes, ("gen_ai.tool.name", "tool_name"))
            return bare_tool(named or span.name.removeprefix("execute_tool ").strip()) or "tool"
        case "agent_call":
            return agent_of(span) or span.name or operation
    return _first_text(attributes, ("gen_ai.data_source.id",)) or span.name or operation


def _first_text(attributes: dict[str, Any], names: tuple[str, ...]) -> str | None:
    return next((text for name in names if (text := text_or_none(attributes.get(name)))), None)


def _usage(attributes: dict[str, Any], bad: list[str]) -> Usage | None:
    usage = Usage(
        input_tokens=_tokens(attributes, _INPUT_TOKENS, bad),
        output_tokens=_tokens(attributes, _OUTPUT_TOKENS, bad),
        cached_tokens=_tokens(attributes, _CACHED_TOKENS, bad),
    )
    return usage if usage != Usage() else None


def _tokens(attributes: dict[str, Any], names: tuple[str, ...], bad: list[str]) -> int | None:
    for name in names:
        value = attributes.get(name)
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
            value = int(value)  # JavaScript has no integers
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        if value is not None:
            bad.append(name)
    return None


def _finish_reasons(attributes: dict[str, Any]) -> tuple[str, ...]:
    value = next((attributes[name] for name in _FINISH if attributes.get(name)), None)
    return tuple(_reasons(value))


def _reasons(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        parsed = exact_value(value)  # Mastra: the JSON text of a list
        yield from _reasons(parsed) if isinstance(parsed, list) else (part for part in value.split(", ") if part)
    elif isinstance(value, list):
        yield from (item for item in value if isinstance(item, str) and item)
