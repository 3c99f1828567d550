"""trace_tool: a function whose calls a recording keeps and a replay answers."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from stepfork.errors import UsageError
from stepfork.instrument.arguments import signature_of, told_arguments
from stepfork.instrument.engine import TAGGED, Keep, acall, call
from stepfork.trace.call import Asked


def trace_tool(
    function: Any = None,
    *,
    name: str | None = None,
    encode: Callable[[Any], Any] | None = None,
    decode: Callable[[Any], Any] | None = None,
) -> Any:
    """Instrument a tool: ``@trace_tool``, ``@trace_tool(name="search")`` or ``trace_tool(function)``.

    Outside recordings and replays the function is called as it is. A recording keeps its arguments and what it returned
    or raised; a replay gives that back and the function does not run. `name` is what the tool is called in the trace,
    the function's own name by default. `encode` makes a result JSON and `decode` makes it again, for results whose
    class stepfork does not know.

    Raises UsageError for one serializer without the other, and for what cannot be called.
    """
    if (encode is None) != (decode is None):
        raise UsageError("trace_tool needs both encode= and decode=, or neither")
    if function is None:
        return functools.partial(trace_tool, name=name, encode=encode, decode=decode)
    keep = TAGGED if encode is None or decode is None else Keep(encode, decode)
    if isinstance(function, classmethod | staticmethod):
        return type(function)(trace_tool(function.__func__, name=name, encode=encode, decode=decode))
    signature, called = signature_of(function), name or function.__name__

    def asked(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Asked:
        return Asked("tool_call", called, told_arguments(signature, args, kwargs))

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            return await acall(lambda: asked(args, kwargs), lambda: function(*args, **kwargs), keep)

        return awaited

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return call(lambda: asked(args, kwargs), lambda: function(*args, **kwargs), keep)

    return wrapped
