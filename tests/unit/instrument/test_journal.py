"""The journal on disk: a line for each event before the program goes on, redacted; what it says when it cannot be."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stepfork.errors import DamagedError, StoreError
from stepfork.instrument import journal as module
from stepfork.instrument.journal import Journal
from stepfork.instrument.journal_form import Header, read_journal
from stepfork.redact.secrets import Secrets
from stepfork.trace.call import Asked, Call, Fork, Outcome
from stepfork.trace.step import StepError

PASSWORD = "-".join(["correct", "horse", "77", "battery"])
TOKEN = "".join(["AKIA", "Z7Q2M4XK", "9PLT3WVB"])


def opened(folder: Path, *known: str) -> Journal:
    secrets = Secrets(dict.fromkeys(known, "PASSWORD"))
    return Journal(folder / "journal.jsonl", Header(1, "refund", agent="refunds"), lambda: secrets)


def read(folder: Path) -> Any:
    return read_journal((folder / "journal.jsonl").read_bytes(), "journal.jsonl")


def begun(number: int = 0, **arguments: Any) -> Call:
    return Call(number, Asked("tool_call", "look_up", arguments), 2 * number + 1, 1_000 + number)


def ended(call: Call, outcome: Outcome) -> Call:
    return Call(
        call.number, call.asked, call.begun, call.started_ns, ended=call.begun + 1, ended_ns=2_000, outcome=outcome
    )


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    call = begun(order="O-1", when={"$py": "datetime", "value": "2024-05-05T10:00:00"})
    journal.input({"q": 1})
    journal.begun(call)
    assert read(tmp_path).calls == (call,)  # before anything is closed
    done = ended(call, Outcome(error=StepError("TimeoutError", "late"), raised={"$py": "exception"}))
    journal.ended(done)
    journal.output("done")
    journal.close()
    told = read(tmp_path)
    assert (told.header, told.input, told.output) == (Header(1, "refund", agent="refunds"), {"q": 1}, "done")
    assert told.calls == (done,)
    assert journal.notice is None


def on_lines(number: int, *forks: Fork) -> Call:
    return msgspec.structs.replace(begun(number), forks=forks)


def test_lines_that_were_waited_for_are_read_back(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal.begun(on_lines(0, (7, 0), (8, 0)))
    journal.begun(on_lines(1, (9, 0)))
    journal.over(8, 4)
    journal.begun(on_lines(2, (7, 0), (8, 0)))  # whoever goes on behind it
    assert [call.joined for call in read(tmp_path).calls] == [(0, 4), (), (0, 4)]
    journal.over(7, 5)
    journal.close()
    assert [call.joined for call in read(tmp_path).calls] == [(5, 4), (), (5, 4)]


def test_what_a_reader_would_refuse_of_a_line_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = opened(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(module.msgspec.json, "encode", lambda *_: 1 / 0)
        journal.begun(on_lines(0, (6, 0)))
    journal.begun(on_lines(1, (7, 0)))
    journal.over(6, 3)  # its only call is not there
    journal.over(7, 0)  # it was not waited for
    journal.over(7, 4)
    journal.over(7, 5)
    journal.begun(on_lines(2, (7, 0)))
    journal.over(7, 6)
    journal.close()
    assert [call.joined for call in read(tmp_path).calls] == [(4,), (4,)]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    opened(tmp_path).close()
    assert stat.S_IMODE((tmp_path / "journal.jsonl").stat().st_mode) == 0o600


def test_nothing_is_left_beside_it(tmp_path: Path) -> None:
    opened(tmp_path).close()
    assert [path.name for path in tmp_path.iterdir()] == ["journal.jsonl"]


def test_each_event_is_one_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = opened(tmp_path)
    writes: list[bytes] = []
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: writes.append(bytes(data)) or write(descriptor, data))
    journal.begun(begun(text="w" * 100_000))
    journal.ended(ended(begun(), Outcome("x" * 100_000)))
    assert [line.count(b"\n") for line in writes] == [1, 1]
    assert all(line.endswith(b"\n") for line in writes)
    journal.close()


PLACES: dict[str, Callable[[Journal, str], None]] = {
    "an argument": lambda journal, text: journal.begun(begun(question=f"It is {text}.")),
    "a member's name": lambda journal, text: journal.begun(begun(**{text: 1})),
    "a tool's name": lambda journal, text: journal.begun(Call(0, Asked("tool_call", text, {}), 1, 1)),
    "a model": lambda journal, text: journal.begun(Call(0, Asked("llm_call", "chat", {}, model=text), 1, 1)),
    "a result": lambda journal, text: journal.ended(ended(begun(), Outcome([{"deep": [text]}]))),
    "a message": lambda journal, text: journal.ended(ended(begun(), Outcome(error=StepError("KeyError", text)))),
    "an exception": lambda journal, text: journal.ended(ended(begun(), Outcome(raised={"args": [text]}))),
    "the input": lambda journal, text: journal.input({"text": text}),
    "the output": lambda journal, text: journal.output(text),
}


@pytest.mark.parametrize("secret", [PASSWORD, TOKEN], ids=["known", "by its shape"])
@pytest.mark.parametrize("place", PLACES)
def test_no_secret_is_written(tmp_path: Path, place: str, secret: str) -> None:
    journal = opened(tmp_path, PASSWORD)
    if "ended" in PLACES[place].__code__.co_names:
        journal.begun(begun())
    PLACES[place](journal, secret)
    journal.close()
    data = (tmp_path / "journal.jsonl").read_text()
    assert secret not in data
    assert "[redacted]" in data
    read(tmp_path)


def test_a_secret_that_is_learnt_later_is_known_from_then_on(tmp_path: Path) -> None:
    known = [Secrets({})]
    journal = Journal(tmp_path / "journal.jsonl", Header(1, "refund"), lambda: known[-1])
    known.append(Secrets({PASSWORD: "PASSWORD"}))
    journal.output(PASSWORD)
    journal.close()
    assert PASSWORD not in (tmp_path / "journal.jsonl").read_text()


def test_what_cannot_be_redacted_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(module, "rewrite_value", broken)
    journal = opened(tmp_path, PASSWORD)
    journal.begun(begun(question=PASSWORD))
    journal.begun(begun(1, question="plain"))
    journal.close()
    assert PASSWORD not in (tmp_path / "journal.jsonl").read_text()
    assert [call.asked.arguments for call in read(tmp_path).calls] == ["<not journalled>", {"question": "plain"}]


ODD: dict[str, Any] = {
    "surrogate": "\ud800",
    "5,000 digits": 10**5000,
    "past 64 bits": 2**64 - 1,
    "nan": float("nan"),
    "int keys": {1: 2},
    "object": object(),
    "bytes": {"deep": b"\xff"},
}


@pytest.mark.parametrize("kind", ODD)
def test_values_that_are_not_json_are_written_as_they_read(tmp_path: Path, kind: str) -> None:
    """What a program's own serializer gives may be anything."""
    value = ODD[kind]
    journal = opened(tmp_path)
    journal.begun(begun(value=value))
    journal.ended(ended(begun(), Outcome(value)))
    journal.begun(begun(1, value="after"))
    journal.close()
    assert [call.number for call in read(tmp_path).calls] == [0, 1]
    assert journal.notice is None


def test_a_disk_that_is_full_ends_the_journal_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = opened(tmp_path)
    journal.begun(begun(0))
    write = os.write

    def full(descriptor: int, data: bytes) -> int:
        write(descriptor, bytes(data)[:7])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    journal.begun(begun(1))
    monkeypatch.setattr(os, "write", write)
    journal.begun(begun(2))  # there is room again, behind half a line
    journal.close()
    assert journal.notice == (
        "the journal of the recording is not whole (No space left on device); a kill would have lost what it lacks"
    )
    assert [call.number for call in read(tmp_path).calls] == [0]


def test_a_folder_that_is_gone_is_a_notice(tmp_path: Path) -> None:
    folder = tmp_path / "run.sftrace"
    folder.mkdir()
    journal = opened(folder)
    (folder / "journal.jsonl").unlink()
    folder.rmdir()
    journal.begun(begun())
    journal.close()
    assert journal.notice is not None
    assert "No such file" in journal.notice


def test_one_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no journal can be written"):
        opened(tmp_path / "absent")


HEADER = b'{"stepfork_journal":1,"name":"refund"}\n'
BEGUN = (
    b'{"event":"begun","call":{"number":0,"asked":{"type":"tool_call","name":"t","arguments":{}},'
    b'"begun":1,"started_ns":5}}\n'
)
FORKED = BEGUN.replace(b'"begun":1', b'"begun":3,"forks":[[7,2]]')
OVER = b'{"event":"over","line":7,"at":4}\n'
ENDED = b'{"event":"ended","number":0,"ended":2,"ended_ns":6,"outcome":{"result":1}}\n'


@pytest.mark.parametrize("cut", range(1, len(ENDED)))
def test_a_torn_last_line_is_left_out(cut: int) -> None:
    told = read_journal(HEADER + BEGUN + ENDED[:cut], "journal")
    assert len(told.calls) == 1
    assert told.calls[0].outcome is None


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "is not the journal of a recording"),
        (b"\xff\xfe\n", "is not the journal of a recording"),
        (HEADER[:-1], "is not the journal of a recording"),
        (b"[]\n", "is not the journal of a recording"),
        (b'{"stepfork_journal":7,"name":"refund"}\n', "format 7"),
        (HEADER + b"\xff\n", "line 2"),
        (HEADER + b"\n", "line 2"),
        (HEADER + b'{"event":"output","value":NaN}\n', "line 2"),
        (HEADER + b'{"event":"output","value":1,"value":2}\n', "line 2"),
        (HEADER + b'{"event":"output","value":' + b"9" * 5000 + b"}\n", "line 2"),
        (HEADER + b'{"event":"output","value":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", "line 2"),
        (HEADER + b'{"event":"sung","value":1}\n', "line 2"),
        (HEADER + ENDED, "line 2"),
        (HEADER + BEGUN + BEGUN, "line 3"),
        (HEADER + BEGUN + ENDED + ENDED, "line 4"),
        (HEADER + BEGUN + ENDED.replace(b'"ended":2', b'"ended":1'), "line 3"),
        (HEADER + BEGUN.replace(b'"begun":1', b'"begun":1,"parent":0'), "line 2"),
        (HEADER + BEGUN.replace(b'"number":0', b'"number":-1'), "line 2"),
        (HEADER + BEGUN.replace(b'"begun":1', b'"begun":-4'), "line 2"),
        (HEADER + BEGUN.replace(b'"begun":1', b'"begun":"one"'), "line 2"),
        (HEADER + OVER + FORKED, "line 2"),
        (HEADER + FORKED + OVER.replace(b"7", b"8"), "line 3"),
        (HEADER + FORKED + OVER.replace(b"4", b"2"), "line 3"),
        (HEADER + FORKED + OVER.replace(b"4", b"4.5"), "line 3"),
        (HEADER + FORKED + OVER.replace(b"4", b'4,"by":1'), "line 3"),
        (HEADER + FORKED + OVER + OVER, "line 4"),
        (HEADER + FORKED.replace(b'"begun":3', b'"begun":3,"joined":[4]'), "line 2"),
    ],
)
def test_what_no_recording_wrote_is_refused_with_its_line(data: bytes, what: str) -> None:
    with pytest.raises(DamagedError, match=what) as raised:
        read_journal(data, "run.sftrace/journal.jsonl")
    assert str(raised.value).startswith("run.sftrace/journal.jsonl: ")
    assert "\n" not in str(raised.value)
