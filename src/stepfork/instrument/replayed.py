"""What stands for a recorded stream or generator in a replay: its items, then the recorded end or exception."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from typing import Any

from stepfork.errors import ReplayExhaustedError
from stepfork.instrument.cancelled import cancelled_again, is_cancellation
from stepfork.instrument.named import find_class
from stepfork.trace.body import JsonValue

Tag = dict[str, JsonValue]
Refused = Callable[[str], object] | None


def replayed(
    tag: Tag,
    decode: Callable[[JsonValue], Any],
    failure: Callable[[], BaseException] | None = None,
    refused: Refused = None,
) -> Any:
    """What stands for a recorded stream: its items, and then what `failure` makes is raised, where it raised.

    A consumer who wants more of it than was asked for when it was recorded gets a ReplayExhaustedError, and `refused`
    is told: what would have followed is not known.
    """

    def items() -> Generator[Any, None, Any]:
        thrown: BaseException | None = None
        for item in tag["value"]:
            try:
                yield decode(item)
            except Exception as error:  # what the body made of it comes next
                thrown = error
        if failure is not None:
            raise _same(failure(), thrown)
        if tag.get("closed"):
            what = f"a stream was asked for more than the {len(tag['value'])} items after which it was closed"
            if refused is not None:
                refused(what)
            raise ReplayExhaustedError(what, fix="record the run again")
        return decode(tag["returned"]) if "returned" in tag else None

    if tag["$py"] == "stream":
        made = _Both if tag.get("both") else _Async if tag.get("async") else _Sync
        return made(tag, items(), refused)
    if tag.get("async"):
        return _areplayed(items(), refused)
    return items()


def _same(failure: BaseException, thrown: BaseException | None) -> BaseException:
    """The exception that the consumer threw, where that is what came back: `contextlib` looks whether it is."""
    if thrown is not None and type(thrown) is type(failure) and thrown.args == failure.args:
        return thrown
    return failure


async def _areplayed(items: Generator[Any, None, Any], refused: Refused) -> AsyncGenerator[Any, Any]:
    thrown: BaseException | None = None
    while True:
        try:
            item = next(items) if thrown is None else items.throw(thrown)
        except StopIteration:
            return
        except BaseException as error:
            if is_cancellation(error):
                await cancelled_again(refused)
            raise
        thrown = None
        try:
            yield item
        except Exception as error:
            thrown = error


class _Replayed:
    """Items of a recording. Other attributes of the original are not known."""

    def __init__(self, tag: Tag, items: Iterator[Any], refused: Refused) -> None:
        self._tag = tag
        self._items = items
        self._refused = refused

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
        except BaseException as error:
            if is_cancellation(error):
                await cancelled_again(self._refused)
            raise

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
