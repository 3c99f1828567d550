"""Instrumented calls of a block: what becomes of them, and that the program is never disturbed by it."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import errno
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pydantic
import pytest

import stepfork
from stepfork.errors import CaptureError, UsageError
from stepfork.store.bundle import read_bundle
from stepfork.store.drafts import draft_path
from stepfork.store.layout import JOURNAL
from stepfork.trace.fixture import Run
from stepfork.trace.step import StepError
from tests.integration.stand import Stand

PASSWORD = "-".join(["correct", "horse", "77", "battery"])


@stepfork.trace_tool
def look_up(order: str) -> dict[str, Any]:
    return {"order": order, "amount": 40.0}


@stepfork.trace_tool
async def look_up_later(order: str) -> dict[str, Any]:
    await asyncio.sleep(0)
    return look_up(order)


@stepfork.trace_tool
def fail(order: str) -> None:
    raise TimeoutError(f"no answer for {order}")


def steps(run: Run) -> list[tuple[str, Any, Any]]:
    return [(step.name, step.arguments, step.result) for step in run.trace.steps]


def journals(stand: Stand) -> list[Path]:
    return [*stand.root.rglob(JOURNAL)]


def test_a_block_without_any_http_is_a_good_fixture(stand: Stand) -> None:
    look_up("before")
    with stepfork.record("refund", agent_id="refunds") as capture:
        (journal,) = journals(stand)
        assert journal == draft_path(stand.store, "refund") / JOURNAL
        assert capture.run(lambda order: look_up(order)["amount"], "O-1") == 40.0
    look_up("after")
    assert capture.result is not None
    assert (capture.result.outcome, capture.result.causes, capture.result.notices) == ("verified", (), ())
    run = stand.store.read("refund").run
    assert steps(run) == [("look_up", {"order": "O-1"}, {"order": "O-1", "amount": 40.0})]
    assert (run.trace.origin, run.trace.input, run.trace.output) == ("instrumented", "O-1", 40.0)
    assert (run.trace.agent, run.trace.status, run.source.replay_capable) == ("refunds", "completed", True)
    assert not (stand.store.root / "failed").exists()
    assert stand.stepfork("validate", "refund").out.startswith("refund: valid (0 exchanges, 1 step, ")
    stored = stand.files()
    with stepfork.record("refund", agent_id="refunds") as capture:
        capture.run(lambda order: look_up(order)["amount"], "O-1")
    assert stand.files() == stored


def test_a_bundle_takes_the_place_of_its_journal(stand: Stand) -> None:
    with stepfork.record("refund", output="made/run.sftrace") as capture:
        assert journals(stand) == [stand.root / "made" / "run.sftrace" / JOURNAL]
        look_up("O-1")
    assert capture.result is not None
    assert capture.result.fixture == stand.root / "made" / "run.sftrace"
    assert journals(stand) == []
    assert steps(read_bundle(stand.root / "made" / "run.sftrace").run)[0][0] == "look_up"
    assert stand.stepfork("fsck", "made/run.sftrace")


def test_coroutines(stand: Stand) -> None:
    async def agent(*orders: str, polite: bool) -> int:
        return len(await asyncio.gather(*map(look_up_later, orders))) if polite else 0

    async def recorded() -> None:
        async with stepfork.record("refund") as capture:
            assert await capture.arun(agent, "O-1", "O-2", polite=True) == 2

    asyncio.run(recorded())
    trace = stand.store.read("refund").run.trace
    assert trace.input == {"$py": "call", "args": ["O-1", "O-2"], "kwargs": {"polite": True}}
    assert trace.output == 2
    assert sorted(step.name for step in trace.steps) == ["look_up", "look_up", "look_up_later", "look_up_later"]
    assert {step.group for step in trace.steps if step.name == "look_up_later"} == {1}


def test_the_input_is_what_it_was_when_the_agent_began(stand: Stand) -> None:
    def agent(request: dict[str, Any]) -> None:
        look_up(request.pop("order"))

    with stepfork.record("refund") as capture:
        capture.run(agent, {"order": "O-1"})
    assert stand.store.read("refund").run.trace.input == {"order": "O-1"}
    with stepfork.record("dated") as capture:
        capture.set_input(dt.date(2024, 5, 5))
        look_up("O-1")
    told = stand.store.read("dated").run.trace.input
    assert isinstance(told, dict)
    assert (told["$py"], told["args"][0]["$py"]) == ("call", "date")


def test_what_has_to_be_awaited_is_refused_before_it_runs(stand: Stand) -> None:
    async def agent() -> None:
        raise AssertionError

    with stepfork.record("refund") as capture:
        look_up("O-1")
        with pytest.raises(UsageError, match=r"await capture\.arun"):
            capture.run(agent)
    assert stand.store.read("refund").run.trace.input is not None


def test_an_agent_that_raises_goes_on_raising(stand: Stand) -> None:
    with pytest.raises(TimeoutError, match="no answer for O-1"), stepfork.record("refund") as capture:
        capture.run(fail, "O-1")
    assert capture.result is None
    assert not (stand.store.root / "failed").exists()
    assert "refund" not in stand.store.names()


@pytest.mark.parametrize("after", ["nothing", "another run", "an output"])
@pytest.mark.parametrize("later", [False, True])
def test_an_agent_whose_error_the_block_swallows_has_failed_unless_it_went_on(
    stand: Stand, after: str, later: bool
) -> None:
    def breaks(order: str) -> None:
        look_up(order)
        raise ValueError("no such order")

    async def breaks_later(order: str) -> None:
        await look_up_later(order)
        breaks(order)

    with stepfork.record("kept", output="kept.sftrace", emit_test=False) as capture:
        capture.set_output("of before")
        with suppress(ValueError):
            asyncio.run(capture.arun(breaks_later, "O-1")) if later else capture.run(breaks, "O-1")
        if after == "another run":
            capture.run(look_up, "O-1")
        elif after == "an output":
            capture.set_output("made good")
    trace = read_bundle(Path("kept.sftrace")).run.trace
    if after == "nothing":
        assert (trace.status, trace.output) == ("error", msgspec.UNSET)
        assert trace.error == StepError("ValueError", "no such order")
    else:
        assert (trace.status, trace.error) == ("completed", None)
        assert trace.output is not msgspec.UNSET


def test_an_error_that_was_swallowed_makes_no_fixture_of_a_run_without_calls(stand: Stand) -> None:
    def breaks() -> None:
        raise ValueError("before any call")

    def swallows(capture: Any) -> None:
        with suppress(ValueError):
            capture.run(breaks)

    with pytest.raises(CaptureError, match="became no fixture"), stepfork.record("refund") as capture:
        swallows(capture)
    assert "refund" not in stand.store.names()


def test_a_bundle_keeps_the_error_and_the_calls(stand: Stand) -> None:
    capture = stepfork.record("refund", output="run.sftrace")

    def agent(order: str) -> None:
        look_up(order)
        fail(order)

    with pytest.raises(TimeoutError), capture:
        capture.run(agent, "O-1")
    assert capture.result is not None
    trace = read_bundle(stand.root / "run.sftrace").run.trace
    assert (trace.status, trace.error) == ("error", StepError("TimeoutError", "no answer for O-1"))
    assert [step.name for step in trace.steps] == ["look_up", "fail"]
    assert trace.steps[1].error == StepError("TimeoutError", "no answer for O-1")
    assert trace.input == "O-1"


@dataclasses.dataclass
class Money:
    amount: float


class Order(pydantic.BaseModel):
    at: dt.datetime


class Sly:
    def __repr__(self) -> str:
        raise RuntimeError

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]


VALUES: dict[str, Any] = {
    "datetime": dt.datetime(2024, 5, 5, 10, tzinfo=dt.UTC),
    "bytes": b"\xff\x00",
    "dataclass": Money(1.5),
    "pydantic": Order(at=dt.datetime(2024, 5, 5, tzinfo=dt.UTC)),
    "nan": float("nan"),
    "infinity": float("-inf"),
    "int keys": {1: "one", 2: "two"},
    "surrogate": "half \ud83d of it",
    "5,000 digits": 10**5000 + 1,
    "set": {1, 2},
    "deep": None,
    "itself": None,
    "sly": Sly(),
    "lock": threading.Lock(),
}
_deep: Any = "deepest"
for _ in range(3000):
    _deep = [_deep]
VALUES["deep"] = _deep
VALUES["itself"] = _own = []
_own.append(_own)


@pytest.mark.parametrize("kind", VALUES)
def test_any_value_is_given_back_itself_and_the_trace_is_kept(stand: Stand, kind: str) -> None:
    value = VALUES[kind]

    @stepfork.trace_tool
    def give(what: Any) -> Any:
        return what

    with stepfork.record("odd", output="run.sftrace") as capture:
        look_up("before")
        assert give(value) is value
        assert capture.run(give, value) is value
        look_up("after")
    assert capture.result is not None
    assert capture.result.fixture is not None
    trace = read_bundle(stand.root / "run.sftrace").run.trace
    assert [step.name for step in trace.steps] == ["look_up", "give", "give", "look_up"]
    assert trace.steps[1].result == trace.steps[2].result
    assert stand.stepfork("validate", "run.sftrace").out.startswith("run.sftrace: valid")
    assert "give" in stand.stepfork("show", "run.sftrace").out


def test_serializers_come_as_a_pair_and_are_both_used(stand: Stand) -> None:
    with pytest.raises(UsageError, match="decode"):
        stepfork.trace_tool(lambda: None, encode=str)

    @stepfork.trace_tool(
        encode=lambda money: {"cents": int(money.amount * 100)}, decode=lambda told: Money(told["cents"] / 100)
    )
    def pay() -> Money:
        return Money(1.5)

    with stepfork.record("paid"):
        assert pay() == Money(1.5)
    assert stand.store.read("paid").run.trace.steps[0].result == {"$py": "own", "value": {"cents": 150}}


def test_threads_and_executors_are_recorded(stand: Stand) -> None:
    with stepfork.record("refund"):
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(look_up, [f"O-{number}" for number in range(9)]))
        thread = threading.Thread(target=look_up, args=("O-9",))
        thread.start()
        thread.join()
    assert sorted(step.arguments["order"] for step in stand.store.read("refund").run.trace.steps) == [  # type: ignore[index]
        f"O-{number}" for number in range(10)
    ]


def test_a_call_without_an_end_is_no_run(stand: Stand) -> None:
    go_on, begun = threading.Event(), threading.Event()

    @stepfork.trace_tool
    def wait() -> str:
        begun.set()
        go_on.wait()
        return "done"

    thread = threading.Thread(target=wait)

    def agent() -> None:
        look_up("O-1")
        thread.start()
        begun.wait()

    capture = stepfork.record("refund")
    with pytest.raises(CaptureError, match="was left while wait was running"), capture:
        capture.run(agent)
    go_on.set()
    thread.join()
    assert capture.result is not None
    assert capture.result.draft == draft_path(stand.store, "refund")
    assert journals(stand) == []
    said = stand.stepfork("validate", "--partial", ".stepfork/failed/refund.sftrace").out
    assert "draft (0 exchanges, 2 steps, 1 call without an end)" in said


def test_secrets_are_on_the_disk_at_no_moment(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    @stepfork.trace_tool
    def connect(password: str) -> str:
        return f"postgres://shop:{password}@db/orders"

    with stepfork.record("refund", agent_id="refunds"):
        monkeypatch.setenv("SHOP_PASSWORD", PASSWORD)
        connect(PASSWORD)
        (journal,) = journals(stand)
        assert PASSWORD not in journal.read_text()
        assert journal.read_text().count("\n") == 3
    assert not any(PASSWORD.encode() in data for data in stand.files().values())


def test_a_destination_that_is_taken_is_noticed_before_anything_runs(stand: Stand) -> None:
    with stepfork.record("refund", output="run.sftrace"):
        look_up("O-1")
    before = stand.files()
    (stand.root / "other.sftrace").mkdir()
    (stand.root / "file.sftrace").write_text("mine")
    for output in ("run.sftrace", "other.sftrace", "file.sftrace", "file.sftrace/below.sftrace"):
        with pytest.raises(UsageError) as raised, stepfork.record("refund", output=output):
            raise AssertionError("it ran")
        assert raised.value.exit_code == 2
    assert stand.files() == before


def test_a_destination_that_another_block_holds_is_refused(stand: Stand) -> None:
    program = "import stepfork\nwith stepfork.record('other', output='run.sftrace'):\n    raise SystemExit('it ran')"
    with stepfork.record("refund", output="run.sftrace"):
        look_up("O-1")
        done = run_python(program)
    assert "run.sftrace: another recording writes there; choose another name" in done.stderr
    assert "it ran" not in done.stderr
    assert read_bundle(stand.root / "run.sftrace").name == "refund"


def test_in_ci_nothing_is_made(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    before = stand.files()
    for output in (None, "run.sftrace"):
        with pytest.raises(UsageError, match="nothing is recorded in CI"), stepfork.record("refund", output=output):
            raise AssertionError("it ran")
    assert stand.files() == before
    assert not (stand.root / "run.sftrace").exists()


def test_a_block_that_cannot_begin_leaves_nothing(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise CaptureError("no loopback port can be had")

    before = stand.files()
    capture = stepfork.record("refund", output="made/run.sftrace")
    monkeypatch.setattr("stepfork.workflows.in_process.Block.open", lambda _self: none())
    with pytest.raises(CaptureError, match="no loopback port"), capture:
        raise AssertionError("it ran")
    assert stand.files() == before
    assert not (stand.root / "made").exists()


def test_without_room_for_a_journal_the_run_is_recorded(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    (stand.store.root / "failed").write_text("in the way")
    with stepfork.record("refund") as capture:
        look_up("O-1")
    assert capture.result is not None
    assert capture.result.verified
    assert "without a journal" in capture.result.notices[0]
    (stand.store.root / "failed").unlink()
    write = os.write

    def full(descriptor: int, data: bytes) -> int:
        if data.startswith(b'{"event"'):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", full)
    with stepfork.record("refund") as capture:
        assert look_up("O-1")["order"] == "O-1"
    assert capture.result.verified
    assert "the journal of the recording is not whole (No space left on device)" in capture.result.notices[0]


def test_a_folder_that_is_removed_meanwhile_disturbs_nothing(stand: Stand) -> None:
    with stepfork.record("refund", output="run.sftrace") as capture:
        look_up("O-1")
        (stand.root / "run.sftrace" / JOURNAL).unlink()
        (stand.root / "run.sftrace").rmdir()
        look_up("O-2")
    assert capture.result is not None
    assert capture.result.fixture == stand.root / "run.sftrace"
    assert "is not whole" in capture.result.notices[0]
    assert len(read_bundle(stand.root / "run.sftrace").run.trace.steps) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_leaves_its_parents_journal_alone(stand: Stand) -> None:
    program = """
import os, stepfork
from pathlib import Path
with stepfork.record("refund", output="run.sftrace") as capture:
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0
        print((Path("run.sftrace") / "journal.jsonl").exists())
print("left", child != 0)
if not child:
    os._exit(0)
"""
    done = run_python(program)
    assert done.stdout.splitlines()[:2] == ["left False", "True"], done.stderr


def run_python(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
