"""A call that an adapter opens and ends itself, since it ends later than the function that made it, or elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from stepfork.instrument import context
from stepfork.instrument.context import Here
from stepfork.instrument.failures import encode_exception, restore_exception
from stepfork.instrument.tagged import decode, encode
from stepfork.trace.body import JsonValue
from stepfork.trace.call import Asked, Outcome


class OpenCall:
    """A call whose session has heard of it, made at a `place` that `context.here` told. ``answer`` is None where the
    call is to be made. Making one raises what the session of a replay does.
    """

    def __init__(self, place: Here, asked: Asked) -> None:
        self._opened = place.session.begin(asked, parent=place.parent, forks=place.forks)
        self._inside = Here(place.session, place.line, parent=self._opened.number)
        self.answer = self._opened.answer

    @contextmanager
    def body(self) -> Iterator[None]:
        """What runs here is the call's own doing."""
        with context.at(self._inside):
            yield

    def returned(self, result: JsonValue) -> None:
        """The call has ended with a tagged result."""
        self._opened.end(Outcome(result))

    def raised(self, error: BaseException, so_far: JsonValue | msgspec.UnsetType = msgspec.UNSET) -> None:
        """The call has failed, perhaps after part of its result."""
        told, tag = encode_exception(error)
        self._opened.end(Outcome(so_far, error=told, raised=tag))


def error_in(answer: Outcome) -> BaseException | None:
    """What a recorded call raised, ready to be raised again."""
    if answer.error is None:
        return None
    return restore_exception(answer.error, None if answer.raised is msgspec.UNSET else answer.raised)


def result_in(answer: Outcome) -> Any:
    """A copy of what a recorded call returned; None where it returned nothing."""
    return None if answer.result is msgspec.UNSET else decode(answer.result)


def stream_of(items: list[JsonValue]) -> JsonValue:
    """The tagged result of a call that streamed `items`."""
    return {"$py": "stream", "value": [encode(item) for item in items]}


def streamed(answer: Outcome) -> list[Any]:
    """The items that a recorded call streamed, those before its failure too."""
    tag = answer.result
    items = tag.get("value") if isinstance(tag, dict) else None
    return [decode(item) for item in items] if isinstance(items, list) else []
