"""A recording's session: what it counts and keeps, and that nothing of it reaches the recorded program."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from stepfork.instrument.journal import Journal
from stepfork.instrument.journal_form import Header, read_journal
from stepfork.instrument.recorder import Recorder
from stepfork.redact.secrets import Secrets
from stepfork.trace.call import Asked, Outcome

NONE = Secrets({})


def asked(name: str = "look_up", **arguments: Any) -> Asked:
    return Asked("tool_call", name, arguments)


def test_calls_and_events_are_counted_in_the_order_of_their_coming() -> None:
    recorder = Recorder()
    outer = recorder.begin(asked("outer"), parent=None, forks=())
    inner = recorder.begin(asked("inner"), parent=outer.number, forks=((3, 1),))
    inner.end(Outcome(1))
    outer.end(Outcome(2))
    first, second = recorder.calls()
    assert (first.number, first.begun, first.ended, first.parent) == (0, 1, 4, None)
    assert (second.number, second.begun, second.ended, second.parent, second.forks) == (1, 2, 3, 0, ((3, 1),))
    assert (outer.answer, recorder.count(), recorder.closed_to_strangers) == (None, 4, False)


def test_a_call_ends_once_and_not_after_the_recording() -> None:
    recorder = Recorder()
    one, late = (recorder.begin(asked(), parent=None, forks=()) for _ in range(2))
    one.end(Outcome("first"))
    one.end(Outcome("second"))
    calls = recorder.close()
    late.end(Outcome("late"))
    recorder.begin(asked("after"), parent=None, forks=()).end(Outcome())
    assert recorder.calls() == calls
    assert [call.outcome for call in calls] == [Outcome("first"), None]


class Broken:
    """A journal of which everything fails."""

    def begun(self, _call: object) -> None:
        raise MemoryError

    ended = begun
    over = begun


def test_nothing_that_goes_wrong_reaches_the_program() -> None:
    recorder = Recorder(Broken())  # type: ignore[arg-type]
    opened = recorder.begin(asked(), parent=None, forks=((1, 0),))
    opened.end(Outcome("kept"))
    recorder.joined(1)
    assert [call.outcome for call in recorder.calls()] == [Outcome("kept")]
    assert [call.joined for call in recorder.calls()] == [(3,)]


def test_threads_lose_no_call_and_no_line(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl", Header(1, "many"), lambda: NONE)
    recorder = Recorder(journal)

    def work(thread: int) -> None:
        for number in range(200):
            opened = recorder.begin(asked(thread=thread, number=number), parent=None, forks=((thread, 0),))
            opened.end(Outcome({"thread": thread, "number": number}))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    journal.close()
    calls = recorder.calls()
    assert [call.number for call in calls] == list(range(1600))
    assert {count for call in calls for count in (call.begun, call.ended)} == set(range(1, 3201))
    assert all(call.outcome is not None and call.outcome.result == call.asked.arguments for call in calls)
    assert read_journal((tmp_path / "journal.jsonl").read_bytes(), "journal").calls == calls


def test_a_call_within_the_counting_of_another_is_counted(tmp_path: Path) -> None:
    """A finalizer ends a stream in whatever code the collector happens to run."""
    inside: list[Any] = []
    journal = Journal(tmp_path / "journal.jsonl", Header(1, "one"), lambda: inside.pop()() if inside else NONE)
    recorder = Recorder(journal)
    stream = recorder.begin(asked("stream"), parent=None, forks=())

    def collected() -> Secrets:
        stream.end(Outcome("collected"))
        return NONE

    inside.append(collected)
    recorder.begin(asked("other"), parent=None, forks=()).end(Outcome("other"))
    journal.close()
    read = read_journal((tmp_path / "journal.jsonl").read_bytes(), "journal").calls
    assert read == recorder.calls()
    assert [call.outcome and call.outcome.result for call in read] == ["collected", "other"]


def test_the_work_of_an_event_does_not_grow_with_their_number(tmp_path: Path) -> None:
    """Counted in function calls: the second thousand takes what the first took."""

    def work(recorder: Recorder, first: int) -> int:
        made = 0

        def count(_frame: object, event: str, _argument: object) -> None:
            nonlocal made
            made += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            for number in range(first, first + 1000):
                recorder.begin(asked(order=f"O-{number}"), parent=None, forks=()).end(Outcome({"order": f"O-{number}"}))
        finally:
            sys.setprofile(None)
        return made

    journal = Journal(tmp_path / "journal.jsonl", Header(1, "many"), lambda: NONE)
    recorder = Recorder(journal)
    work(recorder, 1000)
    one = work(recorder, 2000)
    for first in range(3000, 8000, 1000):
        assert work(recorder, first) <= 1.05 * one
    journal.close()


@pytest.mark.parametrize("depth", [60, 30, 15])
def test_a_program_that_has_all_but_used_up_its_stack_gets_its_results(tmp_path: Path, depth: int) -> None:
    journal = Journal(tmp_path / "journal.jsonl", Header(1, "deep"), lambda: NONE)
    recorder = Recorder(journal)
    limit = sys.getrecursionlimit()

    def deep(left: int) -> None:
        if left:
            deep(left - 1)
            return
        recorder.begin(asked(api_key="k"), parent=None, forks=()).end(Outcome({"password": "p"}))

    frames = 0
    frame = sys._getframe()
    while frame.f_back is not None:
        frames, frame = frames + 1, frame.f_back
    deep(limit - frames - depth)
    after = recorder.begin(asked("after"), parent=None, forks=())
    after.end(Outcome())
    journal.close()
    read = read_journal((tmp_path / "journal.jsonl").read_bytes(), "journal")
    assert read.calls[-1].asked.name == "after"


def test_what_could_not_be_taken_in_is_counted() -> None:
    recorder = Recorder()
    recorder.begin(asked(), parent=77, forks=()).end(Outcome("made in the body of no call"))
    assert (recorder.lost, recorder.calls()) == (1, ())
    recorder.begin(asked(), parent=None, forks=()).end(Outcome(1))
    assert (recorder.lost, len(recorder.calls())) == (1, 1)
