"""Tools of LangChain: what a tool's class does in ``_run`` and ``_arun`` is an instrumented call.

The validation of arguments, the handling of errors and the making of a ``ToolMessage`` around it are LangChain's and
run in a replay too.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

from stepfork.instrument import context
from stepfork.instrument.engine import acall, call
from stepfork.instrument.tagged import encode_arguments
from stepfork.trace.call import Asked

_LANGCHAINS = frozenset({"config", "run_manager", "callbacks"})
_within: ContextVar[tuple[int, context.Here] | None] = ContextVar("stepfork_within", default=None)
"""The tool whose ``_arun`` runs, and where: one that is made of ``_run`` makes one call."""


def tool_methods(kind: Any, base: Any) -> Mapping[str, Any]:
    """Instrumented ``_run`` and ``_arun`` of a tool's class, `base` being LangChain's."""
    run, arun = kind._run, kind._arun

    @functools.wraps(run)
    def instrumented(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _is_within(self):
            return run(self, *args, **kwargs)
        return call(lambda: _asked(self, args, kwargs), lambda: run(self, *args, **kwargs))

    @functools.wraps(arun)
    async def ainstrumented(self: Any, *args: Any, **kwargs: Any) -> Any:
        async def body() -> Any:
            place = context.here()
            token = _within.set(None if place is None else (id(self), place))
            try:
                return await arun(self, *args, **kwargs)
            finally:
                _within.reset(token)

        return await acall(lambda: _asked(self, args, kwargs), body)

    made: dict[str, Any] = {"_run": instrumented}
    if arun is not base._arun:  # LangChain's own calls _run in a thread
        made["_arun"] = ainstrumented
    return made


def _is_within(tool: Any) -> bool:
    within = _within.get()
    if within is None or within[0] != id(tool):
        return False
    place = context.here()
    return place is not None and place.session is within[1].session and place.parent == within[1].parent


def _asked(tool: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Asked:
    """The arguments that the model chose: what LangChain and LangGraph inject is none of them."""
    offered = _offered(tool)
    names = offered or [f"arg{index}" for index in range(1, len(args) + 1)]
    named = {**dict(zip(names, args, strict=False)), **kwargs}
    chosen = {
        name: encode_arguments(value)
        for name, value in named.items()
        if name not in _LANGCHAINS and (not offered or name in offered)
    }
    return Asked("tool_call", str(tool.name), chosen)


def _offered(tool: Any) -> list[str]:
    """The names of the arguments that the model is offered; none where the tool does not tell them."""
    try:
        return [str(name) for name in tool.args]
    except Exception:  # a schema of the user's own that makes no JSON Schema
        return []
