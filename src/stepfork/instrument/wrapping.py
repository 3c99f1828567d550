"""A function's instrumented twin: of the same kind as the function, so that whoever inspects it learns the same."""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import AsyncGenerator, Generator
from typing import Any

from stepfork.instrument.arguments import Parameters
from stepfork.instrument.context import here
from stepfork.instrument.engine import TAGGED, Keep, acall, call
from stepfork.trace.call import Asked

_own_keeps: weakref.WeakKeyDictionary[Any, Keep] = weakref.WeakKeyDictionary()


def wrapping(function: Any, name: str, keep: Keep) -> Any:
    """A function that calls `function` as the tool `name`. What Python refuses to call is no call of a tool; a
    `function` that is instrumented itself makes no call of its own."""
    made = _wrapping(function, name, keep)
    if keep is not TAGGED:
        _own_keeps[made] = keep
    return made


def _wrapping(function: Any, name: str, keep: Keep) -> Any:
    tool = _Tool(function, name)
    if inspect.iscoroutinefunction(function):
        return _coroutine(function, tool, keep)
    if inspect.isgeneratorfunction(function):
        return _generator(function, tool, keep)
    if inspect.isasyncgenfunction(function):
        return _async_generator(function, tool, keep)

    def called(*args: Any, **kwargs: Any) -> Any:
        if tool.is_no_call(called, args, kwargs):
            return function(*args, **kwargs)
        return call(lambda: tool.asked(args, kwargs), lambda: function(*args, **kwargs), keep, tool.twin)

    return called


def keep_of(function: Any) -> Keep:
    """How the results of an instrumented function are kept; of any other, as values that are known here."""
    try:
        return _own_keeps.get(bare(function), TAGGED)
    except TypeError:  # it has no hash
        return TAGGED


def bare(function: Any) -> Any:
    """The function itself of a bound method or of partial ones."""
    while isinstance(function, functools.partial):
        function = function.func
    return getattr(function, "__func__", function)


class _Tool:
    """What a call of a tool is."""

    def __init__(self, function: Any, name: str) -> None:
        self._name = name
        self._parameters = Parameters(function)
        self.twin = bare(function)

    def asked(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Asked:
        return Asked("tool_call", self._name, self._parameters.told(args, kwargs))

    def is_no_call(self, wrapper: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether the function is just called: nobody listens, `wrapper` is called in the name of the call around it,
        or Python refuses to call it."""
        place = here()
        return place is None or place.stands_for(wrapper) or self._parameters.refuse(args, kwargs)


def _coroutine(function: Any, tool: _Tool, keep: Keep) -> Any:
    async def awaited(*args: Any, **kwargs: Any) -> Any:
        if tool.is_no_call(awaited, args, kwargs):
            return await function(*args, **kwargs)
        return await acall(lambda: tool.asked(args, kwargs), lambda: function(*args, **kwargs), keep, tool.twin)

    return awaited


def _generator(function: Any, tool: _Tool, keep: Keep) -> Any:
    def generated(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        if tool.is_no_call(generated, args, kwargs):
            return (yield from function(*args, **kwargs))
        return (yield from call(lambda: tool.asked(args, kwargs), lambda: function(*args, **kwargs), keep, tool.twin))

    return generated


def _async_generator(function: Any, tool: _Tool, keep: Keep) -> Any:
    async def generated(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        if tool.is_no_call(generated, args, kwargs):
            items = function(*args, **kwargs)
        else:
            items = call(lambda: tool.asked(args, kwargs), lambda: function(*args, **kwargs), keep, tool.twin)
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
