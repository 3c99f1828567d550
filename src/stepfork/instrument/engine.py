"""One instrumented call: asked of the session, answered from it or run and told to it. Adapters are made of this.

    call(ask, body)          ask() says what the call is (an `Asked`); body() makes it
    acall(ask, body)         the same, body() is awaited

Where nobody listens, `body` is called and nothing else happens. A recording changes no result and no exception; a
replay gives a copy of what was recorded, and does not call `body`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

import msgspec

from stepfork.instrument import context
from stepfork.instrument.context import Here
from stepfork.instrument.failures import encode_exception, restore_exception
from stepfork.instrument.session import Opened
from stepfork.instrument.tagged import decode, encode
from stepfork.instrument.watched import be_watched
from stepfork.trace.body import JsonValue
from stepfork.trace.call import Asked, Outcome

_T = TypeVar("_T")
Ask = Callable[[], Asked]


class Keep(NamedTuple):
    """How results are kept and given back."""

    encode: Callable[[Any], JsonValue]
    decode: Callable[[JsonValue], Any]


TAGGED = Keep(encode, decode)


def call(ask: Ask, body: Callable[[], _T], keep: Keep = TAGGED) -> _T:
    """Make a call. Raises what the body raises, or what the session of a replay does."""
    place = context.here()
    if place is None:
        return body()
    opened, inside = _open(place, ask)
    if opened.answer is not None:
        return _given(opened.answer, keep)  # type: ignore[no-any-return]
    try:
        with context.at(inside):
            result = body()
    except BaseException as error:
        opened.end(_failed(error))
        raise
    opened.end(Outcome(keep.encode(result)))
    return result


async def acall(ask: Ask, body: Callable[[], Awaitable[_T]], keep: Keep = TAGGED) -> _T:
    """Make a call that is awaited. Raises as `call` does."""
    place = context.here()
    if place is None:
        return await body()
    opened, inside = _open(place, ask)
    if opened.answer is not None:
        return _given(opened.answer, keep)  # type: ignore[no-any-return]
    try:
        with context.at(inside):
            result = await body()
    except BaseException as error:
        opened.end(_failed(error))
        raise
    opened.end(Outcome(keep.encode(result)))
    return result


def _open(place: Here, ask: Ask) -> tuple[Opened, Here]:
    opened = place.session.begin(ask(), parent=place.parent, forks=place.forks)
    return opened, Here(place.session, place.line, parent=opened.number)


def _given(answer: Outcome, keep: Keep) -> Any:
    if answer.error is not None:
        raised = None if isinstance(answer.raised, msgspec.UnsetType) else answer.raised
        raise restore_exception(answer.error, raised)
    return keep.decode(None if isinstance(answer.result, msgspec.UnsetType) else answer.result)


def _failed(error: BaseException) -> Outcome:
    told, raised = encode_exception(error)
    return Outcome(error=told, raised=raised)


be_watched()
