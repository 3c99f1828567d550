from __future__ import annotations

import asyncio
import gc
import inspect
from collections.abc import AsyncIterator, Iterator
from types import AsyncGeneratorType, GeneratorType
from typing import Any

import msgspec
import pytest

from stepfork import allm_request, llm_request, trace_tool
from stepfork.errors import ReplayExhaustedError
from stepfork.instrument import context
from stepfork.trace.call import Call
from tests.unit.instrument.sessions import recorded, replayed

RAN: list[Any] = []


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    RAN.clear()


@trace_tool
def inner(value: int) -> int:
    return value


@trace_tool
def counting(limit: int) -> Any:
    """Counts, takes what is sent, survives ValueError and returns how it went."""
    caught = 0
    try:
        for number in range(limit):
            try:
                sent = yield inner(number)
                RAN.append(sent)
            except ValueError:
                caught += 1
        return ("done", caught)
    finally:
        RAN.append("over")


@trace_tool
async def acounting(limit: int) -> Any:
    try:
        for number in range(limit):
            await asyncio.sleep(0)
            try:
                sent = yield number
                RAN.append(sent)
            except ValueError:
                yield "caught"
    finally:
        RAN.append("over")


@trace_tool
def breaking() -> Iterator[int]:
    yield 1
    raise TimeoutError("slow")


def tag(call: Call) -> Any:
    assert call.outcome is not None
    return call.outcome.result


def outer(calls: list[Call]) -> Call:
    return next(call for call in calls if call.parent is None)


def returned(generator: Any, *, sends: tuple[Any, ...] = ()) -> Any:
    items: list[Any] = []
    try:
        items.append(next(generator))
        for value in (*sends, None, None, None):
            items += [generator.throw(value) if isinstance(value, ValueError) else generator.send(value)]
    except StopIteration as stop:
        return items, stop.value


def test_generators_do_all_that_they_did() -> None:
    def run() -> Any:
        return returned(counting(4), sends=("a", ValueError("b"), "c"))

    expected, ran = run(), RAN.copy()
    RAN.clear()

    result, calls = recorded(run)

    assert (result, RAN) == (expected, ran)
    assert {call.parent for call in calls if call.asked.name == "inner"} == {0}
    assert replayed(run, calls) == expected
    assert ran == RAN


def test_the_kinds_of_functions_stay_what_they_were() -> None:
    assert inspect.isgeneratorfunction(counting)
    assert inspect.isasyncgenfunction(acounting)
    kinds, calls = recorded(lambda: [type(counting(0)), list(counting(0)), type(acounting(1))])
    assert kinds == [GeneratorType, [], AsyncGeneratorType]
    assert [call.asked.name for call in calls] == ["counting"]  # those that nobody asked for an item have not begun


def test_items_pass_one_by_one() -> None:
    def run() -> list[Any]:
        seen = []
        for item in counting(3):
            seen.append(item)
            seen.append(len(RAN))
        return seen

    assert recorded(run)[0] == [0, 0, 1, 1, 2, 2]


def test_what_the_consumer_does_in_between_is_not_the_generators() -> None:
    def run() -> None:
        for item in counting(2):
            inner(item + 10)

    _, calls = recorded(run)

    assert [(call.asked.arguments, call.parent) for call in calls[1:]] == [
        ({"value": 0}, 0),
        ({"value": 10}, None),
        ({"value": 1}, 0),
        ({"value": 11}, None),
    ]


def test_a_closed_generator_is_recorded_as_far_as_it_went() -> None:
    def run() -> Any:
        made = counting(9)
        items = [next(made), next(made)]
        made.close()
        return items

    result, calls = recorded(run)

    assert result == [0, 1]
    assert RAN == [None, "over"]
    assert tag(outer(calls)) == {"$py": "generator", "value": [0, 1], "closed": True}
    assert replayed(run, calls) == [0, 1]


def test_an_abandoned_generator_ends_with_its_last_reference() -> None:
    def run() -> Any:
        made = counting(9)
        return next(made)

    _, calls = recorded(lambda: (run(), gc.collect()))

    assert tag(outer(calls)) == {"$py": "generator", "value": [0], "closed": True}


def test_a_generator_that_raised_raises_again_after_its_items() -> None:
    def run() -> Any:
        items: list[int] = []
        try:
            for item in breaking():
                items.append(item)  # noqa: PERF402 - a list that stays as far as it came
        except TimeoutError as error:
            return items, str(error)

    result, calls = recorded(run)

    assert replayed(run, calls) == result == ([1], "slow")
    assert calls[0].outcome is not None
    assert calls[0].outcome.error is not None


def test_more_than_was_recorded_is_not_made_up_and_not_hidden() -> None:
    _, calls = recorded(lambda: next(counting(9)))
    told: list[str] = []

    def run() -> Any:
        made = counting(9)
        with pytest.raises(ReplayExhaustedError, match="more than the 1 items after which it was closed"):
            return [next(made), next(made)]

    replayed(run, calls, told)

    assert told == ["a stream was asked for more than the 1 items after which it was closed"]


def test_async_generators_do_all_that_they_did() -> None:
    async def consume() -> Any:
        made = acounting(3)
        items = [await anext(made), await made.asend("a"), await made.athrow(ValueError("b"))]
        return items + [item async for item in made]

    def run() -> Any:
        return asyncio.run(consume())

    expected, ran = run(), RAN.copy()
    RAN.clear()
    result, calls = recorded(run)

    assert (result, RAN) == (expected, ran)
    assert tag(calls[0]) == {"$py": "generator", "async": True, "value": [0, 1, "caught", 2]}
    assert replayed(run, calls) == expected


@pytest.mark.parametrize("how", ["aclose", "abandon"])
def test_async_generators_that_are_left_early(how: str) -> None:
    async def consume() -> Any:
        made = acounting(3)
        item = await anext(made)
        if how == "aclose":
            await made.aclose()
        return item

    result, calls = recorded(lambda: asyncio.run(consume()))

    assert result == 0
    assert RAN == ["over"]
    assert tag(calls[0]) == {"$py": "generator", "async": True, "value": [0], "closed": True}


class Stream:
    """An SDK's stream: an iterator that has a response, and is a context."""

    def __init__(self, items: list[Any]) -> None:
        self.response = "response"
        self.is_closed = False
        self._items = iter(items)

    def __iter__(self) -> Iterator[Any]:
        yield from self._items

    def __next__(self) -> Any:
        item = next(self._items)
        if isinstance(item, Exception):
            raise item
        return item

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        self.is_closed = True


class AsyncStream:
    def __init__(self, items: list[Any]) -> None:
        self._items = iter(items)
        self.is_closed = False

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        for item in self._items:
            return item
        raise StopAsyncIteration

    async def __aenter__(self) -> AsyncStream:
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self.close()

    async def close(self) -> None:
        self.is_closed = True


class Chunk(msgspec.Struct):
    text: str


def ask(items: list[Any], *, model: str = "m") -> Stream:
    RAN.append(model)
    return Stream(items)


async def aask(items: list[Any], *, model: str) -> AsyncStream:
    RAN.append(model)
    return AsyncStream(items)


def test_a_stream_object_stays_what_it_is() -> None:
    def run() -> Any:
        with llm_request(ask, [Chunk("a"), Chunk("b")], model="m") as stream:
            assert isinstance(stream, Stream)
            assert isinstance(stream, Iterator)
            assert not hasattr(stream, "nothing")
            return list(stream)

    result, calls = recorded(run)

    assert result == [Chunk("a"), Chunk("b")]
    assert tag(calls[0])["type"] == f"{__name__}:Stream"
    RAN.clear()
    assert replayed(run, calls) == result
    assert RAN == []


def test_a_recorded_stream_hands_on_what_is_asked_of_the_original() -> None:
    def run() -> Any:
        stream = llm_request(ask, [1, 2])
        stream.response = (stream.response, next(stream))
        stream.close()
        return stream.response, stream.is_closed

    result, calls = recorded(run)

    assert result == (("response", 1), True)
    assert tag(calls[0]) == {"$py": "stream", "type": f"{__name__}:Stream", "value": [1], "closed": True}


def test_a_stream_that_nobody_reads_is_over_when_it_is_dropped() -> None:
    _, calls = recorded(lambda: llm_request(ask, [1, 2]) and None)

    assert tag(calls[0])["closed"] is True


class Failing(Stream):
    def __iter__(self) -> Iterator[Any]:
        return self


def test_a_stream_that_fails() -> None:
    def run() -> Any:
        stream = llm_request(Failing, [1, ConnectionResetError(104, "reset")])
        items = [next(stream)]
        with pytest.raises(ConnectionResetError, match="reset"):
            next(stream)
        return items

    result, calls = recorded(run)

    assert replayed(run, calls) == result == [1]


def test_async_streams() -> None:
    async def consume() -> Any:
        async with await allm_request(aask, [1, 2, 3], model="m") as stream:
            assert isinstance(stream, AsyncStream)
            return [item async for item in stream]

    def run() -> Any:
        return asyncio.run(consume())

    result, calls = recorded(run)

    assert replayed(run, calls) == result == [1, 2, 3]
    assert calls[0].asked.model == "m"


def test_files_and_cursors_are_no_streams(tmp_path: Any) -> None:
    import sqlite3

    (tmp_path / "f").write_text("a\nb\n")
    opened = trace_tool(open)

    def run() -> Any:
        with opened(tmp_path / "f") as file:
            first = file.readline()
            rest = file.readlines()
        connection = sqlite3.connect(":memory:")
        rows = trace_tool(connection.execute, name="query")("select 1")
        assert type(rows) is sqlite3.Cursor
        connection.close()
        return first, rest

    result, calls = recorded(run)

    assert result == ("a\n", ["b\n"])
    assert tag(calls[0])["$py"] == "opaque"


def test_the_context_is_the_consumers_between_items() -> None:
    def run() -> Any:
        made = counting(2)
        next(made)
        return context.here()

    place = recorded(run)[0]

    assert place.parent is None
