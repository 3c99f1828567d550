from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

import anthropic
import httpx
import openai
import pytest
import requests

from stepfork import trace_tool
from stepfork.canonical.encode import dumps
from stepfork.canonical.parse import parse
from stepfork.errors import RecordedDependencyError, ReplayMismatchError
from stepfork.instrument import cancelled
from stepfork.instrument.failures import encode_exception, restore_exception
from stepfork.trace.step import StepError
from tests.unit.instrument.sessions import recorded, replayed


class KeywordsError(Exception):
    def __init__(self, message: str, *, code: int) -> None:
        super().__init__(message)
        self.code = code
        self._secret = object()


class OwnOSError(OSError):
    def __init__(self, host: str) -> None:
        super().__init__(5, "five", "file")
        self.host = host


class InSlotsError(Exception):
    __slots__ = ("held",)

    def __init__(self, held: int) -> None:
        self.held = held


class TextOfLockError(Exception):
    def __init__(self, lock: Any) -> None:
        self.lock = lock

    def __str__(self) -> str:
        return f"locked by {self.lock.owner}"


class Lock:
    owner = "nobody"


class LazyError(Exception):
    @property
    def reason(self) -> str:
        return "because"


def raised(run: Callable[[], object]) -> BaseException:
    try:
        run()
    except BaseException as error:
        return error
    raise AssertionError


def again(error: BaseException) -> BaseException:
    told, tag = encode_exception(error)
    return restore_exception(told, parse(dumps(tag)))


def response(kind: Any = httpx.Response, status: int = 429) -> Any:
    return kind(status, json={"error": "slow"}, request=httpx.Request("POST", "http://model.test"))


ERRORS = [
    ValueError("a", 1, (2,)),
    KeyError("key"),
    FileNotFoundError(2, "no such file", "name"),
    OSError("bare"),
    OwnOSError("db"),
    raised(b"\xff".decode),
    raised("\udc80".encode),
    raised(lambda: json.loads("{x")),
    raised(lambda: __import__("no_such_module")),
    raised(lambda: compile("1 +", "f", "exec")),
    KeywordsError("m", code=3),
    InSlotsError(4),
    LazyError("x"),
    StopIteration(3),
    SystemExit(4),
    TimeoutError(),
    asyncio.CancelledError("stop"),
    ExceptionGroup("several", [ValueError(1), ExceptionGroup("inner", [TypeError("x")])]),
    openai.RateLimitError("slow", response=response(), body={"error": {"code": "slow"}}),
    openai.APIConnectionError(request=httpx.Request("GET", "http://model.test")),
    anthropic.OverloadedError("busy", response=response(status=529), body=None),
    raised(lambda: response(status=404).raise_for_status()),
    requests.HTTPError("404", response=requests.Response()),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_the_original_class_comes_back(error: BaseException) -> None:
    made = again(error)

    assert type(made) is type(error)
    assert str(made) == str(error)
    assert repr(made.args) == repr(error.args)
    for name, value in vars(error).items():
        if isinstance(value, str | int | dict) and not name.startswith("_"):
            assert getattr(made, name) == value


def test_what_a_built_in_class_keeps_for_itself() -> None:
    missing = again(ERRORS[2])
    assert isinstance(missing, FileNotFoundError)
    assert (missing.errno, missing.strerror, missing.filename) == (2, "no such file", "name")
    half = again(ERRORS[5])
    assert isinstance(half, UnicodeDecodeError)
    assert (half.object, half.start) == (b"\xff", 0)
    absent = again(ERRORS[8])
    assert isinstance(absent, ModuleNotFoundError)
    assert absent.name == "no_such_module"
    slots = again(ERRORS[11])
    assert isinstance(slots, InSlotsError)
    assert slots.held == 4
    group = again(ERRORS[17])
    assert isinstance(group, ExceptionGroup)
    assert repr(group.exceptions) == repr(ERRORS[17].exceptions)  # type: ignore[attr-defined]


def test_a_text_that_cannot_be_put_together_any_more_stays() -> None:
    made = again(TextOfLockError(Lock()))

    assert isinstance(made, TextOfLockError)
    assert type(made).__name__ == "TextOfLockError"
    assert str(made) == "locked by nobody"


@pytest.mark.parametrize("kind", [httpx.Response, requests.Response])
def test_a_response_is_kept_as_far_as_a_program_asks_for_it(kind: Any) -> None:
    if kind is httpx.Response:
        error = raised(lambda: response(status=404).raise_for_status())
    else:
        told = requests.Response()
        told.status_code, told.reason, told._content = 404, "Not Found", b'{"error":"slow"}'
        error = requests.HTTPError("404", response=told)

    made: Any = again(error)

    assert (made.response.status_code, made.response.text) == (404, '{"error":"slow"}')
    with pytest.raises(AttributeError, match="the recording holds no attribute 'headers'"):
        made.response.headers  # noqa: B018


def test_causes_contexts_and_notes() -> None:
    def chain() -> None:
        try:
            raise KeyError("inner")
        except KeyError as error:
            error.add_note("a note")
            raise ValueError("outer") from error

    def follow() -> None:
        try:
            raise KeyError("inner")
        except KeyError:
            raise ValueError("outer")  # noqa: B904 - the context is what is tested

    def alone() -> None:
        try:
            raise KeyError("inner")
        except KeyError:
            raise ValueError("outer") from None

    made = again(raised(chain))
    assert isinstance(made.__cause__, KeyError)
    assert made.__cause__.__notes__ == ["a note"]
    assert isinstance(again(raised(follow)).__context__, KeyError)
    assert (again(raised(alone)).__context__, again(raised(alone)).__suppress_context__) == (None, True)


@pytest.mark.parametrize("name", ["no.such:Error", "subprocess:Popen", "builtins:dict", "builtins:print", "", 3, None])
def test_any_other_class_is_told_in_words(name: Any) -> None:
    told = StepError("QuotaError", "no more\ncalls")

    made = restore_exception(told, {"$py": "exception", "type": name, "args": ["x"], "message": "x"})

    assert type(made) is RecordedDependencyError
    assert str(made) == "the recorded call raised QuotaError: no more calls"


def test_a_class_whose_arguments_are_gone_is_told_in_words() -> None:
    tag = {"$py": "exception", "type": "builtins:UnicodeDecodeError", "args": [1], "message": "x"}

    assert type(restore_exception(StepError("UnicodeDecodeError", "x"), tag)) is RecordedDependencyError


@trace_tool
def failing(error: str) -> None:
    raise {"key": KeyError("k"), "os": PermissionError(13, "no", "/f"), "exit": SystemExit(2)}[error]


@pytest.mark.parametrize(("error", "kind"), [("key", KeyError), ("os", PermissionError), ("exit", SystemExit)])
def test_a_tools_exception_goes_on_and_comes_back(error: str, kind: Any) -> None:
    def run() -> Any:
        with pytest.raises(kind) as caught:
            failing(error)
        return type(caught.value), str(caught.value)

    result, calls = recorded(run)

    assert replayed(run, calls) == result


def test_the_exception_of_a_recorded_tool_is_the_programs_own_object() -> None:
    error = KeywordsError("x", code=1)

    @trace_tool
    def tool() -> None:
        raise error

    caught, _ = recorded(lambda: raised(tool))

    assert caught is error


@pytest.mark.parametrize("kind", [KeyboardInterrupt, GeneratorExit])
def test_an_interruption_ends_the_call_and_is_not_repeated(kind: Any) -> None:
    @trace_tool
    def tool() -> None:
        raise kind

    caught, calls = recorded(lambda: raised(tool))

    assert type(caught) is kind
    assert calls[0].outcome is not None
    assert calls[0].outcome.error == StepError(kind.__name__)
    assert type(replayed(lambda: raised(tool), calls)) is RecordedDependencyError


@trace_tool
async def forever() -> None:
    await asyncio.Event().wait()


def test_a_cancelled_call_waits_for_its_timeout() -> None:
    async def main() -> str:
        try:
            async with asyncio.timeout(0.01):
                await forever()
        except TimeoutError:
            return "timed out"
        return "done"

    result, calls = recorded(lambda: asyncio.run(main()))

    assert replayed(lambda: asyncio.run(main()), calls) == result == "timed out"


def test_a_cancelled_call_that_nobody_cancels_fails_the_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    async def cancelling() -> None:
        task = asyncio.create_task(forever())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

    _, calls = recorded(lambda: asyncio.run(cancelling()))
    monkeypatch.setattr(cancelled, "SECONDS", 0.0)
    told: list[str] = []

    error = replayed(lambda: raised(lambda: asyncio.run(forever())), calls, told)

    assert isinstance(error, ReplayMismatchError)
    assert len(told) == 1


def test_no_class_is_imported_to_raise_an_exception() -> None:
    sys.modules.pop("xdrlib", None)

    restore_exception(StepError("Error"), {"$py": "exception", "type": "xdrlib:Error", "args": [], "message": ""})

    assert "xdrlib" not in sys.modules
