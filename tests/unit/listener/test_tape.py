from __future__ import annotations

from typing import Any

from stepfork.listener.limits import Limits
from stepfork.listener.tape import Progress, Tape
from stepfork.listener.transcript import Transcript
from stepfork.trace.span import Span


def span(name: str) -> Span:
    return Span(trace_id="01" * 16, span_id="02" * 8, parent_id=None, name=name, start_ns=1, end_ns=2)


def call(tape: Tape, **more: Any) -> Transcript:
    given = {"provider": "openai", "api": "responses", "method": "POST", "path": "/responses", "query": ""}
    return tape.call(**{**given, "connection": 0, **more})


def test_calls_stand_in_order_of_arrival_whatever_ends_first() -> None:
    tape = Tape(Limits())
    first, second = call(tape, path="/a"), call(tape, path="/b")
    second.end("complete", tape.now_ns())
    first.end("complete", tape.now_ns())
    heard = tape.heard()
    assert [recorded.exchange.request.path for recorded in heard.exchanges] == ["/a", "/b"]
    assert heard.exchanges[0].arrived_ns <= heard.exchanges[1].arrived_ns <= heard.exchanges[1].ended_ns


def test_the_first_word_on_an_ending_counts() -> None:
    tape = Tape(Limits())
    transcript = call(tape)
    transcript.status = 200
    transcript.end("complete", 7)
    transcript.end("client_closed", 9)
    (recorded,) = tape.heard().exchanges
    assert (recorded.exchange.response.ending, recorded.ended_ns) == ("complete", 7)


def test_spans_stand_in_order_of_their_exports() -> None:
    tape = Tape(Limits())
    first, second = tape.export(), tape.export()
    assert tape.put(second, [span("late")]) == 0
    assert tape.put(first, [span("early"), span("early too")]) == 0
    assert [found.name for found in tape.heard().spans] == ["early", "early too", "late"]


def test_spans_over_the_limit_are_counted_and_said_once() -> None:
    tape = Tape(Limits(spans=3))
    assert tape.put(tape.export(), [span("a"), span("b")]) == 0
    assert tape.put(tape.export(), [span("c"), span("d")]) == 1
    assert tape.put(tape.export(), [span("e")]) == 1
    heard = tape.heard()
    assert [found.name for found in heard.spans] == ["a", "b", "c"]
    assert [problem.kind for problem in heard.problems] == ["limit"]


def test_a_full_capture_keeps_no_more_and_says_so_once() -> None:
    tape = Tape(Limits(capture_bytes=10))
    transcript = call(tape)
    tape.answered(transcript, b"12345")
    tape.answered(transcript, b"123456")
    assert transcript.response_size == 5
    assert transcript.cut
    tape.asked(transcript, b"123456")
    assert transcript.request_body == b""
    assert tape.holds(5)
    assert not tape.holds(1)
    assert [problem.kind for problem in tape.heard().problems].count("limit") == 2  # the exchange, and the capture


def test_what_inflates_counts_as_what_it_inflates_to() -> None:
    import gzip

    tape = Tape(Limits(capture_bytes=1500))
    for _ in range(3):
        transcript = call(tape)
        transcript.status = 200
        transcript.response_headers = {"content-encoding": "gzip", "content-type": "text/plain"}
        tape.answered(transcript, gzip.compress(b"0" * 1000))
        transcript.end("complete", 1)
    heard = tape.heard()
    assert [recorded.exchange.response.ending for recorded in heard.exchanges] == ["complete", "truncated", "truncated"]


def test_a_refused_call_is_no_exchange_and_its_number_is_not_used_again() -> None:
    tape = Tape(Limits())
    tape.forget(call(tape))
    assert call(tape).index == 1
    assert len(tape.heard().exchanges) == 1


def test_progress_is_told() -> None:
    seen: list[Progress] = []
    tape = Tape(Limits(), seen.append)
    first, second, refused = call(tape), call(tape), call(tape)
    tape.forget(refused)
    tape.put(tape.export(), [span("a")])
    tape.answered(first, b"a")
    tape.answered(first, b"b")
    second.end("reset", 1)
    tape.put(tape.export(), [span("b")])
    assert seen == [Progress(n, 0, n) for n in (1, 2, 3)] + [Progress(2, 1, 2), Progress(2, 1, 1), Progress(2, 2, 0)]
