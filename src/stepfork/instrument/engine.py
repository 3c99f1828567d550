"""One instrumented call: asked of the session, answered from it or run and told to it.

    call(ask, body)          ask() says what the call is (an `Asked`); body() makes it
    acall(ask, body)         the same, body() is awaited

Where nobody listens, `body` is called and nothing else happens. A recording changes no result and no exception; a
replay gives a copy of what was recorded, and does not call `body`. A result that gives item after item (a generator, an
SDK's stream) is recorded as it is consumed.
"""

from __future__ import annotations

import types
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

import msgspec

from stepfork.instrument import context, streaming
from stepfork.instrument.cancelled import cancelled_again, is_cancellation
from stepfork.instrument.context import Here
from stepfork.instrument.failures import encode_exception, restore_exception
from stepfork.instrument.outside import look_outside
from stepfork.instrument.replayed import replayed
from stepfork.instrument.session import ClosedSession, Session
from stepfork.instrument.tagged import decode, encode
from stepfork.trace.body import JsonValue
from stepfork.trace.call import Asked, Outcome

_T = TypeVar("_T")
Ask = Callable[[], Asked]


class Keep(NamedTuple):
    """How results are kept and given back."""

    encode: Callable[[Any], JsonValue]
    decode: Callable[[JsonValue], Any]


TAGGED = Keep(encode, decode)


def call(ask: Ask, body: Callable[[], _T], keep: Keep = TAGGED, instead_of: object = None) -> _T:
    """Make a call. Raises what the body raises, or what the session of a replay does.

    `instead_of` is an instrumented function that the body calls: its own call is none beside this one.
    """
    place = context.here()
    if place is None:
        return body()
    asked = ask()
    if is_inner(asked, place):
        return body()
    made = _Made(place, asked, keep, instead_of)
    if made.answer is not None:
        return made.given(made.answer)  # type: ignore[no-any-return]
    try:
        with context.at(made.inside):
            result = body()
    except BaseException as error:
        made.failed(error)
        raise
    return made.finished(result)  # type: ignore[no-any-return]


async def acall(ask: Ask, body: Callable[[], Awaitable[_T]], keep: Keep = TAGGED, instead_of: object = None) -> _T:
    """Make a call that is awaited. Raises as `call` does."""
    place = context.here()
    if place is None:
        return await body()
    asked = ask()
    if is_inner(asked, place):
        return await body()
    made = _Made(place, asked, keep, instead_of)
    if made.answer is not None:
        return await made.agiven(made.answer)  # type: ignore[no-any-return]
    try:
        with context.at(made.inside):
            result = await body()
    except BaseException as error:
        made.failed(error)
        raise
    return made.finished(result)  # type: ignore[no-any-return]


def is_inner(asked: Asked, place: Here) -> bool:
    """Whether a call is the one around it, made by a lower layer: a model client inside a model call."""
    return place.in_model and asked.type == "llm_call"


class _Made:
    """A call that the session has heard of."""

    def __init__(self, place: Here, asked: Asked, keep: Keep, instead_of: object) -> None:
        self._refused = _refusal(place.session)
        self._opened = place.session.begin(asked, parent=place.parent, forks=place.forks)
        self._keep = keep
        self.answer = self._opened.answer
        self.inside = Here(
            place.session,
            place.line,
            parent=self._opened.number,
            in_model=asked.type == "llm_call",
            instead_of=[] if instead_of is None else [instead_of],
        )

    def given(self, answer: Outcome) -> Any:
        """What was recorded, given again."""
        tag: Any = None if isinstance(answer.result, msgspec.UnsetType) else answer.result
        kind = tag.get("$py") if isinstance(tag, dict) else None
        failure = None if answer.error is None else lambda: _error_in(answer)
        if kind in {"stream", "generator"}:
            return replayed(tag, self._keep.decode, failure, self._refused)
        if kind == "awaitable":
            return self.agiven(Outcome(tag.get("value"), answer.error, answer.raised))
        if failure is not None:
            raise failure()
        return self._keep.decode(tag)

    async def agiven(self, answer: Outcome) -> Any:
        """What was recorded, given to one who awaits it."""
        if answer.error is not None and is_cancellation(_error_in(answer)):
            await cancelled_again(self._refused)
        return self.given(answer)

    def failed(self, error: BaseException, shape: JsonValue | msgspec.UnsetType = msgspec.UNSET) -> None:
        """The body raised."""
        told, raised = encode_exception(error)
        self._opened.end(Outcome(shape, error=told, raised=raised))

    def finished(self, result: Any) -> Any:
        """The body has returned `result`; what the caller is given."""
        if type(result) is types.CoroutineType:
            return self._awaited(result)
        shape = streaming.shape_of(result)
        if shape is not None:
            return streaming.recorded(result, shape, self._opened, self._keep.encode, self.inside)
        self._opened.end(Outcome(self._keep.encode(result)))
        return result

    async def _awaited(self, coroutine: Awaitable[Any]) -> Any:
        try:
            with context.at(self.inside):
                result = await coroutine
        except BaseException as error:
            self.failed(error, {"$py": "awaitable"})
            raise
        self._opened.end(Outcome({"$py": "awaitable", "value": self._keep.encode(result)}))
        return result


def _refusal(session: Session) -> Callable[[str], object] | None:
    # A recording is asked no more than this: what class an object has the protocols of is found out slowly.
    return session.refused if session.closed_to_strangers and isinstance(session, ClosedSession) else None


def _error_in(answer: Outcome) -> BaseException:
    assert answer.error is not None
    return restore_exception(answer.error, None if isinstance(answer.raised, msgspec.UnsetType) else answer.raised)


look_outside()
