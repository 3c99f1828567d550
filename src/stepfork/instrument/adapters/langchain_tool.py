"""Tools of LangChain: what a tool's class does in ``_run`` and ``_arun`` is an instrumented call.

The validation of arguments, the handling of errors and the making of a ``ToolMessage`` around it are LangChain's and
run in a replay too.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import Any

from stepfork.instrument import context
from stepfork.instrument.engine import acall, call
from stepfork.instrument.tagged import encode_arguments
from stepfork.instrument.wrapping import bare, keep_of
from stepfork.trace.call import Asked

_LANGCHAINS = frozenset({"config", "run_manager", "callbacks"})
_within: ContextVar[tuple[int, context.Here] | None] = ContextVar("stepfork_within", default=None)
"""The tool whose ``_arun`` runs, and where: one that is made of ``_run`` makes one call."""
_given: ContextVar[tuple[int, frozenset[str] | None] | None] = ContextVar("stepfork_given", default=None)
"""The tool that runs, and the names of the arguments that its caller gave; None where he gave a text."""


def tool_methods(kind: Any, base: Any) -> Mapping[str, Any]:
    """Instrumented ``_run`` and ``_arun`` of a tool's class, `base` being LangChain's."""
    made: dict[str, Any] = {"_run": _run(kind._run), "run": _told_run(kind.run), "arun": _told_arun(kind.arun)}
    if kind._arun is not base._arun:  # LangChain's own calls _run in a thread
        made["_arun"] = _arun(kind._arun)
    return made


def _run(run: Any) -> Any:
    @functools.wraps(run)
    def instrumented(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _is_within(self):
            return run(self, *args, **kwargs)
        function = getattr(self, "func", None)
        return call(
            lambda: _asked(self, args, kwargs),
            lambda: run(self, *args, **kwargs),
            keep_of(function),
            bare(function),
        )

    return instrumented


def _arun(arun: Any) -> Any:
    @functools.wraps(arun)
    async def instrumented(self: Any, *args: Any, **kwargs: Any) -> Any:
        async def body() -> Any:
            place = context.here()
            token = _within.set(None if place is None else (id(self), place))
            try:
                return await arun(self, *args, **kwargs)
            finally:
                _within.reset(token)

        function = getattr(self, "coroutine", None) or getattr(self, "func", None)
        return await acall(lambda: _asked(self, args, kwargs), body, keep_of(function), bare(function))

    return instrumented


def _told_run(run: Any) -> Any:
    @functools.wraps(run)
    def told(self: Any, tool_input: Any, *args: Any, **kwargs: Any) -> Any:
        token = _given.set((id(self), _names(tool_input)))
        try:
            return run(self, tool_input, *args, **kwargs)
        finally:
            _given.reset(token)

    return told


def _told_arun(arun: Any) -> Any:
    @functools.wraps(arun)
    async def told(self: Any, tool_input: Any, *args: Any, **kwargs: Any) -> Any:
        token = _given.set((id(self), _names(tool_input)))
        try:
            return await arun(self, tool_input, *args, **kwargs)
        finally:
            _given.reset(token)

    return told


def _names(tool_input: Any) -> frozenset[str] | None:
    return frozenset(map(str, tool_input)) if isinstance(tool_input, dict) else None


def _is_within(tool: Any) -> bool:
    within = _within.get()
    if within is None or within[0] != id(tool):
        return False
    place = context.here()
    return place is not None and place.session is within[1].session and place.parent == within[1].parent


def _asked(tool: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Asked:
    """The arguments that the model chose: what LangChain and LangGraph inject is none of them, nor what LangChain fills
    in from the schema's defaults, which a function that is called without LangChain would not be told to have been
    given either."""
    offered = _offered(tool)
    filled = _filled(tool, kwargs)
    names = offered or [f"arg{index}" for index in range(1, len(args) + 1)]
    named = {**dict(zip(names, args, strict=False)), **kwargs}
    chosen = {
        name: encode_arguments(value)
        for name, value in named.items()
        if name not in _LANGCHAINS and name not in filled and (not offered or name in offered)
    }
    return Asked("tool_call", str(tool.name), chosen)


def _offered(tool: Any) -> list[str]:
    """The names of the arguments that the model is offered; none where the tool does not tell them."""
    try:
        return [str(name) for name in tool.args]
    except Exception:  # a schema of the user's own that makes no JSON Schema
        return []


def _filled(tool: Any, kwargs: Mapping[str, Any]) -> set[str]:
    """The arguments that the caller did not give, and that have the schema's default."""
    given = _given.get()
    if given is None or given[0] != id(tool) or given[1] is None:
        return set()
    try:
        fields = getattr(tool.args_schema, "model_fields", None) or getattr(tool.args_schema, "__fields__", {})
        return {
            name
            for name, value in kwargs.items()
            if name in fields and not given[1] & {name, *_aliases(fields[name])} and _is_default(fields[name], value)
        }
    except Exception:  # a schema or a comparison of the user's own
        return set()


def _aliases(field: Any) -> Iterator[str]:
    found = (getattr(field, name, None) for name in ("alias", "validation_alias"))
    return (alias for alias in found if isinstance(alias, str))


def _is_default(field: Any, value: Any) -> bool:
    """Whether a value is a field's default; what a factory makes anew each time always is."""
    if getattr(field, "default_factory", None) is not None:
        return True
    default = field.default
    return default is value or (type(default) is type(value) and bool(default == value))
