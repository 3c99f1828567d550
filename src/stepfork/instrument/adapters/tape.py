"""What a vendor's stream said, as far as its consumer went: told once, when the stream is over.

A stream is over when its events are, when it failed, when it or its response is closed, and when nobody has it any
more. What arrived but was never asked for is no part of it, so what is recorded depends on no network's chunks.
"""

from __future__ import annotations

import types
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from stepfork.instrument.adapters.http_forms import event_data
from stepfork.trace.body import JsonValue

Told = Callable[[list[JsonValue], BaseException | None], None]
"""Is given the events and why the stream failed, None where it did not."""


class Tape:
    """The events of one stream. ``busy`` while the vendor's own code runs: it closes the response before it raises."""

    def __init__(self, told: Told) -> None:
        self.events: list[JsonValue] = []
        self.busy = False
        self._told: Told | None = told

    def add(self, event: Any) -> None:
        """A server-sent event as the vendor's decoder tells it."""
        if event.data and not event.data.startswith("[DONE]"):  # which the vendor asks for too
            self.events.append(event_data(event.data))

    def closed(self) -> None:
        """The response was closed, perhaps by the vendor's own code."""
        if not self.busy:
            self.end()

    def end(self, error: BaseException | None = None) -> None:
        """The stream is over. Only the first word counts."""
        told, self._told = self._told, None
        if told is not None:
            told(self.events, error)


def watch_close(response: Any, tape: Tape) -> None:
    """End `tape` when `response` is closed."""
    close, aclose = response.close, response.aclose

    def closing() -> None:
        close()
        tape.closed()

    async def aclosing() -> None:
        await aclose()
        tape.closed()

    response.close, response.aclose = closing, aclosing


def taped_class(stream_class: Any, tape: Tape) -> Any:
    """A subclass of a vendor's stream class (or alias of one) whose streams are written to `tape`."""
    origin = getattr(stream_class, "__origin__", stream_class)

    def iter_events(self: Any) -> Iterator[Any]:
        for event in origin._iter_events(self):
            tape.add(event)
            yield event

    async def aiter_events(self: Any) -> AsyncIterator[Any]:
        async for event in origin._iter_events(self):
            tape.add(event)
            yield event

    def stream(self: Any) -> Iterator[Any]:
        return _watched(origin.__stream__(self), tape)

    def astream(self: Any) -> AsyncIterator[Any]:
        return _awatched(origin.__stream__(self), tape)

    is_async = hasattr(origin, "__anext__")
    return _subclass(
        stream_class,
        {
            "_iter_events": aiter_events if is_async else iter_events,
            "__stream__": astream if is_async else stream,
        },
    )


def failing_class(stream_class: Any, error: BaseException) -> Any:
    """A subclass of a vendor's stream class (or alias of one) whose streams end in `error`."""
    origin = getattr(stream_class, "__origin__", stream_class)

    def iter_events(self: Any) -> Iterator[Any]:
        yield from origin._iter_events(self)
        raise error

    async def aiter_events(self: Any) -> AsyncIterator[Any]:
        async for event in origin._iter_events(self):
            yield event
        raise error

    is_async = hasattr(origin, "__anext__")
    return _subclass(stream_class, {"_iter_events": aiter_events if is_async else iter_events})


def _subclass(stream_class: Any, members: dict[str, Any]) -> Any:
    origin = getattr(stream_class, "__origin__", stream_class)
    named = {"__module__": origin.__module__, "__qualname__": origin.__qualname__, **members}
    return types.new_class(origin.__name__, (stream_class,), exec_body=lambda namespace: namespace.update(named))


def _watched(items: Any, tape: Tape) -> Iterator[Any]:
    try:
        while True:
            tape.busy = True
            try:
                item = next(items)
            except StopIteration:
                return
            except BaseException as error:
                tape.end(error)
                raise
            tape.busy = False
            yield item
    finally:
        items.close()
        tape.end()


async def _awatched(items: Any, tape: Tape) -> AsyncIterator[Any]:
    try:
        while True:
            tape.busy = True
            try:
                item = await anext(items)
            except StopAsyncIteration:
                return
            except BaseException as error:
                tape.end(error)
                raise
            tape.busy = False
            yield item
    finally:
        await items.aclose()
        tape.end()
