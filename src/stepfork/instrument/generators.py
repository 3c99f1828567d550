"""Generators that are recorded as they are driven.

``send``, ``throw``, ``close`` and the value that a generator returns do what they do without recording. What runs in
the body, item by item, runs at the place of the call; what the consumer does in between does not.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from typing import Any

from stepfork.instrument import context
from stepfork.instrument.cancelled import is_cancellation
from stepfork.instrument.context import Here
from stepfork.instrument.tape import Tape


def recorded(body: Generator[Any, Any, Any], tape: Tape, inside: Here) -> Generator[Any, Any, Any]:
    """`body`, whose items are written to `tape`."""
    sent: Any = None
    thrown: BaseException | None = None
    while True:
        try:
            with context.at(inside):
                item = body.send(sent) if thrown is None else body.throw(thrown)
        except StopIteration as stop:
            tape.ended(stop.value)
            return stop.value
        except BaseException as error:
            tape.failed(error)
            raise
        tape.item(item)
        sent = thrown = None
        try:
            sent = yield item
        except GeneratorExit:
            return _closed(body, tape, inside)
        except BaseException as error:
            thrown = error


def _closed(body: Generator[Any, Any, Any], tape: Tape, inside: Here) -> Any:
    try:
        with context.at(inside):
            returned: Any = body.close()  # type: ignore[func-returns-value]  # from Python 3.13 on
    except BaseException as error:
        tape.failed(error)
        raise
    tape.closed()
    return returned


async def arecorded(body: AsyncGenerator[Any, Any], tape: Tape, inside: Here) -> AsyncGenerator[Any, Any]:
    """`body`, whose items are written to `tape`."""
    sent: Any = None
    thrown: BaseException | None = None
    while True:
        try:
            with context.at(inside):
                item = await (body.asend(sent) if thrown is None else body.athrow(thrown))
        except StopAsyncIteration:
            tape.ended()
            return
        except BaseException as error:
            if error is thrown and is_cancellation(error):  # by an event loop that ends
                tape.closed()
            tape.failed(error)
            raise
        tape.item(item)
        sent = thrown = None
        try:
            sent = yield item
        except GeneratorExit:
            await _aclosed(body, tape, inside)
            return
        except BaseException as error:
            thrown = error


async def _aclosed(body: AsyncGenerator[Any, Any], tape: Tape, inside: Here) -> None:
    try:
        with context.at(inside):
            await body.aclose()
    except BaseException as error:
        if is_cancellation(error):
            tape.closed()
        tape.failed(error)
        raise
    tape.closed()
