"""Whatever a program does is read back from its journal; whatever else lies there is a value or one line."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stepfork.errors import StoreError
from stepfork.instrument.journal import Journal
from stepfork.instrument.journal_form import Header, read_journal
from stepfork.instrument.recorder import Recorder
from stepfork.redact.secrets import Secrets
from stepfork.trace.call import Asked, Outcome
from stepfork.trace.step import StepError

NONE = Secrets({})
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    # no letters: what reads like a secret is not what is asked here
    | st.text(st.characters(codec="utf-8", exclude_categories=("L", "N")), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc é\n"), inner, max_size=3),
    max_leaves=6,
)
OUTCOMES = st.builds(Outcome, VALUES) | st.builds(lambda value: Outcome(error=StepError("E"), raised=value), VALUES)


def journalled(doings: list[tuple[Any, Any]]) -> tuple[Recorder, bytes]:
    """A recording of calls that begin, each with a value, and of the open one that was begun last ending."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.jsonl"
        journal = Journal(path, Header(1, "refund"), lambda: NONE)
        recorder, opened = Recorder(journal), []
        for value, outcome in doings:
            if outcome is None or not opened:
                above = opened[-1].number if opened else None
                opened.append(recorder.begin(Asked("tool_call", "t", {"v": value}), parent=above, forks=()))
            else:
                opened.pop().end(outcome)
        journal.close()
        assert journal.notice is None
        return recorder, path.read_bytes()


def is_value_or_line(data: bytes) -> bool:
    try:
        read_journal(data, "journal")
    except StoreError as error:
        return str(error).startswith("journal: ") and "\n" not in str(error)
    return True


FORKS = st.sampled_from([(), ((1, 0),), ((2, 0),), ((2, 0), (3, 0)), ((2, 0), (3, 0), (4, 0))])
EVENTS = st.lists(FORKS | st.integers(0, 5), max_size=12)


@given(EVENTS)
def test_what_was_waited_for_is_read_back(events: list[Any]) -> None:
    """Calls on lines of control, and lines by their numbers, known or not, that are waited for."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.jsonl"
        journal = Journal(path, Header(1, "refund"), lambda: NONE)
        recorder = Recorder(journal)
        for event in events:
            if isinstance(event, int):
                recorder.joined(event)
            else:
                recorder.begin(Asked("tool_call", "t", {}), parent=None, forks=event)
            assert read_journal(path.read_bytes(), "journal").calls == recorder.calls()
        journal.close()


DOINGS = st.lists(st.tuples(VALUES, st.none() | OUTCOMES), max_size=8)


@given(DOINGS)
def test_what_was_recorded_is_read_back(doings: list[tuple[Any, Any]]) -> None:
    recorder, data = journalled(doings)
    assert read_journal(data, "journal").calls == recorder.calls()


@given(DOINGS, st.data())
def test_a_journal_that_was_cut_anywhere_has_what_came_before(
    doings: list[tuple[Any, Any]], data: st.DataObject
) -> None:
    _, whole = journalled(doings)
    first = whole.index(b"\n") + 1
    cut = whole[: data.draw(st.integers(first, len(whole)))]
    told = read_journal(cut, "journal")
    ended = sum(call.outcome is not None for call in told.calls)
    assert len(told.calls) + ended == cut.count(b"\n") - 1


@given(DOINGS, st.data())
def test_a_journal_that_was_changed_is_a_value_or_one_line(doings: list[tuple[Any, Any]], data: st.DataObject) -> None:
    _, whole = journalled(doings)
    at = data.draw(st.integers(0, len(whole) - 1))
    piece = data.draw(
        st.binary(max_size=6) | st.sampled_from([b"\n", b"1e999", b"NaN", b'"\\ud800"', b"[" * 400, b"9" * 5000])
    )
    changed = whole[:at] + piece + whole[at + data.draw(st.integers(0, 8)) :]
    assert is_value_or_line(changed)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_one_line(data: bytes) -> None:
    assert is_value_or_line(data)
    assert is_value_or_line(b'{"stepfork_journal":1,"name":"n"}\n' + data)
