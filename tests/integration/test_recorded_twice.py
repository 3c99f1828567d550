"""A program whose calls are instrumented, recorded twice: the same bytes, whatever its clocks, ids, addresses and
threads do; and what it held comes back out of the fixture."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import random
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import stepfork
from stepfork.canonical.encode import dumps
from stepfork.diff.fixture_diff import diff_fixtures
from stepfork.instrument.tagged import decode
from stepfork.store.bundle import read_bundle
from stepfork.trace.fixture import Fixture
from stepfork.trace.in_process import told_result
from tests.integration.stand import Stand

PASSWORD = "".join(["hunter2", "x", "q9"])


TURNS: list[int] = []
"""How often each task lets the others go first."""


@dataclasses.dataclass
class Booking:
    owner: str
    password: str
    at: dt.datetime
    number: uuid.UUID
    items: tuple[Any, ...]


class World:
    """What differs between two runs of a program: addresses, ids, clocks, and who is faster."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.address = f"user{seed}@example.com"

    def model(self, *, model: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
        message = {"role": "assistant", "content": f"answer {len(messages)} for {self.address}"}
        name = f"chatcmpl-{self.chance.getrandbits(120):030x}"
        return {"id": name, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "model": model}


@stepfork.trace_tool
def book(world: str, what: str) -> Booking:
    return Booking(world, PASSWORD, dt.datetime.now(dt.UTC), uuid.uuid4(), (what, Decimal("1.50"), {3}))


@stepfork.trace_tool
def outer(world: str) -> list[Any]:
    return [book(world, "inner").items]


@stepfork.trace_tool
async def slow(number: int) -> int:
    for _ in range(TURNS[number]):
        await asyncio.sleep(0)
    return number


@stepfork.trace_tool
def refused(world: str) -> None:
    raise PermissionError(f"{world} may not use password={PASSWORD}")


def program(world: World) -> dict[str, Any]:
    messages: list[dict[str, Any]] = []
    for turn in range(3):
        messages.append({"role": "user", "content": f"question {turn} of {world.address}"})
        answer = stepfork.llm_request(world.model, model="test-model", messages=list(messages))
        messages.append(answer["choices"][0]["message"])
    first = book(world.address, "first")
    outer(world.address)
    met = threading.Barrier(3)

    def together(number: int) -> Any:
        met.wait(20)
        return [book(world.address, f"thread {number}"), outer(world.address)]

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(together, range(3)))

    async def tasks() -> list[int]:
        TURNS[:] = [world.chance.randint(0, 5) for _ in range(5)]
        return await asyncio.gather(*map(slow, range(5)))

    asyncio.run(tasks())
    with suppress(PermissionError):
        refused(world.address)
    return {"number": str(first.number), "turns": len(messages)}


def recorded(seed: int, path: Path) -> Fixture:
    world = World(seed)
    with stepfork.record("run", output=path) as capture:
        capture.set_output(program(world))
    return read_bundle(path)


def bytes_of(path: Path) -> dict[str, bytes]:
    return {str(one.relative_to(path)): one.read_bytes() for one in sorted(path.rglob("*")) if one.is_file()}


@pytest.fixture
def twice(stand: Stand) -> tuple[Path, Path]:
    paths = stand.root / "one.sftrace", stand.root / "two.sftrace"
    for seed, path in enumerate(paths, 1):
        recorded(seed, path)
    return paths


def test_two_recordings_are_the_same_bytes(twice: tuple[Path, Path]) -> None:
    one, two = map(bytes_of, twice)
    assert [name for name in one.keys() | two.keys() if one.get(name) != two.get(name)] == []
    assert all(PASSWORD.encode() not in data for data in one.values())


def test_the_fixture_says_what_ran_at_once_and_gives_the_objects_back(twice: tuple[Path, Path]) -> None:
    run = read_bundle(twice[0]).run
    steps = run.trace.steps
    assert run.trace.origin == "instrumented"
    assert len(run.exchanges) == 3
    top = [(step.name, step.group) for step in steps if step.parent is None]
    assert top == [
        *[("test-model", None)] * 3,
        ("book", None),
        ("outer", None),
        *[("book", 1), ("outer", 1)] * 3,
        *[("slow", 2)] * 5,
        ("refused", None),
    ]
    booked = next(step for step in steps if step.name == "book")
    made = decode(told_result(booked, run.exchanges))
    assert type(made) is Booking
    assert (made.owner, made.password) == ("{{email_1}}", "[redacted]")
    assert made.items == ("first", Decimal("1.50"), {3})
    failed = steps[-1]
    assert failed.error is not None
    assert failed.error.type == "PermissionError"
    assert type(decode(failed.raised)) is PermissionError


def test_a_change_of_type_alone_is_a_change_that_reads_like_one(stand: Stand) -> None:
    def made(result: Any) -> Fixture:
        path = stand.root / f"{len([*stand.root.iterdir()])}.sftrace"
        give = stepfork.trace_tool(lambda: result, name="give")
        with stepfork.record("run", output=path) as capture:
            capture.set_output(give() is None)
        return read_bundle(path)

    dated, text, same = made({"at": dt.date(2020, 1, 2)}), made({"at": "2020-01-02"}), made({"at": dt.date(2020, 1, 2)})
    assert diff_fixtures(dated, same).changes == ()
    (change,) = diff_fixtures(dated, text).changes
    assert "$py" not in dumps([field.path for field in change.fields]).decode()
    assert [(field.path, field.old, field.new) for field in change.fields] == [
        ("/steps/0/result/at", {"$py": "date", "value": "2020-01-02"}, "2020-01-02")
    ]
    (other,) = diff_fixtures(dated, made({"at": dt.date(2020, 1, 3)})).changes
    assert [(field.path, field.old, field.new) for field in other.fields] == [
        ("/steps/0/result/at", "2020-01-02", "2020-01-03")
    ]


def test_show_and_the_page_of_git_have_values_and_no_tags(stand: Stand) -> None:
    with stepfork.record("run", emit_test=False) as capture:
        capture.set_output(program(World(1)))
    for words in (("show", "run"), ("textconv", str(stand.root / ".stepfork" / "fixtures" / "run.json"))):
        told = stand.stepfork(*words).out
        assert "$py" not in told
        assert "1.50" in told
