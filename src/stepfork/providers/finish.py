"""Why a model ended its answer, in the words of the APIs and of the frameworks that repeat them."""

from __future__ import annotations

from collections.abc import Iterable

_ASKS = frozenset({"tool_call", "tool_calls", "tool_use", "function_call", "function_calls"})


def asks_for_tools(reasons: Iterable[str]) -> bool:
    """Whether a finish reason says that the model asked for a tool. Spelling counts for little: `TOOL_CALLS`,
    `tool-calls` and `tool_call` (OpenTelemetry's own word) are one reason."""
    return any(reason.strip().lower().replace("-", "_") in _ASKS for reason in reasons)
