"""What a stream or a generator gave, as far as its consumer went: told to the session once, when it is over.

It is over when it is exhausted, when it raised, when it is closed, and when nobody has it any more.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from stepfork.instrument.failures import encode_exception
from stepfork.instrument.session import Opened
from stepfork.trace.body import JsonValue
from stepfork.trace.call import Outcome


class Tape:
    """The items of one call, written as they pass; each is a copy of that moment. `shape` is what the tag of the stream
    says besides them."""

    def __init__(self, opened: Opened, encode: Callable[[Any], JsonValue], shape: dict[str, JsonValue]) -> None:
        self._opened = opened
        self._encode = encode
        self._shape = shape
        self._items: list[JsonValue] = []
        self._is_over = False

    def item(self, value: Any) -> None:
        """The consumer was given `value`."""
        if not self._is_over:
            self._items.append(self._encode(value))

    def ended(self, returned: Any = None) -> None:
        """There are no more items; a generator may have returned something."""
        self._over({} if returned is None else {"returned": self._encode(returned)})

    def closed(self) -> None:
        """The consumer wants no more: what would have followed is not known."""
        self._over({"closed": True})

    def failed(self, error: BaseException) -> None:
        """It raised."""
        self._over({}, error)

    def _over(self, how: dict[str, JsonValue], error: BaseException | None = None) -> None:
        if self._is_over:
            return
        self._is_over = True
        tag = {**self._shape, "value": self._items, **how}
        if error is None:
            self._opened.end(Outcome(tag))
        else:
            told, raised = encode_exception(error)
            self._opened.end(Outcome(tag, told, raised))

    def __del__(self) -> None:
        with suppress(Exception):  # the interpreter may be ending
            self.closed()
