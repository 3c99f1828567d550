"""A function's instrumented twin: of the same kind as the function, so that whoever inspects it learns the same."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Generator
from typing import Any

from stepfork.instrument.arguments import Parameters
from stepfork.instrument.context import here
from stepfork.instrument.engine import Keep, acall, call
from stepfork.trace.call import Asked


def wrapping(function: Any, name: str, keep: Keep) -> Any:
    """A function that calls `function` as the tool `name`. What Python refuses to call is no call of a tool."""
    tool = _Tool(function, name)
    if inspect.iscoroutinefunction(function):
        return _coroutine(function, tool, keep)
    if inspect.isgeneratorfunction(function):
        return _generator(function, tool, keep)
    if inspect.isasyncgenfunction(function):
        return _async_generator(function, tool, keep)

    def called(*args: Any, **kwargs: Any) -> Any:
        if here() is None or tool.misfits(args, kwargs):
            return function(*args, **kwargs)
        return call(lambda: tool.asked(args, kwargs), lambda: function(*args, **kwargs), keep)

    return called


class _Tool:
    """What a call of a tool is."""

    def __init__(self, function: Any, name: str) -> None:
        self._name = name
        self._parameters = Parameters(function)

    def asked(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Asked:
        return Asked("tool_call", self._name, self._parameters.told(args, kwargs))

    def misfits(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        return self._parameters.refuse(args, kwargs)


def _coroutine(function: Any, tool: _Tool, keep: Keep) -> Any:
    async def awaited(*args: Any, **kwargs: Any) -> Any:
        if here() is None or tool.misfits(args, kwargs):
            return await function(*args, **kwargs)
        return await acall(lambda: tool.asked(args, kwargs), lambda: function(*args, **kwargs), keep)

    return awaited


def _generator(function: Any, tool: _Tool, keep: Keep) -> Any:
    def generated(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        if here() is None or tool.misfits(args, kwargs):
            return (yield from function(*args, **kwargs))
        return (yield from call(lambda: tool.asked(args, kwargs), lambda: function(*args, **kwargs), keep))

    return generated


def _async_generator(function: Any, tool: _Tool, keep: Keep) -> Any:
    async def generated(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        if here() is None or tool.misfits(args, kwargs):
            items = function(*args, **kwargs)
        else:
            items = call(lambda: tool.asked(args, kwargs), lambda: function(*args, **kwargs), keep)
        sent: Any = None
        thrown: BaseException | None = None
        while True:  # what ``yield from`` does where nothing is async
            try:
                item = await (items.asend(sent) if thrown is None else items.athrow(thrown))
            except StopAsyncIteration:
                return
            sent = thrown = None
            try:
                sent = yield item
            except GeneratorExit:
                await items.aclose()
                return
            except BaseException as error:
                thrown = error

    return generated
