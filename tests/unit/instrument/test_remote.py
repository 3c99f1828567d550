"""A program whose calls are told to a listener in another process, as far as one process shows it."""

from __future__ import annotations

import socket
import warnings

import pytest

from stepfork import trace_tool
from stepfork.errors import ReplayClosedError, ReplayMismatchError
from stepfork.instrument.outside import watched
from stepfork.instrument.remote import RemoteSession
from stepfork.listener.call_log import Answer
from stepfork.listener.call_messages import ANSWERED, CALLS, Refused
from stepfork.listener.server import Listener
from stepfork.trace.call import Asked, Outcome

TOOL = Asked("tool_call", "refund", {"order": 7})


class Nobody:
    """No forwarder is needed."""


@pytest.fixture
def gone() -> str:
    """An address at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/token{CALLS}"


def listening(answers: object = None) -> Listener:
    from stepfork.replay.forwarder import ReplayForwarder

    return Listener(ReplayForwarder(Nobody()), answers=answers)  # type: ignore[arg-type]


class Decides:
    def __init__(self, decision: object) -> None:
        self.decision = decision

    def decide(self, asked: Asked) -> object:
        return self.decision


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    monkeypatch.delenv("STEPFORK_CALLS", raising=False)
    monkeypatch.setattr(watched, "url", None)
    return []


def watch(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Have this process as if it had been started with its calls told to `url`."""
    monkeypatch.setenv("STEPFORK_CALLS", url)
    monkeypatch.setattr(watched, "url", url)


def refunding(ran: list[int]) -> object:
    @trace_tool
    def refund(order: int) -> str:
        ran.append(order)
        return f"refunded {order}"

    return refund


def test_calls_are_recorded_by_a_listener(monkeypatch: pytest.MonkeyPatch, ran: list[int]) -> None:
    with listening() as listener:
        watch(monkeypatch, listener.base_url + CALLS)
        assert refunding(ran)(7) == "refunded 7"  # type: ignore[operator]
        assert refunding(ran)(8) == "refunded 8"  # type: ignore[operator]
    calls = listener.heard().calls
    assert [(call.asked.arguments, call.begun, call.ended, call.outcome) for call in calls] == [
        ({"order": 7}, 1, 2, Outcome("refunded 7")),
        ({"order": 8}, 3, 4, Outcome("refunded 8")),
    ]


def test_an_answered_body_does_not_run(monkeypatch: pytest.MonkeyPatch, ran: list[int]) -> None:
    with listening(Decides(Answer(Outcome("as recorded")))) as listener:
        watch(monkeypatch, f"{listener.base_url}{CALLS}?{ANSWERED}")
        assert refunding(ran)(7) == "as recorded"  # type: ignore[operator]
    assert ran == []


def test_nor_does_a_refused_one(monkeypatch: pytest.MonkeyPatch, ran: list[int]) -> None:
    with listening(Decides(Refused("mismatch", "another order"))) as listener:
        watch(monkeypatch, f"{listener.base_url}{CALLS}?{ANSWERED}")
        with pytest.raises(ReplayMismatchError, match="another order"):
            refunding(ran)(7)  # type: ignore[operator]
    assert ran == []


def test_a_replay_that_answers_no_calls_refuses_them(monkeypatch: pytest.MonkeyPatch, ran: list[int]) -> None:
    with listening() as listener:
        watch(monkeypatch, f"{listener.base_url}{CALLS}?{ANSWERED}")
        with pytest.raises(ReplayClosedError, match="did not run"):
            refunding(ran)(7)  # type: ignore[operator]
    assert ran == []
    assert [problem.kind for problem in listener.heard().problems] == ["call_rejected"]


def test_without_a_listener_a_recorded_program_goes_on_and_is_told_once(
    gone: str, monkeypatch: pytest.MonkeyPatch, ran: list[int]
) -> None:
    watch(monkeypatch, gone)
    refund = refunding(ran)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert [refund(order) for order in (1, 2, 3)] == ["refunded 1", "refunded 2", "refunded 3"]  # type: ignore[operator]
    assert ["did not record a call of 'refund'" in str(one.message) for one in told] == [True]


def test_warnings_that_are_errors_change_nothing(gone: str, monkeypatch: pytest.MonkeyPatch, ran: list[int]) -> None:
    watch(monkeypatch, gone)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert refunding(ran)(7) == "refunded 7"  # type: ignore[operator]


def test_without_a_listener_a_replayed_body_never_runs(
    gone: str, monkeypatch: pytest.MonkeyPatch, ran: list[int]
) -> None:
    watch(monkeypatch, f"{gone}?{ANSWERED}")
    for _ in range(2):
        with pytest.raises(ReplayClosedError):
            refunding(ran)(7)  # type: ignore[operator]
    assert ran == []


def test_another_program_in_the_listeners_place_answers_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        import threading

        def serve() -> None:
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                with client:
                    client.recv(65536)
                    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        session = RemoteSession(f"http://127.0.0.1:{server.getsockname()[1]}/t{CALLS}?{ANSWERED}")
        with pytest.raises(ReplayClosedError):
            session.begin(TOOL, parent=None, forks=())
