"""What is odd about a run is so again on replay: recorded over HTTP, kept in a store, answered from it."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anthropic
import msgspec
import openai
import pytest

from stepfork.cli.exit_codes import INTERRUPTED, TERMINATED
from stepfork.errors import StepforkError
from stepfork.replay.player import Player
from stepfork.store.layout import init_store
from stepfork.store.store import Store
from stepfork.testing import ReplayFailed, replay_run
from stepfork.trace.fixture import Fixture
from tests.integration.replaying import recorded, replaying, send
from tests.integration.stand import Stand
from tests.integration.test_child_signals import gone
from tests.integration.wire import ANSWER, CHAT_EVENTS, Asked, Line, Script, answer_hi

JSON = "Content-Type: application/json"
KEY = "made-up"
Sent = tuple[int, dict[str, str], bytes]


@pytest.fixture
def kept(tmp_path: Path) -> Callable[..., Fixture]:
    """Records a program, writes it to a store and reads it back."""
    init_store(tmp_path)
    store = Store(tmp_path / ".stepfork")

    def record(program: Callable[[str], object], script: Script) -> Fixture:
        store.write(recorded(program, script))
        return store.read("case")

    return record


@contextlib.contextmanager
def whole(fixture: Fixture) -> Iterator[str]:
    """The base URL of a replay that has to answer every call and to use every exchange."""
    with replaying(fixture) as (base, player):
        yield base
    assert player.report().is_whole, player.report()


def asking(text: str = "go", **more: Any) -> bytes:
    return json.dumps({"model": "test-model", "messages": [{"role": "user", "content": text}], **more}).encode()


def streaming(*events: bytes, media: str = "text/event-stream") -> Script:
    return lambda asked, line: line.stream(*events, headers=(f"Content-Type: {media}",))


def in_turn(*bodies: bytes) -> Script:
    """Answers with one body after the other."""
    left = list(bodies)
    return lambda asked, line: line.whole(left.pop(0), JSON)


def missed(fixture: Fixture, body: bytes, **how: Any) -> Player:
    """The player of a replay that has no answer for this call."""
    with replaying(fixture) as (base, player):
        assert send(base, body, **how)[0] == 412
    return player


def openai_client(base: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{base}/openai/v1", api_key=KEY)


# Streams and their framing


def test_c002_and_c003_a_compressed_answer_is_replayed_as_what_its_headers_say(kept: Callable[..., Fixture]) -> None:
    def squeezed(asked: Asked, line: Line) -> None:
        if not json.loads(asked.body).get("stream"):
            line.whole(gzip.compress(ANSWER), JSON, "Content-Encoding: gzip")
            return
        deflater = zlib.compressobj(wbits=31)
        pieces = [deflater.compress(event) + deflater.flush(zlib.Z_SYNC_FLUSH) for event in CHAT_EVENTS]
        line.stream(*pieces, deflater.flush(), headers=("Content-Type: text/event-stream", "Content-Encoding: gzip"))

    def run(base: str) -> tuple[dict[str, str], str | None, list[str | None]]:
        with openai_client(base) as client:
            create: Any = client.chat.completions.with_raw_response.create
            asked: Any = {"model": "test-model", "messages": [{"role": "user", "content": "go"}]}
            answer = create(**asked)
            told = answer.parse().choices[0].message.content
            stream: Any = client.chat.completions.create(**asked, stream=True)
            return dict(answer.headers), told, [chunk.choices[0].delta.content for chunk in stream]

    runs = []
    fixture = kept(lambda base: runs.append(run(base)), squeezed)
    with whole(fixture) as base:
        headers, *said = run(base)
    assert runs[0][0]["content-encoding"] == "gzip"
    assert "content-encoding" not in headers
    assert "transfer-encoding" not in headers
    assert int(headers["content-length"]) >= len(ANSWER)
    assert said == [*runs[0][1:]] == ["hi", ["", "The refund", " is done", None]]


def test_c004_an_empty_body_that_claims_to_be_compressed_stays_empty(kept: Callable[..., Fixture]) -> None:
    heads = {"HEAD": "200 OK", "POST": "204 No Content", "GET": "304 Not Modified"}

    def empty(asked: Asked, line: Line) -> None:
        line.head("Content-Encoding: gzip", JSON, status=heads[asked.method])

    def run(base: str) -> list[tuple[int, bytes]]:
        return [send(base, method=method, path="/openai/v1/files")[::2] for method in heads]

    runs = []
    fixture = kept(lambda base: runs.append(run(base)), empty)
    with whole(fixture) as base:
        assert run(base) == runs[0] == [(200, b""), (204, b""), (304, b"")]
        assert "content-encoding" not in send(base, method="HEAD", path="/openai/v1/files")[1]


def test_c005_and_c006_characters_and_separators_are_exact_wherever_the_wire_was_cut(
    kept: Callable[..., Fixture],
) -> None:
    text = "5 € 漢字 🚀 a\u2028b\u2029c\u0085d"
    event = b'data: {"choices":[{"index":0,"delta":{"content":"%s"}}]}\r\n\r\n' % text.encode()
    end = b"data: [DONE]\r\n\r\n"
    cuts = [at for at, byte in enumerate(event) if byte & 0xC0 == 0x80]  # each within a character

    def cut(asked: Asked, line: Line) -> None:
        at = json.loads(asked.body)["seed"]
        line.stream(event[:at], event[at:], end)

    def run(base: str) -> list[bytes]:
        return [send(base, asking(seed=at, stream=True))[2] for at in cuts]

    fixture = kept(run, cut)
    with whole(fixture) as base:
        assert set(run(base)) == {event + end}


@pytest.mark.parametrize("media", ["text/event-stream; charset=utf-8", "Text/Event-Stream", "application/json"])
def test_c007_a_stream_of_any_media_type_is_replayed_as_one(kept: Callable[..., Fixture], media: str) -> None:
    events = [re.sub(rb'"id":"[^"]*",', b"", event) for event in CHAT_EVENTS]
    fixture = kept(lambda base: send(base, asking(stream=True)), streaming(*events, media=media))
    with whole(fixture) as base:
        status, headers, body = send(base, asking(stream=True))
    assert (status, headers["content-type"], body) == (200, media, b"".join(events))
    assert "content-length" not in headers


def test_c008_keepalives_are_no_step_no_content_and_come_again(stand: Stand) -> None:
    events = [
        b": waiting\n\n",
        b'event: message_start\ndata: {"type":"message_start","message":{"role":"assistant","content":[]}}\n\n',
        b'event: ping\ndata: {"type":"ping"}\n\n',
        b'event: content_block_start\ndata: {"type":"content_block_start","index":0,'
        b'"content_block":{"type":"text","text":""}}\n\n',
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
        b'"delta":{"type":"text_delta","text":"Hel"}}\n\n',
        b": still here\n\n",
        b'event: ping\ndata: {"type":"ping"}\n\n',
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
        b'"delta":{"type":"text_delta","text":"lo"}}\n\n',
        b'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
        b'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    ]
    asks = 'print(call({"model": "m", "max_tokens": 9, "stream": True, "messages": []}, "/v1/messages"))'
    out = stand.capture(asks, streaming(*events)).out
    assert out == f"{b''.join(events)!r}\n"
    assert stand.manifest()["exchanges"][0]["says"][-1] == "assistant: Hello"
    assert [step["type"] for step in stand.document()["trace"]["steps"]] == ["llm_call"]
    assert stand.stepfork("replay", "case", "--", "python", "agent.py").out == out
    # Without them it is the same run.
    quiet = [event for event in events if not event.startswith((b":", b"event: ping"))]
    stand.stepfork("pack", "case", "before.sftrace")
    stand.capture(asks, streaming(*quiet))
    assert "no semantic change" in stand.stepfork("diff", "before.sftrace", "case", "--responses").out


# How answers end


def test_c009_a_client_raises_again_at_the_error_in_the_middle_of_a_stream(kept: Callable[..., Fixture]) -> None:
    message = '{"type":"message_start","message":{"type":"message","role":"assistant","model":"m","content":[],'
    events = [
        f'event: message_start\ndata: {message}"usage":{{"input_tokens":1,"output_tokens":1}}}}}}\n\n'.encode(),
        b'event: content_block_start\ndata: {"type":"content_block_start","index":0,'
        b'"content_block":{"type":"text","text":""}}\n\n',
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
        b'"delta":{"type":"text_delta","text":"Looking"}}\n\n',
        b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    ]

    def run(base: str) -> tuple[list[str], object]:
        asked: Any = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "go"}]}
        texts: list[str] = []
        with anthropic.Anthropic(base_url=f"{base}/anthropic", api_key=KEY) as client:
            with pytest.raises(anthropic.APIStatusError) as raised, client.messages.stream(**asked) as told:
                texts.extend(told.text_stream)
            return texts, raised.value.body

    runs = []
    fixture = kept(lambda base: runs.append(run(base)), streaming(*events))
    with whole(fixture) as base:
        assert run(base) == runs[0]
    error = {"type": "overloaded_error", "message": "Overloaded"}
    assert runs[0] == (["Looking"], {"type": "error", "error": error})


@pytest.mark.parametrize("kind", ["incomplete", "failed"])
def test_c011_an_answer_that_ended_otherwise_ends_so_again(kept: Callable[..., Fixture], kind: str) -> None:
    ended = {"status": kind, "output": [], "incomplete_details": {"reason": "max_output_tokens"}}
    told: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"status": "in_progress", "output": []}},
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "The"},
        {"type": f"response.{kind}", "response": ended},
    ]
    events = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in told]

    def run(base: str) -> bytes:
        return send(base, b'{"model":"test-model","input":"go","stream":true}', path="/openai/v1/responses")[2]

    fixture = kept(run, streaming(*events))
    assert fixture.run.exchanges[0].response.ending == "complete"
    with whole(fixture) as base:
        assert run(base) == b"".join(events)


def test_c013_chunks_without_choices_come_again(kept: Callable[..., Fixture]) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}
    events = (
        b'data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}]}\n\n',
        *CHAT_EVENTS[:-1],
        b'data: {"choices":[],"usage":%s}\n\n' % json.dumps(usage).encode(),
        CHAT_EVENTS[-1],
    )

    def run(base: str) -> list[tuple[int, int | None]]:
        with openai_client(base) as client:
            messages: Any = [{"role": "user", "content": "go"}]
            stream = client.chat.completions.create(model="test-model", messages=messages, stream=True)
            return [(len(chunk.choices), chunk.usage and chunk.usage.total_tokens) for chunk in stream]

    with whole(kept(run, streaming(*events))) as base:
        assert run(base) == [(0, None), *[(1, None)] * 4, (0, 4)]


# Bodies as they were sent


def test_c018_binary_bodies_come_back_byte_for_byte(kept: Callable[..., Fixture]) -> None:
    answers = {
        "/v1/audio/speech": ("audio/mpeg", bytes(range(256)) * 3),
        "/v1/hex": ("text/plain", b"deadbeefcafe"),
        "/v1/base64": ("text/plain", b"aGVsbG8gd29ybGQ="),
    }

    def speak(asked: Asked, line: Line) -> None:
        media, body = answers[asked.target]
        line.whole(body, f"Content-Type: {media}")

    def run(base: str) -> list[tuple[str, bytes]]:
        sent = [send(base, b"\xff\x00", path=f"/openai{path}", Content_Type="audio/wav") for path in answers]
        return [(headers["content-type"], body) for _, headers, body in sent]

    fixture = kept(run, speak)
    with whole(fixture) as base:
        assert run(base) == list(answers.values())
    missed(fixture, b"\xff\x01", path="/openai/v1/audio/speech", Content_Type="audio/wav")


def upload(base: str, boundary: str, text: str = "hello") -> Sent:
    part = 'Content-Disposition: form-data; name="file"; filename="a.txt"'
    body = f"--{boundary}\r\n{part}\r\n\r\n{text}\r\n--{boundary}--\r\n".encode()
    return send(base, body, path="/openai/v1/files", Content_Type=f"multipart/form-data; boundary={boundary}")


def test_c030_an_upload_with_another_boundary_hits_and_with_another_text_misses(kept: Callable[..., Fixture]) -> None:
    fixture = kept(lambda base: upload(base, "1f0a2b3c4d5e6f70"), answer_hi)
    with whole(fixture) as base:
        assert upload(base, "99aabbccddeeff00")[0] == 200
    with replaying(fixture) as (base, _):
        assert upload(base, "1f0a2b3c4d5e6f70", "goodbye")[0] == 412


def test_c031_ids_of_this_replay_are_given_out_and_known_again(kept: Callable[..., Fixture]) -> None:
    """The second request repeats an id and a clock of the first answer, in fields and in texts."""
    asked_before = "call_Q7wE2rT5yU8iO1pA3sD6fG9h"
    call = {"id": asked_before, "type": "function", "function": {"name": "look", "arguments": "{}"}}
    clock = datetime.now(UTC).isoformat()
    message = {"role": "assistant", "content": f"as of {clock}", "tool_calls": [call]}
    first = {"id": "chatcmpl-Zx9Cv8Bn7Mm6Lk5Jh4Gf3Ds2Qa1Wp", "choices": [{"index": 0, "message": message}]}

    def run(base: str) -> tuple[str, list[int]]:
        status, _, body = send(base, asking())
        said = json.loads(body)["choices"][0]["message"]
        given = said["tool_calls"][0]["id"]
        messages = json.loads(asking())["messages"]
        told = f"looked up for {given} {said['content']}"
        result = {"role": "tool", "tool_call_id": given, "content": told}
        again = asking(messages=[*messages, said, result])
        read = datetime.fromisoformat(said["content"].removeprefix("as of "))
        assert abs(read - datetime.now(UTC)) < timedelta(hours=1)
        return given, [status, send(base, again)[0]]

    fixture = kept(run, in_turn(json.dumps(first).encode(), ANSWER))
    found = set()
    for _ in range(2):
        with whole(fixture) as base:
            given, statuses = run(base)
        assert statuses == [200, 200]
        assert re.fullmatch(r"call_[A-Za-z0-9]{24}", given)
        found.add(given)
    assert len(found | {asked_before}) == 3
    stored = json.dumps([str(exchange) for exchange in fixture.run.exchanges])
    assert clock not in stored
    assert stored.count("call_{{id_1}}") == 4  # in the answer; as a call, of a result and in a text of the request


@pytest.mark.parametrize(
    ("value", "other"),
    [
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250930"),
        ("1.2.20240101", "1.2.20240102"),
        ("SKU 2024-11-05-88", "SKU 2024-11-06-88"),
        ("a94a8fe5ccb19ba61c4c0873d391e987982fbbd3", "a94a8fe5ccb19ba61c4c0873d391e987982fbbd4"),
        ("7d0e8d4c-3c2b-4c5e-9f68-0d7a4f1b2c3d", "7d0e8d4c-3c2b-4c5e-9f68-0d7a4f1b2c3e"),
    ],
)
def test_c032_what_only_looks_like_an_id_or_a_time_counts(kept: Callable[..., Fixture], value: str, other: str) -> None:
    fixture = kept(lambda base: send(base, asking(f"about {value}", model=value)), answer_hi)
    with whole(fixture) as base:
        assert send(base, asking(f"about {value}", model=value))[0] == 200
    for changed in (asking(f"about {other}", model=value), asking(f"about {value}", model=other)):
        missed(fixture, changed)


ODD = {
    "c033 empty": (b"", b""),
    "c033 cut": (b'{"messages": [{"content": "x', b'{"choices": [{"mess'),
    "c051": (asking(seed=1).replace(b": 1}", b": 18446744073709551617}"), b'{"v":18446744073709551616,"f":1e400}'),
    "c052": (asking(top_p=float("nan")), b'{"cost":NaN,"low":-Infinity,"none":null}'),
    "c053": (b'{"model":"m","messages":[{"role":"user","role":"system","content":"hi"}]}', b'{"a":1,"a":2}'),
    "c054": (asking("cut \ud83d"), b'{"choices":[{"index":0,"message":{"content":"cut \\ud83d"}}]}'),
    "c056": (b'{"model":"m","messages":' + b"[" * 300 + b"]" * 300 + b"}", b"[" * 2000 + b"]" * 2000),
    "c057": (asking("a\r\nb"), b'{"text":"a\\r\\nb\\nc"}'),
}


@pytest.mark.parametrize(("asked", "answer"), ODD.values(), ids=ODD)
def test_c033_and_c051_to_c057_odd_bodies_hit_and_are_answered_as_they_were(
    kept: Callable[..., Fixture], asked: bytes, answer: bytes
) -> None:
    fixture = kept(lambda base: send(base, asked), in_turn(answer))
    with whole(fixture) as base:
        assert send(base, asked)[2] == answer


@pytest.mark.parametrize(
    ("asked", "other"),
    [
        (ODD["c033 cut"][0], ODD["c033 cut"][0] + b"y"),
        (ODD["c051"][0], ODD["c051"][0].replace(b"617}", b"618}")),
        (ODD["c052"][0], asking(top_p=None)),
        (ODD["c053"][0], b'{"model":"m","messages":[{"role":"system","content":"hi"}]}'),
        (ODD["c054"][0], asking("cut \ud83e")),
        (ODD["c057"][0], asking("a\nb")),
    ],
    ids=["c033", "c051", "c052", "c053", "c054", "c057"],
)
def test_c033_and_c051_to_c057_another_odd_body_misses(
    kept: Callable[..., Fixture], asked: bytes, other: bytes
) -> None:
    missed(kept(lambda base: send(base, asked), answer_hi), other)


# What a replay says


POLL = """
for turn in range(int(sys.argv[1])):
    answer = json.loads(ask("is it done?"))
    print(answer["choices"][0]["message"]["content"] if "choices" in answer else answer["error"]["message"])
"""


def test_c088_and_c090_equal_requests_take_their_turns_and_one_more_is_told_by_its_count(stand: Stand) -> None:
    def said(text: str) -> bytes:
        return ANSWER.replace(b'"hi"', json.dumps(text).encode())

    stand.agent(POLL)
    stand.model.script = in_turn(said("A"), said("B"), said("C"))
    stand.stepfork("capture", "--name", "case", "--", "python", "agent.py", "3")
    assert stand.stepfork("replay", "case", "--", "python", "agent.py", "3").out == "A\nB\nC\n"
    more = stand.stepfork("replay", "case", "--", "python", "agent.py", "4", code=1)
    assert more.out.startswith("A\nB\nC\nstepfork replay: call 4 ")
    assert more.line("first difference") == "first difference   recorded 3×, asked 4×"
    stand.agent(POLL.replace("is it done?", "is it over?"))
    changed = stand.stepfork("replay", "case", "--", "python", "agent.py", "1", code=1)
    assert changed.line("first difference") == "first difference   message 0 (user)"
    assert "asked" not in changed.line("first difference")


def test_c091_a_test_fails_for_calls_that_are_left_over_and_lists_them(stand: Stand) -> None:
    stand.capture("for text in ('one', 'two', 'three'): ask(text)")
    replay_run("case", command=["python", "agent.py"], cwd=stand.root)
    stand.agent("for text in ('one', 'three'): ask(text)")
    with pytest.raises(ReplayFailed) as failed:
        replay_run("case", command=["python", "agent.py"], cwd=stand.root)
    assert "exchange 1 was recorded and not asked for: user: two assistant: hi" in str(failed.value)
    assert "exchange 0" not in str(failed.value)


@pytest.mark.parametrize("damage", ["gone", "empty", "{}", "no exchanges", "a damaged object"])
def test_c102_a_fixture_that_holds_nothing_fails_its_test(stand: Stand, damage: str) -> None:
    stand.capture("ask('one')")
    path = stand.store.manifest_path("case")
    fixture = stand.store.read("case")
    match damage:
        case "gone":
            path.unlink()
        case "no exchanges":
            run = msgspec.structs.replace(fixture.run, exchanges=())
            stand.store.write(msgspec.structs.replace(fixture, run=run))
        case "a damaged object":
            stand.store.objects.path(stand.manifest()["exchanges"][0]["object"]).write_bytes(b"{}\n")
        case text:
            path.write_text("" if text == "empty" else text)
    with pytest.raises(StepforkError):  # never a skip, and nothing of the program runs
        replay_run("case", command=["python", "-c", "open('ran', 'w')"], cwd=stand.root)
    assert not (stand.root / "ran").exists()


CHILD = """
import signal, subprocess
quiet = "import signal, time; signal.signal(2, signal.SIG_DFL); "
child = subprocess.Popen([sys.executable, "-c", quiet + "print('up', flush=True); time.sleep(600)"],
                         stdout=subprocess.PIPE)
exec(quiet)
child.stdout.readline()
print(child.pid, flush=True)
ask("one")
os.kill(os.getppid(), getattr(signal, sys.argv[1]))
threading.Event().wait()
"""


@pytest.mark.parametrize(("name", "code"), [("SIGINT", INTERRUPTED), ("SIGTERM", TERMINATED)])
def test_c110_a_capture_that_is_ended_leaves_no_child_and_no_fixture(stand: Stand, name: str, code: int) -> None:
    stand.agent(CHILD)
    said = stand.stepfork("capture", "--name", "case", "--", "python", "agent.py", name, code=code)
    assert gone(int(said.out.split()[0]))
    assert stand.files() == {}
