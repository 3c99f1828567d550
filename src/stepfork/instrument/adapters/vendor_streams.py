"""Streams of a vendor's client: written down as their consumer goes on, and given again as far as he went.

A stream is over when its events are, when it failed, when it or its response is closed, and when nobody has it any
more. What arrived but was never asked for is no part of it, so what is recorded depends on no network's chunks.
"""

from __future__ import annotations

import types
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from stepfork.instrument.adapters.http_forms import event_data
from stepfork.instrument.adapters.vendor_errors import bare_error
from stepfork.instrument.tape import Tape


class Watch:
    """A stream on its way to the consumer. ``busy`` while the vendor's own code runs, which closes the response before
    it raises."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.busy = False

    def event(self, event: Any) -> None:
        """A server-sent event, as the vendor's decoder tells it."""
        if event.data and not event.data.startswith("[DONE]"):
            self.tape.item(event_data(event.data))

    def on_close(self, response: Any) -> None:
        """Hear of it when `response` is closed by somebody else."""
        close, aclose = response.close, response.aclose

        def closing() -> None:
            close()
            self._closed()

        async def aclosing() -> None:
            await aclose()
            self._closed()

        response.close, response.aclose = closing, aclosing

    def _closed(self) -> None:
        if not self.busy:
            self.tape.closed()


def watched_class(stream_class: Any, watch: Watch) -> Any:
    """A subclass of a vendor's stream class (or alias of one) whose stream is written down."""
    origin = _origin(stream_class)

    def iter_events(self: Any) -> Iterator[Any]:
        for event in origin._iter_events(self):
            watch.event(event)
            yield event

    async def aiter_events(self: Any) -> AsyncIterator[Any]:
        async for event in origin._iter_events(self):
            watch.event(event)
            yield event

    def stream(self: Any) -> Iterator[Any]:
        return _watched(origin.__stream__(self), watch)

    def astream(self: Any) -> AsyncIterator[Any]:
        return _awatched(origin.__stream__(self), watch)

    is_async = hasattr(origin, "__anext__")
    return _subclass(
        stream_class,
        {
            "_iter_events": aiter_events if is_async else iter_events,
            "__stream__": astream if is_async else stream,
        },
    )


def ending_class(stream_class: Any, end: Callable[[], BaseException]) -> Any:
    """The same, whose stream raises what `end` makes after its events."""
    origin = _origin(stream_class)

    def iter_events(self: Any) -> Iterator[Any]:
        yield from origin._iter_events(self)
        raise end()

    async def aiter_events(self: Any) -> AsyncIterator[Any]:
        async for event in origin._iter_events(self):
            yield event
        raise end()

    is_async = hasattr(origin, "__anext__")
    return _subclass(stream_class, {"_iter_events": aiter_events if is_async else iter_events})


def _origin(stream_class: Any) -> Any:
    return getattr(stream_class, "__origin__", stream_class)


def _subclass(stream_class: Any, members: dict[str, Any]) -> Any:
    origin = _origin(stream_class)
    named = {"__module__": origin.__module__, "__qualname__": origin.__qualname__, **members}
    return types.new_class(origin.__name__, (stream_class,), exec_body=lambda namespace: namespace.update(named))


def _watched(items: Any, watch: Watch) -> Iterator[Any]:
    try:
        while True:
            watch.busy = True
            try:
                item = next(items)
            except StopIteration:
                watch.tape.ended()
                return
            except BaseException as error:
                watch.tape.failed(bare_error(error))
                raise
            watch.busy = False
            yield item
    finally:
        items.close()
        watch.tape.closed()


async def _awatched(items: Any, watch: Watch) -> AsyncIterator[Any]:
    try:
        while True:
            watch.busy = True
            try:
                item = await anext(items)
            except StopAsyncIteration:
                watch.tape.ended()
                return
            except BaseException as error:
                watch.tape.failed(bare_error(error))
                raise
            watch.busy = False
            yield item
    finally:
        await items.aclose()
        watch.tape.closed()
