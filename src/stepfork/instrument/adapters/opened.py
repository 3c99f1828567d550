"""A call that an adapter opens and ends itself, since its answer is made by the code of a vendor's client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from stepfork.errors import ReplayExhaustedError
from stepfork.instrument import context
from stepfork.instrument.cancelled import cancelled_again, is_cancellation
from stepfork.instrument.context import Here
from stepfork.instrument.failures import encode_exception, restore_exception
from stepfork.instrument.session import ClosedSession
from stepfork.instrument.tagged import decode, encode
from stepfork.instrument.tape import Tape
from stepfork.trace.body import JsonValue
from stepfork.trace.call import Asked, Outcome


class OpenCall:
    """A call whose session has heard of it, made at a `place` that `context.here` told. ``is_answered`` where it is not
    to be made. Making one raises what the session of a replay does.
    """

    def __init__(self, place: Here, asked: Asked) -> None:
        self._refused = place.session.refused if isinstance(place.session, ClosedSession) else None
        self._opened = place.session.begin(asked, parent=place.parent, forks=place.forks)
        self._inside = Here(place.session, place.line, parent=self._opened.number, in_model=asked.type == "llm_call")
        self._answer = self._opened.answer or Outcome()
        self.is_answered = self._opened.answer is not None

    @contextmanager
    def body(self) -> Iterator[None]:
        """What runs here is the call's own doing."""
        with context.at(self._inside):
            yield

    def tape(self) -> Tape:
        """Where the events of a streamed answer are written."""
        return Tape(self._opened, encode, {"$py": "stream"})

    def returned(self, result: JsonValue) -> None:
        """The call has ended with `result`."""
        self._opened.end(Outcome(encode(result)))

    def raised(self, error: BaseException) -> None:
        """The call has failed."""
        told, tag = encode_exception(error)
        self._opened.end(Outcome(error=told, raised=tag))

    def result(self) -> Any:
        """A copy of what was recorded; None where that was nothing."""
        return None if isinstance(self._answer.result, msgspec.UnsetType) else decode(self._answer.result)

    def error(self) -> BaseException | None:
        """What the recorded call raised, new at each call."""
        if self._answer.error is None:
            return None
        raised = self._answer.raised
        return restore_exception(self._answer.error, None if isinstance(raised, msgspec.UnsetType) else raised)

    def events(self) -> list[Any] | None:
        """What the recorded call streamed, as far as it was consumed; None where it streamed nothing."""
        items = self._stream().get("value")
        if not isinstance(items, list) or (not items and self._answer.error is not None):
            return None
        return [decode(item) for item in items]

    def end_of_stream(self) -> Callable[[], BaseException] | None:
        """What one who asks for more than the events gets, where that is not a plain end."""
        if self._answer.error is not None:
            return lambda: self.error() or RuntimeError()
        return self._exhausted if self._stream().get("closed") else None

    async def wait_if_cancelled(self) -> None:
        """A recorded call that was cancelled waits to be cancelled again. Raises ReplayMismatchError if it is not."""
        error = self.error()
        if error is not None and is_cancellation(error):
            await cancelled_again(self._refused)

    def _stream(self) -> dict[str, Any]:
        tag = self._answer.result
        return tag if isinstance(tag, dict) and tag.get("$py") == "stream" else {}

    def _exhausted(self) -> BaseException:
        count = len(self._stream()["value"])
        what = f"a stream was asked for more than the {count} items after which it was closed"
        if self._refused is not None:
            self._refused(what)
        return ReplayExhaustedError(what, fix="record the run again")
