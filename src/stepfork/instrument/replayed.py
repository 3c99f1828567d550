"""What stands for a recorded stream or generator in a replay: its items, then the recorded end or exception."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from typing import Any

from stepfork.errors import ReplayExhaustedError
from stepfork.instrument.named import find_class
from stepfork.trace.body import JsonValue

Tag = dict[str, JsonValue]


def replayed(
    tag: Tag,
    decode: Callable[[JsonValue], Any],
    failure: Callable[[], BaseException] | None = None,
    refused: Callable[[str], object] | None = None,
) -> Any:
    """What stands for a recorded stream: its items, and then what `failure` makes is raised, where it raised.

    A consumer who wants more of it than was asked for when it was recorded gets a ReplayExhaustedError, and `refused`
    is told: what would have followed is not known.
    """

    def items() -> Generator[Any, None, Any]:
        for item in tag["value"]:
            yield decode(item)
        if failure is not None:
            raise failure()
        if tag.get("closed"):
            what = f"a stream was asked for more than the {len(tag['value'])} items after which it was closed"
            if refused is not None:
                refused(what)
            raise ReplayExhaustedError(what, fix="record the run again")
        return decode(tag["returned"]) if "returned" in tag else None

    if tag["$py"] == "stream":
        return (_Both if tag.get("both") else _Async if tag.get("async") else _Sync)(tag, items())
    if tag.get("async"):
        return _areplayed(items())
    return items()


async def _areplayed(items: Iterator[Any]) -> AsyncGenerator[Any, Any]:
    for item in items:
        yield item


class _Replayed:
    """Items of a recording. Other attributes of the original are not known."""

    def __init__(self, tag: dict[str, JsonValue], items: Iterator[Any]) -> None:
        self._tag = tag
        self._items = items

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return find_class(self._tag.get("type")) or type(self)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the recording holds the items of a {self._tag.get('type', 'stream')}, but no {name!r}")

    def _shut(self) -> None:
        self._items = iter(())


class _Sync(_Replayed):
    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return next(self._items)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *failure: object) -> None:
        self._shut()

    def close(self) -> Any:
        self._shut()


class _Async(_Replayed):
    def __aiter__(self) -> Any:
        return self

    async def __anext__(self) -> Any:
        try:
            return next(self._items)
        except StopIteration:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *failure: object) -> None:
        self._shut()

    async def aclose(self) -> None:
        self._shut()

    async def close(self) -> Any:
        self._shut()


class _Both(_Sync, _Async):
    pass
