"""Calls whose results are iterators: each item is told in its order, the whole when the consumer has done with it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import nullcontext
from typing import Any

import msgspec

from stepfork.instrument import context
from stepfork.instrument.adapters.opened import OpenCall, error_in, stream_of, streamed
from stepfork.instrument.engine import Ask, Keep
from stepfork.trace.body import JsonValue
from stepfork.trace.call import Outcome


def streamed_call(ask: Ask, body: Callable[[], Iterator[Any]], keep: Keep) -> Iterator[Any]:
    """The items of `body`, or in a replay those that were recorded, then what was raised. The call is made when the
    first one is asked for."""
    place = context.here()
    if place is None:
        yield from body()
        return
    call = OpenCall(place, ask())
    if call.answer is not None:
        yield from _recorded(call.answer, keep)
        return
    told: list[JsonValue] = []
    items: Any = None
    try:
        with call.body():
            items = iter(body())
        while True:
            with call.body():
                item = next(items, _END)
            if item is _END:
                break
            told.append(keep.encode(item))
            yield item
    except GeneratorExit:
        with call.body():
            close = getattr(items, "close", None)
            if close is not None:
                close()
        call.returned(stream_of(told))
        raise
    except BaseException as error:
        call.raised(error, stream_of(told) if told else msgspec.UNSET)
        raise
    call.returned(stream_of(told))


async def astreamed_call(ask: Ask, body: Callable[[], AsyncIterator[Any]], keep: Keep) -> AsyncIterator[Any]:
    """As `streamed_call`, of an asynchronous iterator."""
    place = context.here()
    call = None if place is None else OpenCall(place, ask())
    if call is not None and call.answer is not None:
        for item in _recorded(call.answer, keep):
            yield item
        return
    inside = nullcontext if call is None else call.body
    told: list[JsonValue] = []
    items: Any = None
    try:
        with inside():
            items = aiter(body())
        while True:
            with inside():
                item = await anext(items, _END)
            if item is _END:
                break
            told.append(keep.encode(item))
            yield item
    except GeneratorExit:
        with inside():
            close = getattr(items, "aclose", None)
            if close is not None:
                await close()
        if call is not None:
            call.returned(stream_of(told))
        raise
    except BaseException as error:
        if call is not None:
            call.raised(error, stream_of(told) if told else msgspec.UNSET)
        raise
    if call is not None:
        call.returned(stream_of(told))


_END = object()


def _recorded(answer: Outcome, keep: Keep) -> Iterator[Any]:
    yield from (keep.decode(item) for item in streamed(answer))
    error = error_in(answer)
    if error is not None:
        raise error
