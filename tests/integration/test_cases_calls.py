"""Calls that go wrong or look odd on the wire, from the command line to the fixture: what a capture makes of them."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import jsonschema
import openai
import pytest

import stepfork
from stepfork.capture.assemble import assemble
from stepfork.listener.limits import Limits
from stepfork.normalize.request_key import request_key
from stepfork.trace.body import EventsBody
from stepfork.trace.wire import body_bytes
from tests.integration.stand import Stand
from tests.integration.wire import (
    ANSWER,
    CHAT_EVENTS,
    PATIENCE,
    Asked,
    Line,
    connected,
    head,
    listening,
    model_server,
    raw,
)

SCHEMA = Path(stepfork.__file__).parent / "schemas/capture.schema.json"
CHUNKED = ("Content-Type: text/event-stream", "Transfer-Encoding: chunked")
JSON = "Content-Type: application/json"
STREAM = b'{"model":"test-model","messages":[],"stream":true}'
OPENED = """
body = json.dumps({"model": "test-model", "messages": [], "stream": True}).encode()
url, media = os.environ["OPENAI_BASE_URL"] + "/chat/completions", {"Content-Type": "application/json"}
answer = urllib.request.urlopen(urllib.request.Request(url, body, media), timeout=20)
"""
SWALLOW = """
import http.client
try:
    ask("Please refund O-1042.", stream=True)
except (http.client.IncompleteRead, ConnectionError) as error:
    print("broken:", type(error).__name__)
"""


def test_c001_a_stream_is_stored_event_by_event_without_waiting_for_the_upstreams_end(stand: Stand) -> None:
    over = threading.Event()

    def never_ending(asked: Asked, line: Line) -> None:
        line.head(*CHUNKED)
        line.chunk(*CHAT_EVENTS)
        line.wait_for_hang_up()  # nothing says that the body is over
        over.set()
        line.close()

    reads = (
        OPENED
        + """
while b"[DONE]" not in answer.readline():
    pass
answer.readline()
answer.close()
"""
    )
    stand.capture(reads, never_ending)
    assert over.wait(PATIENCE)
    body = stand.store.read("case").run.exchanges[0].response.body
    assert isinstance(body, EventsBody)
    assert [event.replace("chatcmpl-{{id_1}}", "chatcmpl-test0001") for event in body.events] == [
        event.decode().removesuffix("\n\n") for event in (*CHAT_EVENTS, b"")
    ]


def test_c008_silence_longer_than_an_idle_request_may_last_does_not_cut_a_stream() -> None:
    go = threading.Event()

    def silent(asked: Asked, line: Line) -> None:
        line.head(*CHUNKED)
        line.chunk(b": waiting\n\n")
        assert go.wait(PATIENCE)
        line.chunk(*CHAT_EVENTS)
        line.send(b"0\r\n\r\n")

    limits = Limits(idle_seconds=0.05)
    with (
        model_server(silent) as model,
        listening(model.url, limits=limits) as listener,
        connected(listener) as connection,
    ):
        connection.request("POST", f"/{listener.token}/openai/v1/chat/completions", STREAM)
        response = connection.getresponse()
        assert response.read(11) == b": waiting\n\n"
        for _ in range(2):  # each shows that the idle time has passed once more
            with raw(listener) as slow:
                slow.sendall(head(listener, "/openai/v1/responses", "Content-Length: 20") + b"half")
                assert slow.recv(65536).startswith(b"HTTP/1.1 408 ")
        go.set()
        assert response.read().endswith(b"".join(CHAT_EVENTS))
    (recorded,) = listener.heard().exchanges
    assert recorded.exchange.response.ending == "complete"


def test_c009_an_error_in_the_middle_of_a_stream_is_kept_as_it_came_and_counts_as_failed(stand: Stand) -> None:
    events = (
        b'event: message_start\ndata: {"type":"message_start","message":{"role":"assistant","content":[]}}\n\n',
        b'event: content_block_start\ndata: {"type":"content_block_start","index":0,'
        b'"content_block":{"type":"text","text":""}}\n\n',
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,'
        b'"delta":{"type":"text_delta","text":"Looking up"}}\n\n',
        b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    )
    asks = 'call({"model": "test-model", "max_tokens": 9, "stream": True, "messages": []}, "/v1/messages")'
    said = stand.capture(asks, lambda asked, line: line.stream(*events), code=1)
    assert "chat failed with overloaded_error" in said.err
    fixture = stand.store.read("case")
    assert body_bytes(fixture.run.exchanges[0].response.body) == b"".join(events)
    assert fixture.run.trace.status == "error"
    assert fixture.run.trace.steps[0].error is not None
    assert stand.manifest()["exchanges"][0]["says"][-1] == "error: overloaded_error"


@pytest.mark.parametrize("how", ["reset", "close"])
def test_c010_a_stream_that_broke_off_is_no_fixture_and_the_old_one_stays(stand: Stand, how: str) -> None:
    stand.capture("ask('Please refund O-1042.')")
    before = stand.files()

    def breaking(asked: Asked, line: Line) -> None:
        line.head(*CHUNKED)
        line.chunk(*CHAT_EVENTS[:3])
        getattr(line, how)()

    said = stand.capture(SWALLOW, breaking, code=1)
    assert "broken: " in said.out
    cause = said.line("cause")
    assert "exchange 0 (openai chat_completions test-model): the upstream broke off the response" in cause
    assert stand.files() == before
    draft = stand.stepfork("show", ".stepfork/failed/case.sftrace", "--json").out
    assert "[DONE]" not in draft
    assert '"ending": "reset"' in draft
    assert "not captured" in said.err


@pytest.mark.parametrize(
    ("kind", "detail", "line"),
    [
        ("incomplete", {"incomplete_details": {"reason": "max_output_tokens"}}, "(incomplete: max_output_tokens)"),
        ("failed", {"error": {"code": "server_error", "message": "no"}}, "error: server_error"),
    ],
)
def test_c011_an_answer_that_was_cut_or_failed_is_whole_and_no_normal_stop(
    stand: Stand, kind: str, detail: dict[str, object], line: str
) -> None:
    response = {"status": kind, "output": [], **detail}
    events = [
        {"type": "response.created", "response": {"status": "in_progress", "output": []}},
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "The"},
        {"type": f"response.{kind}", "response": response},
    ]
    sent = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]
    asks = 'call({"model": "test-model", "stream": True, "input": "hi"}, "/responses")'
    stand.capture(asks, lambda asked, line: line.stream(*sent), code=int(kind == "failed"))
    exchange = stand.store.read("case").run.exchanges[0]
    assert exchange.response.ending == "complete"
    assert body_bytes(exchange.response.body) == b"".join(sent)
    assert line in stand.manifest()["exchanges"][0]["says"][-1]
    step = stand.document()["trace"]["steps"][0]
    assert ("error" in step) == (kind == "failed")
    assert "stop" not in step.get("finish_reasons", [])


def test_c012_an_agent_that_leaves_the_loop_early_cancels_the_upstream_and_gets_no_fixture(stand: Stand) -> None:
    hung_up = threading.Event()

    def two_of_ten(asked: Asked, line: Line) -> None:
        if b"second" in asked.body:
            assert hung_up.wait(PATIENCE)  # long before the agent ends
            line.whole(ANSWER, JSON)
            return
        line.head(*CHUNKED)
        line.chunk(*CHAT_EVENTS[:2])
        line.wait_for_hang_up()
        hung_up.set()
        line.close()

    leaves = (
        OPENED
        + """
for number, line in enumerate(answer):
    if number == 2:
        break
answer.close()
print(json.loads(ask("second"))["choices"][0]["message"]["content"])
"""
    )
    said = stand.capture(leaves, two_of_ten, code=1)
    assert said.out == "hi\n"
    assert "exchange 0 (openai chat_completions test-model): the agent stopped reading" in said.line("cause")
    assert stand.files() == {}
    assert not list(stand.store.root.rglob("*.tmp"))


def test_c013_chunks_without_choices_are_read_redacted_and_kept(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "-".join(("swordfish", "and", "pelican"))
    monkeypatch.setenv("SHOP_PASSWORD", secret)
    half = len(secret) // 2
    events = (
        b'data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}]}\n\n',
        *(
            b'data: {"choices":[{"index":0,"delta":{"content":%s}}]}\n\n' % json.dumps(piece).encode()
            for piece in ("It is ", secret[:half], secret[half:], ".")
        ),
        *CHAT_EVENTS[-2:-1],
        b'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}\n\n',
        CHAT_EVENTS[-1],
    )
    said = stand.capture("ask('hi', stream=True)", lambda asked, line: line.stream(*events))
    assert "(3 in, 1 out)" in said.line("model calls")
    assert "SHOP_PASSWORD" in said.line("redacted")
    body = stand.store.read("case").run.exchanges[0].response.body
    assert isinstance(body, EventsBody)
    assert len(body.events) == len(events) + 1
    for event in body.events[:-2]:
        json.loads(event.removeprefix("data: "))
    assert "prompt_filter_results" in body.events[0]
    assert stand.manifest()["exchanges"][0]["says"][-1] == "assistant: It is [redacted]."
    assert not [name for name, data in stand.files().items() if secret.encode() in data]


def test_c015_an_empty_variable_sends_nobody_to_an_empty_address(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "")
    said = stand.capture('print(os.environ["OPENAI_BASE_URL"], os.environ["ANTHROPIC_BASE_URL"])', code=1)
    assert "openai → api.openai.com   anthropic → api.anthropic.com" in said.err
    openai_url, anthropic_url = said.out.split()
    assert openai_url.startswith("http://127.0.0.1:")
    assert openai_url.endswith("/openai/v1")
    assert anthropic_url.endswith("/anthropic")


def test_c017_a_retry_is_an_exchange_and_no_second_step(stand: Stand) -> None:
    def busy_once(asked: Asked, line: Line) -> None:
        if len(stand.model.asked) == 1:
            line.whole(b'{"error":{"message":"slow down"}}', JSON, "Retry-After: 1", status="429 Too Many Requests")
        else:
            line.whole(ANSWER, JSON)

    tries = """
for count in "01":
    call({"model": "test-model", "messages": []}, headers=[("x-stainless-retry-count", count)])
"""
    said = stand.capture(tries, busy_once)
    assert said.line("trace").startswith("trace         1 step")
    assert [exchange["status"] for exchange in stand.manifest()["exchanges"]] == [429, 200]
    steps = stand.document()["trace"]["steps"]
    assert [(step["type"], step["exchange"]) for step in steps] == [("llm_call", 1)]
    first, second = stand.store.read("case").run.exchanges
    assert first.request == second.request


def test_c017_the_retries_of_an_official_client_are_one_step() -> None:
    def busy(asked: Asked, line: Line) -> None:
        if len(model.asked) < 3:
            line.whole(b'{"error":{"message":"x"}}', JSON, "retry-after-ms: 1", status="429 Too Many Requests")
        else:
            line.whole(ANSWER, JSON)

    with model_server(busy) as model, listening(model.url) as listener:
        with openai.OpenAI(base_url=f"{listener.base_url}/openai/v1", api_key="unused") as client:
            client.chat.completions.create(model="test-model", messages=[{"role": "user", "content": "hi"}])
        counts = [asked.headers["x-stainless-retry-count"] for asked in model.asked]
    assert counts == ["0", "1", "2"]
    heard = listener.heard()
    assert [recorded.exchange.response.status for recorded in heard.exchanges] == [429, 429, 200]
    assert len({request_key(recorded.exchange) for recorded in heard.exchanges}) == 1
    made = assemble(heard.exchanges, (), key=request_key)
    assert [(step.type, step.exchange, step.error) for step in made.trace.steps] == [("llm_call", 2, None)]


def test_c018_binary_bodies_go_to_the_disk_and_come_back(stand: Stand) -> None:
    audio = bytes(range(256)) * 3
    asked_for = {"/v1/audio/speech": ("audio/mpeg", audio), "/v1/hex": ("text/plain", b"deadbeefcafe")}
    asked_for["/v1/base64"] = ("text/plain", b"aGVsbG8gd29ybGQ=")

    def speak(asked: Asked, line: Line) -> None:
        media, body = asked_for[asked.target]
        line.whole(body, f"Content-Type: {media}")

    calls = "\n".join(f"call(b'\\xff\\x00', {path.removeprefix('/v1')!r})" for path in asked_for)
    stand.capture(calls, speak, code=1)  # no model call is among them
    stand.stepfork("pack", "case", "case.sftrace")
    stand.stepfork("unpack", "case.sftrace", "--name", "again")
    exchanges = stand.store.read("again").run.exchanges
    assert [body_bytes(exchange.response.body) for exchange in exchanges] == [body for _, body in asked_for.values()]
    assert [body_bytes(exchange.request.body) for exchange in exchanges] == [b"\xff\x00"] * 3
    kinds = [list(exchange["response"]["body"]) for exchange in stand.document("again")["exchanges"]]
    assert kinds == [["base64"], ["text"], ["text"]]


def test_c019_eight_calls_at_once_are_all_stored_in_an_order_that_no_clock_decides(stand: Stand) -> None:
    together = threading.Barrier(8)

    def echo(asked: Asked, line: Line) -> None:
        number = int(json.loads(asked.body)["messages"][0]["content"])
        together.wait(PATIENCE)  # all eight are under way before the first is answered
        choice = {"index": 0, "message": {"role": "assistant", "content": f"answer {number}"}, "finish_reason": "stop"}
        line.whole(json.dumps({"choices": [choice]}).encode(), JSON)

    def run(numbers: list[int]) -> dict[str, bytes]:
        stand.capture(
            f"threads = [threading.Thread(target=ask, args=(str(n),)) for n in {numbers}]\n"
            "for thread in threads: thread.start()\n"
            "for thread in threads: thread.join()\n",
            echo,
        )
        return stand.files()

    first = run(list(range(8)))
    assert run(list(reversed(range(8)))) == first
    exchanges = stand.manifest()["exchanges"]
    said = [exchange["says"] for exchange in exchanges]
    assert sorted(said) == [[f"user: {number}", f"assistant: answer {number}"] for number in range(8)]


def test_c014_a_404_is_shown_with_the_whole_address_that_was_tried(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "-".join(("gateway", "key", "1042"))
    monkeypatch.setenv("OPENAI_BASE_URL", f"{stand.model.url}/{key}/v1/?tenant=a")
    monkeypatch.setenv("GATEWAY_TOKEN", key)

    def lost(asked: Asked, line: Line) -> None:
        assert asked.target == f"/{key}/v1/chat/completions?tenant=a"
        line.whole(b'{"error":{"message":"no such route"}}', JSON, status="404 Not Found")

    said = stand.capture("ask('hi')", lost, code=1)
    tried = f"{stand.model.url}/[redacted]/v1/chat/completions?tenant=…"
    assert said.line("exchange 0") == (
        f"exchange 0 (openai chat_completions test-model): the upstream answered 404 at {tried}"
    )
    document = json.loads(stand.stepfork("capture", "--name", "j", "--json", "--", "python", "agent.py", code=1).out)
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(document)
    assert [notice.rpartition(" at ")[2] for notice in document["notices"]] == [tried]


def test_c050_why_a_capture_failed_is_said_without_its_secrets(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "-".join(("gateway", "key", "1042"))
    monkeypatch.setenv("OPENAI_BASE_URL", f"{stand.model.url}/{key}/v1")
    monkeypatch.setenv("GATEWAY_TOKEN", key)

    def gone(asked: Asked, line: Line) -> None:
        line.close()

    said = stand.capture("ask('hi')", gone, code=1)
    assert "/[redacted]/v1/chat/completions" in said.line("cause")
    for path in stand.store.root.rglob("*"):
        assert path.is_dir() or key not in path.read_text()
