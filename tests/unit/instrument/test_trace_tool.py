from __future__ import annotations

import asyncio
import functools
import inspect
import operator
import subprocess
import sys
from typing import Any

import pytest

import stepfork
from stepfork.errors import UsageError
from stepfork.instrument.tagged import decode
from tests.unit.instrument.sessions import recorded, replayed

RAN: list[str] = []


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    RAN.clear()


def arguments(calls: list[Any]) -> list[tuple[str, Any]]:
    return [(call.asked.name, decode(call.asked.arguments)) for call in calls]


@stepfork.trace_tool
def search(city: str, /, limit: int = 3, *more: int, sort: str = "price", **filters: object) -> dict[str, Any]:
    """Find flights."""
    RAN.append("search")
    return {"z": city, "a": limit}


@stepfork.trace_tool(name="pay")
async def charge(amount: int) -> tuple[str, int]:
    RAN.append("charge")
    await asyncio.sleep(0)
    return ("paid", amount)


class Shop:
    @stepfork.trace_tool
    def order(self, item: str) -> str:
        RAN.append("order")
        return f"{type(self).__name__} {item}"

    @stepfork.trace_tool
    @classmethod
    def outside(cls, item: str) -> str:
        RAN.append("outside")
        return f"{cls.__name__} {item}"

    @classmethod
    @stepfork.trace_tool
    def inside(cls, item: str) -> str:
        RAN.append("inside")
        return f"{cls.__name__} {item}"

    @stepfork.trace_tool
    @staticmethod
    def plain(item: str) -> str:
        RAN.append("plain")
        return item

    @staticmethod
    @stepfork.trace_tool
    def bare(item: str) -> str:
        RAN.append("bare")
        return item

    def bound(self, item: str) -> str:
        RAN.append("bound")
        return item

    def __call__(self, item: str) -> str:
        RAN.append("call")
        return f"called {item}"


class AsyncCallable:
    async def __call__(self, item: str) -> str:
        RAN.append("acall")
        return f"awaited {item}"


def both_ways(run: Any) -> tuple[Any, list[tuple[str, Any]]]:
    """The result of a recording, held to that of a plain run and to that of a replay in which no body runs."""
    expected = run()
    result, calls = recorded(run)
    assert result == expected
    assert type(result) is type(expected)
    RAN.clear()
    again = replayed(run, calls)
    assert again == expected
    assert type(again) is type(expected)
    assert RAN == []
    return result, arguments(calls)


def test_arguments_are_told_by_name_as_they_were_passed() -> None:
    def run() -> Any:
        return [search("Oslo"), search("Rome", 5), search("Bonn", 1, 8, 9, sort="time", stops=0, when=(1,))]

    _, told = both_ways(run)

    assert told == [
        ("search", {"city": "Oslo"}),
        ("search", {"city": "Rome", "limit": 5}),
        ("search", {"city": "Bonn", "limit": 1, "more": [8, 9], "sort": "time", "stops": 0, "when": (1,)}),
    ]


def test_a_keyword_with_the_name_of_a_positional_parameter_loses_neither() -> None:
    _, told = both_ways(lambda: search("Oslo", city="Rome"))

    assert told == [("search", {"city": "Oslo", "**filters": {"city": "Rome"}})]


def test_arguments_that_look_like_a_tag_are_arguments() -> None:
    _, told = both_ways(lambda: search("Oslo", **{"$py": "opaque"}))

    assert told == [("search", {"city": "Oslo", "$py": "opaque"})]


def test_coroutine_functions() -> None:
    async def run() -> Any:
        return await charge(3)

    _, told = both_ways(lambda: asyncio.run(run()))

    assert told == [("pay", {"amount": 3})]


@pytest.mark.parametrize("name", ["order", "outside", "inside", "plain", "bare"])
def test_methods_of_all_kinds(name: str) -> None:
    _, told = both_ways(lambda: getattr(Shop(), name)("tea"))

    assert told == [(name, {"item": "tea"})]


def test_bound_methods_partials_builtins_and_callable_objects() -> None:
    bound = stepfork.trace_tool(Shop().bound)
    part = stepfork.trace_tool(functools.partial(functools.partial(pow, 2), exp=5))
    native = stepfork.trace_tool(max, name="largest")
    instance = stepfork.trace_tool(Shop())
    getter = stepfork.trace_tool(operator.itemgetter(1))

    result, told = both_ways(lambda: [bound("a"), part(), native(3, 4), instance("b"), getter([7, 8])])

    assert result == ["a", 32, 4, "called b", 8]
    assert told == [
        ("bound", {"item": "a"}),
        ("pow", {"base": 2, "exp": 5}),
        ("largest", {"args": [3, 4]}),
        ("Shop", {"item": "b"}),
        ("itemgetter", {"args": [[7, 8]]}),
    ]


def test_a_callable_object_that_gives_a_coroutine() -> None:
    instance = stepfork.trace_tool(AsyncCallable())

    async def run() -> Any:
        return await instance("x")

    both_ways(lambda: asyncio.run(run()))


def test_a_replayed_result_is_a_copy() -> None:
    calls = recorded(lambda: search("Oslo"))[1] * 2

    def run() -> Any:
        search("Oslo")["z"] = "changed"
        return search("Oslo")

    assert replayed(run, calls) == {"z": "Oslo", "a": 3}


def test_a_recorded_result_is_of_the_moment() -> None:
    held: list[int] = []

    @stepfork.trace_tool
    def numbers(sink: list[int]) -> list[int]:
        sink.append(1)
        return held

    def run() -> list[int]:
        taken = numbers(held)
        taken.append(2)
        return taken

    _, calls = recorded(run)

    assert arguments(calls) == [("numbers", {"sink": []})]
    assert calls[0].outcome is not None
    assert calls[0].outcome.result == [1]


@pytest.mark.parametrize(
    ("function", "made"),
    [(search, search.__wrapped__), (charge, charge.__wrapped__), (Shop.order, Shop.order.__wrapped__)],
    ids=["sync", "async", "method"],
)
def test_an_instrumented_function_looks_like_the_original(function: Any, made: Any) -> None:
    for ask in (
        inspect.signature,
        inspect.iscoroutinefunction,
        inspect.isgeneratorfunction,
        inspect.isasyncgenfunction,
        inspect.isfunction,
        inspect.getdoc,
        operator.attrgetter("__name__"),
        operator.attrgetter("__qualname__"),
        operator.attrgetter("__module__"),
        operator.attrgetter("__annotations__"),
    ):
        assert ask(function) == ask(made), ask


@pytest.mark.parametrize("args", [(), ("Oslo", 1)], ids=["too few", "twice"])
def test_arguments_that_python_refuses_are_no_call(args: tuple[Any, ...]) -> None:
    def run() -> str:
        with pytest.raises(TypeError) as caught:
            search(*args, limit=2)
        return str(caught.value)

    said, calls = recorded(run)

    assert said == run()
    assert calls == []


def test_arguments_that_python_refuses_are_no_call_of_a_coroutine_function_either() -> None:
    async def run() -> None:
        with pytest.raises(TypeError, match=r"charge\(\) missing 1 required positional argument: 'amount'"):
            await charge()  # type: ignore[call-arg]

    assert recorded(lambda: asyncio.run(run()))[1] == []


def test_a_signature_that_another_decorator_claims_decides_nothing() -> None:
    def with_session(function: Any) -> Any:
        @functools.wraps(function)
        def inner(*args: Any) -> Any:
            return function("session", *args)

        return inner

    @stepfork.trace_tool
    @with_session
    def find(session: str, key: str) -> str:
        RAN.append("find")
        return f"{session} {key}"

    _, told = both_ways(lambda: find("k"))

    assert told == [("find", {"args": ["k"]})]


def test_what_cannot_be_instrumented_is_refused() -> None:
    with pytest.raises(UsageError, match="both encode= and decode="):
        stepfork.trace_tool(encode=str)
    with pytest.raises(UsageError, match="both encode= and decode="):
        stepfork.trace_tool(search, decode=str)
    with pytest.raises(UsageError, match="functions, methods and objects"):
        stepfork.trace_tool(Shop)
    with pytest.raises(UsageError, match="functions, methods and objects"):
        stepfork.trace_tool("search")


class Money:
    """A class of which stepfork knows nothing."""

    def __init__(self, cents: int) -> None:
        self._cents = cents

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Money) and other._cents == self._cents

    __hash__ = None  # type: ignore[assignment]


def test_own_serializers() -> None:
    @stepfork.trace_tool(encode=lambda money: {"cents": money._cents}, decode=lambda kept: Money(kept["cents"]))
    def price(item: str) -> Money:
        return Money(len(item))

    both_ways(lambda: price("tea"))


def test_own_serializers_of_generators_are_for_items() -> None:
    @stepfork.trace_tool(encode=lambda money: money._cents, decode=Money)
    def prices() -> Any:
        yield Money(1)
        yield Money(2)

    both_ways(lambda: list(prices()))


def test_an_own_encoder_that_raises_reaches_nobody() -> None:
    @stepfork.trace_tool(encode=lambda value: value.nothing, decode=lambda kept: pytest.fail("it was not encoded"))
    def one() -> list[int]:
        return [1]

    both_ways(one)


def test_nested_calls_have_the_call_they_are_made_in() -> None:
    @stepfork.trace_tool
    def outer(item: str) -> Any:
        return [search(item), search(item)]

    _, calls = recorded(lambda: [outer("x"), search("y")])

    assert [(call.number, call.parent) for call in calls] == [(0, None), (1, 0), (2, 0), (3, None)]


def test_the_front_door_of_instrumentation_loads_nothing_heavy() -> None:
    heavy = {"aiohttp", "asyncio", "pydantic", "orjson", "opentelemetry", "dulwich", "rich", "typer", "yaml", "json"}
    code = (
        "import sys\nfrom stepfork import llm_request, trace_tool\n@trace_tool\ndef f(x): return x\n"
        f"f(1), llm_request(f, 2)\nprint(sorted({heavy!r} & set(sys.modules)))"
    )

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "[]\n"


def kinds_of_one_tool() -> list[Any]:
    @stepfork.trace_tool(name="outer")
    @stepfork.trace_tool(name="inner", encode=lambda made: made.imag, decode=lambda kept: complex(0, kept))
    def plain(again: bool) -> complex:
        RAN.append("ran")
        return complex(0, plain(again=False).imag if again else 1)

    @stepfork.trace_tool(name="outer")
    @stepfork.trace_tool(name="inner")
    async def awaited(again: bool) -> int:
        RAN.append("ran")
        return await awaited(again=False) if again else 1

    @stepfork.trace_tool(name="outer")
    @stepfork.trace_tool(name="inner")
    def items(again: bool) -> Any:
        RAN.append("ran")
        yield from items(again=False) if again else [1]

    @stepfork.trace_tool(name="outer")
    @stepfork.trace_tool(name="inner")
    async def aitems(again: bool) -> Any:
        RAN.append("ran")
        async for item in aitems(again=False) if again else aiter_of(1):
            yield item

    return [plain, awaited, items, aitems]


async def aiter_of(item: int) -> Any:
    yield item


def outcome(made: Any) -> Any:
    async def every() -> Any:
        return [item async for item in made] if hasattr(made, "__anext__") else await made

    if hasattr(made, "__anext__") or inspect.iscoroutine(made):
        return asyncio.run(every())
    return list(made) if inspect.isgenerator(made) else made


@pytest.mark.parametrize("kind", range(4))
def test_two_decorators_are_one_tool(kind: int) -> None:
    tool = kinds_of_one_tool()[kind]
    value, calls = recorded(lambda: outcome(tool(True)))
    assert [(call.asked.name, call.parent) for call in calls] == [("outer", None), ("outer", 0)]
    RAN.clear()
    assert replayed(lambda: outcome(tool(True)), calls) == value
    assert RAN == []
