"""A conversation is in a journal once: each call is read back whole, and the journal grows with what is new."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stepfork.errors import DamagedError
from stepfork.instrument.journal import Journal
from stepfork.instrument.journal_form import Header, Journalled, read_journal
from stepfork.instrument.journal_repeats import Repeats, put_together
from stepfork.redact.secrets import Secrets
from stepfork.trace.body import EventsBody, JsonBody
from stepfork.trace.call import Asked, Call
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.recorded import Recorded

PASSWORD = "-".join(["correct", "horse", "77", "battery"])
NONE = Secrets({})


def message(number: int) -> dict[str, str]:
    return {"role": "user", "content": f"question {number}: " + "word " * 60}


def recorded(number: int, messages: list[Any], **more: Any) -> Recorded:
    asked = Request("POST", "/chat/completions", body=JsonBody({"model": "m", "messages": messages, **more}))
    answered = Response(200, "text/event-stream", body=EventsBody(('data: {"a":1}', "data: [DONE]", "")))
    return Recorded(Exchange("openai", "chat_completions", asked, answered), 10 * number + 1, 10 * number + 5, 0)


def chat(folder: Path, turns: int) -> tuple[bytes, Journalled, list[Any]]:
    """A chat told by calls and over HTTP."""
    journal = Journal(folder / f"{turns}.jsonl", Header(1, "chat"), lambda: NONE)
    said: list[Any] = []
    for number in range(turns):
        said = [*said, message(number)]
        journal.begun(Call(number, Asked("llm_call", "chat", {"model": "m", "messages": said}), number + 1, number))
        journal.arrived(number, "openai", "/chat/completions")
        journal.exchanged(number, recorded(number, said))
    journal.close()
    assert journal.notice is None
    data = (folder / f"{turns}.jsonl").read_bytes()
    return data, read_journal(data, "journal"), said


def test_a_long_chat_grows_with_its_length(tmp_path: Path) -> None:
    sizes = [len(chat(tmp_path, turns)[0]) for turns in (50, 100, 200)]
    assert sizes[1] < 2.1 * sizes[0]
    assert sizes[2] < 2.1 * sizes[1]


def test_each_call_is_read_back_whole(tmp_path: Path) -> None:
    _, told, said = chat(tmp_path, 20)
    assert [call.asked.arguments["messages"] for call in told.calls] == [said[: n + 1] for n in range(20)]
    assert told.recorded == tuple(recorded(n, said[: n + 1]) for n in range(20))
    assert told.open == ()


def test_a_later_word_on_an_exchange_counts(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl", Header(1, "chat"), lambda: NONE)
    journal.arrived(0, "openai", "/chat/completions")
    journal.arrived(1, "openai", "/models")
    for last in (1, 2):
        journal.exchanged(0, recorded(0, [message(n) for n in range(3)], top_k=last))
    journal.close()
    told = read_journal((tmp_path / "journal.jsonl").read_bytes(), "journal")
    assert told.recorded == (recorded(0, [message(n) for n in range(3)], top_k=2),)
    assert told.open == ("openai /models",)


EDITED = {
    "edited": [message(0), {"role": "user", "content": "other"}],
    "shortened": [message(0)],
    "of another type": [message(0), {**message(1), "n": True}],
    "of texts": ["one", "two"],
    "mixed": [message(0), "two"],
    "empty": [],
}


@pytest.mark.parametrize("kind", EDITED)
@pytest.mark.parametrize("wrap", [lambda value: {"state": {"inner": value}}, lambda value: {"inputs": [value]}])
def test_whatever_follows_is_told_as_it_is(kind: str, wrap: Any) -> None:
    repeats = Repeats()
    earlier: dict[int, Any] = {}
    for number, said in enumerate([[message(0), {**message(1), "n": 1}], EDITED[kind], [message(n) for n in range(4)]]):
        value = wrap(said)
        cut = repeats.cut("call", value)
        assert put_together(cut.value, cut.kept, earlier) == value
        assert wrap(said) == value  # what the program gave is not changed
        repeats.note(cut, cut.value, number)
        earlier[number] = value


def test_a_name_that_is_a_secret_is_in_no_path(tmp_path: Path) -> None:
    name = "correcthorse"
    journal = Journal(tmp_path / "journal.jsonl", Header(1, "chat"), lambda: Secrets({name: "PASSWORD"}))
    for number in range(3):
        said = [message(n) for n in range(number + 1)]
        journal.begun(Call(number, Asked("tool_call", "t", {name: said}), number + 1, number))
    journal.close()
    assert name not in (tmp_path / "journal.jsonl").read_text()
    assert len(read_journal((tmp_path / "journal.jsonl").read_bytes(), "journal").calls) == 3


def test_no_secret_of_an_exchange_is_written(tmp_path: Path) -> None:
    """Pieces of a stream, too, in which no piece is one."""
    deltas = [
        f'data: {{"choices":[{{"index":0,"delta":{{"content":"{part}"}}}}]}}'
        for part in ("correct-horse", "-77-battery")
    ]
    asked = Request(
        "POST", "/x", f"key={PASSWORD}", body=JsonBody({"messages": [{"role": "user", "content": PASSWORD}]})
    )
    answered = Response(200, "text/event-stream", {"x-request-id": PASSWORD}, EventsBody((*deltas, "")))
    journal = Journal(tmp_path / "journal.jsonl", Header(1, "chat"), lambda: Secrets({PASSWORD: "PASSWORD"}))
    journal.arrived(0, "openai", f"/x/{PASSWORD}")
    journal.exchanged(0, Recorded(Exchange("openai", "chat_completions", asked, answered), 1, 2, 0))
    journal.close()
    data = (tmp_path / "journal.jsonl").read_text()
    assert PASSWORD not in data
    assert "-77-battery" not in data
    assert len(read_journal(data.encode(), "journal").recorded) == 1


def test_an_exchange_that_cannot_be_told_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("stepfork.instrument.journal_exchange.redacted_by", broken)
    journal = Journal(tmp_path / "journal.jsonl", Header(1, "chat"), lambda: NONE)
    journal.arrived(0, "openai", "/x")
    journal.exchanged(0, recorded(0, [message(0)]))
    journal.close()
    data = (tmp_path / "journal.jsonl").read_bytes()
    assert b"question" not in data
    assert len(read_journal(data, "journal").recorded) == 1


HEAD = b'{"stepfork_journal":1,"name":"chat"}\n'
WHOLE = (
    b'{"event":"begun","call":{"number":0,"asked":{"type":"llm_call","name":"t","arguments":{"m":[{}]}},'
    b'"begun":1,"started_ns":5}}\n'
)
BEGUN = (
    b'{"event":"begun","call":{"number":%d,"asked":{"type":"llm_call","name":"t","arguments":{"m":[{}]}},'
    b'"begun":%d,"started_ns":5},"kept":[[["m"],%d,%d]]}\n'
)
ARRIVED = b'{"event":"arrived","index":0,"provider":"p","path":"/x"}\n'
EXCHANGED = (
    b'{"event":"exchanged","index":0,"arrived_ns":1,"ended_ns":2,"connection":0,"provider":"p","api":"other",'
    b'"method":"POST","path":"/x","status":200,"request":{"json":{"m":[{}]}}}\n'
)


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (BEGUN % (0, 1, 0, 1), 2),  # of itself
        (WHOLE + BEGUN % (1, 2, 2, 1), 3),  # of a later one
        (WHOLE + BEGUN % (1, 2, 0, 2), 3),  # more than there is
        (WHOLE + BEGUN % (1, 2, 0, 0), 3),
        (WHOLE + (BEGUN % (1, 2, 0, 1)).replace(b'[["m"]', b'[["n"]'), 3),
        (WHOLE.replace(b'"started_ns":5}', b'"started_ns":5},"more":1'), 2),
        (EXCHANGED, 2),  # it never arrived
        (ARRIVED + ARRIVED, 3),
        (ARRIVED.replace(b'"index":0', b'"index":-1'), 2),
        (ARRIVED + EXCHANGED.replace(b'{"json":', b'{"sung":'), 3),
        (ARRIVED + EXCHANGED.replace(b'{"json":{"m":[{}]}}', b'{"text":"t"},"kept":[[["m"],0,1]]'), 3),
        (ARRIVED + EXCHANGED.replace(b'"status":200', b'"status":200,"ending":"sung"'), 3),
        (
            ARRIVED
            + EXCHANGED.replace(b'"status":200', b'"status":200,"response":{"json":{"a":1,"b":2},"order":"zz"}'),
            3,
        ),
    ],
)
def test_what_fits_no_earlier_line_is_refused(data: bytes, line: int) -> None:
    with pytest.raises(DamagedError, match=f"line {line} is no event"):
        read_journal(HEAD + data, "journal")


def test_a_newer_journal_says_what_to_do() -> None:
    with pytest.raises(DamagedError, match="upgrade stepfork"):
        read_journal(b'{"stepfork_journal":2,"name":"chat","new":1}\n{"event":"new"}\n', "journal")
