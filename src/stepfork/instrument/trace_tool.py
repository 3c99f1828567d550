"""trace_tool: a function whose calls a recording keeps and a replay answers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, overload

from stepfork.errors import UsageError
from stepfork.instrument import tagged
from stepfork.instrument.declared import declare
from stepfork.instrument.engine import Keep
from stepfork.instrument.wrapping import keep_of, wrapping
from stepfork.trace.body import JsonValue

_F = TypeVar("_F")


@overload
def trace_tool(
    function: _F,
    *,
    name: str | None = None,
    encode: Callable[[Any], Any] | None = None,
    decode: Callable[[Any], Any] | None = None,
) -> _F: ...
@overload
def trace_tool(
    function: None = None,
    *,
    name: str | None = None,
    encode: Callable[[Any], Any] | None = None,
    decode: Callable[[Any], Any] | None = None,
) -> Callable[[_F], _F]: ...
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
    class stepfork does not know; of a generator, each item.

    Raises UsageError for one serializer without the other, for classes and for what cannot be called.
    """
    if (encode is None) != (decode is None):
        raise UsageError("trace_tool needs both encode= and decode=, or neither", fix="give the other one too")
    if function is None:
        return functools.partial(trace_tool, name=name, encode=encode, decode=decode)
    if isinstance(function, classmethod | staticmethod):
        return type(function)(trace_tool(function.__func__, name=name, encode=encode, decode=decode))
    if isinstance(function, type) or not callable(function):
        raise UsageError("trace_tool instruments functions, methods and objects that can be called")
    if name is not None and not isinstance(name, str):
        raise UsageError("the name= of trace_tool is a text")
    named = name or _name_of(function)
    declare(named)
    keep = keep_of(function) if encode is None or decode is None else _by_own(encode, decode)
    wrapper = wrapping(function, named, keep)
    functools.update_wrapper(wrapper, function)
    if isinstance(function, functools.partial):
        functools.update_wrapper(wrapper, _innermost(function), updated=())
        wrapper.__wrapped__ = function  # the signature is that of the partial
    return wrapper


def _by_own(encode: Callable[[Any], Any], decode: Callable[[Any], Any]) -> Keep:
    """A tool's own serializers. A result that its own cannot encode is kept as if it had none."""

    def keep(value: Any) -> JsonValue:
        try:
            return {"$py": "own", "value": tagged.encode(encode(value))}
        except Exception:
            return tagged.encode(value)

    def give(value: JsonValue) -> Any:
        kept = tagged.decode(value)
        return decode(kept) if isinstance(value, dict) and value.get("$py") == "own" else kept

    return Keep(keep, give)


def _innermost(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _name_of(function: Any) -> str:
    inner = _innermost(function)
    name = getattr(inner, "__name__", None)
    return name if isinstance(name, str) else type(inner).__name__
