"""A block of this process becomes a fixture: what is recorded, what is refused, and how the process is left behind."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import stepfork
from stepfork.errors import CaptureError, ConfigError, NotFoundError, UsageError
from stepfork.listener.environment import GIT_HOOK_VARIABLES
from stepfork.store.bundle import read_bundle
from stepfork.store.drafts import draft_path
from stepfork.workflows import in_process, one_block
from tests.integration.stand import Stand
from tests.integration.wire import ANSWER, CHAT_EVENTS, PATIENCE, Asked, Line

JSON = "Content-Type: application/json"
PASSWORD = "-".join(["hunter2", "of", "the", "block"])


def shop(asked: Asked, line: Line) -> None:
    """A model that looks the order up, then is done."""
    messages = json.loads(asked.body)["messages"]
    message: dict[str, Any] = {"role": "assistant", "content": "It is done."}
    if messages[-1]["role"] != "tool":
        call = {"name": "look_up", "arguments": '{"order_id": "O-1"}'}
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "call_7h3n", "type": "function", "function": call}],
        }
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    line.whole(json.dumps({"id": "chatcmpl-9z8y", "choices": [choice]}).encode(), JSON)


def ask(*messages: dict[str, Any], **headers: str) -> Any:
    """One call of a client that was made here and now."""
    body = json.dumps({"model": "test-model", "messages": messages}).encode()
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    request = urllib.request.Request(url, body, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["choices"][0]["message"]
    except urllib.error.HTTPError as error:
        error.close()  # it holds the connection, and a traceback holds it
        raise


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def agent(question: str = "Please refund O-1.") -> str:
    first = ask(user(question))
    result = {"role": "tool", "tool_call_id": first["tool_calls"][0]["id"], "content": '{"amount": 40.0}'}
    answer: str = ask(user(question), first, result)["content"]
    return answer


@pytest.fixture
def block(stand: Stand) -> Iterator[Stand]:
    """A stand whose model is the shop's; afterwards nothing is left of any block."""
    stand.model.script = shop
    yield stand
    assert "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" not in os.environ
    assert one_block.RUNNING == {}
    assert not [thread for thread in threading.enumerate() if thread.name == "stepfork-listener"]


def test_a_block_is_recorded_and_gets_a_test(block: Stand) -> None:
    with stepfork.record("refund", agent_id="refunds") as capture:
        assert capture.result is None
        capture.set_output({"answer": agent(), "when": {1, 2}})
    result = capture.result
    assert result is not None
    assert (result.outcome, result.verified, result.causes) == ("verified", True, ())
    assert result.fixture == block.store.manifest_path("refund")
    assert result.test == block.root / "tests" / "stepfork" / "test_refund.py"
    assert "COMMAND" not in result.test.read_text()
    run = block.store.read("refund").run
    assert (run.source.kind, run.source.replay_capable, run.source.command) == ("in_process", True, ())
    assert (run.trace.agent, run.trace.output) == ("refunds", {"answer": "It is done.", "when": [1, 2]})
    assert [step.type for step in run.trace.steps] == ["llm_call", "tool_call", "llm_call"]
    stored = block.files()
    with stepfork.record("refund", agent_id="refunds") as capture:
        capture.set_output({"answer": agent(), "when": {2, 1}})
    assert block.files() == stored


def test_the_drafted_test_of_a_block_passes(block: Stand) -> None:
    with stepfork.record("refund") as capture:
        agent()
    assert capture.result is not None
    assert capture.result.test is not None
    names: dict[str, Any] = {"__file__": str(capture.result.test)}
    exec(compile(capture.result.test.read_text(), "test_refund.py", "exec"), names)
    names["test_refund_recording_satisfies_contracts"]()


def test_without_emit_test_there_is_none(block: Stand) -> None:
    with stepfork.record("refund", emit_test=False) as capture:
        agent()
    assert capture.result is not None
    assert capture.result.test is None
    assert not (block.root / "tests").exists()


def test_the_process_is_turned_for_the_block_alone(block: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "intra.example")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=unused")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "")
    monkeypatch.setenv(GIT_HOOK_VARIABLES[0], "/nowhere")
    config = block.store.root / "config.toml"
    route = '[routes.shop]\nvariable = "SHOP_URL"\nupstream = "http://127.0.0.1:9"\ndialect = "opaque"\n'
    config.write_text(config.read_text() + route)
    before = dict(os.environ)
    with stepfork.record("refund", emit_test=False) as capture:
        agent()
        turned = {name: value for name, value in os.environ.items() if before.get(name) != value}
        assert turned.keys() == capture.env.keys()
        assert turned == capture.env
        leading = {name for name, value in turned.items() if value.startswith("http://127.0.0.1:")}
        assert leading == {
            "OPENAI_BASE_URL",
            "ANTHROPIC_BASE_URL",
            "SHOP_URL",
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            "STEPFORK_CALLS",
        }
        assert turned["NO_PROXY"] == "intra.example,127.0.0.1,localhost,::1"
        assert before.keys() - os.environ.keys() == {"OTEL_EXPORTER_OTLP_HEADERS", GIT_HOOK_VARIABLES[0]}
    assert dict(os.environ) == before


def test_env_leads_a_child_with_an_environment_of_its_own(block: Stand) -> None:
    with stepfork.record("refund", emit_test=False) as capture:
        agent()
        block.agent('print(ask("from a child"))')
        import subprocess
        import sys

        subprocess.run([sys.executable, "agent.py"], env={"PATH": os.environ["PATH"], **capture.env}, check=True)
    assert len(block.store.read("refund").run.exchanges) == 3


def test_one_at_a_time_in_threads_and_tasks_too(block: Stand) -> None:
    caught: list[BaseException] = []

    def second(make: Any) -> None:
        try:
            with make("other"):
                raise AssertionError("two at once")
        except CaptureError as error:
            caught.append(error)

    async def task() -> None:
        second(stepfork.record)

    with stepfork.record("refund", emit_test=False) as capture:
        leading = os.environ["OPENAI_BASE_URL"]
        second(stepfork.record)
        thread = threading.Thread(target=second, args=(stepfork.record,))
        thread.start()
        thread.join()
        asyncio.run(task())
        second(stepfork.playback)
        assert os.environ["OPENAI_BASE_URL"] == leading
        agent()
    assert [str(error) for error in caught] == [
        "a capture or a playback runs in this process already; "
        "it holds variables of the whole process, so the next one begins when it has ended"
    ] * 4
    assert capture.result is not None
    with pytest.raises(CaptureError, match="entered once"):
        capture.__enter__()


class OwnError(Exception):
    pass


def left_with(error: BaseException, capture: Any) -> Any:
    """The capture of a block that calls the model and raises."""
    with capture:
        agent()
        raise error


@pytest.mark.parametrize(
    "error", [OwnError("x"), KeyboardInterrupt(), SystemExit(1), asyncio.CancelledError()], ids=repr
)
def test_a_block_that_raises_is_no_run(block: Stand, error: BaseException) -> None:
    capture = stepfork.record("refund")
    with pytest.raises(type(error)) as caught:
        left_with(error, capture)
    assert caught.value is error
    assert not hasattr(error, "__notes__")
    assert capture.result is None
    assert block.files() == {}
    assert not draft_path(block.store, "refund").exists()
    assert not (block.root / "tests").exists()


def test_a_program_that_exits_with_0_has_ended_well(block: Stand) -> None:
    capture = stepfork.record("refund")
    with pytest.raises(SystemExit):
        left_with(SystemExit(0), capture)
    assert capture.result is not None
    assert capture.result.verified


def test_a_generator_that_is_left_early_is_no_run(block: Stand) -> None:
    def steps() -> Iterator[str]:
        with stepfork.record("refund"):
            yield agent()
            yield agent()

    running = steps()
    next(running)
    del running
    gc.collect()
    assert block.files() == {}


def test_a_failing_run_is_kept_as_a_bundle(block: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = block.root / "failed.sftrace"
    monkeypatch.setenv("OWN_PASSWORD", PASSWORD)
    capture = stepfork.record("refund", output="failed.sftrace")
    capture.set_output("never")
    with pytest.raises(OwnError):
        left_with(OwnError(f"no entry for {PASSWORD}"), capture)
    assert capture.result is not None
    assert capture.result.fixture == bundle
    trace = read_bundle(bundle).run.trace
    assert trace.status == "error"
    assert trace.error is not None
    assert (trace.error.type, trace.error.message) == ("OwnError", "no entry for [redacted]")
    assert trace.output is not None
    assert "never" not in str(trace.output)
    assert block.files() == {}
    assert not (block.root / "tests").exists()


@pytest.mark.parametrize("events", [0, 2])
def test_a_run_that_failed_is_kept_as_far_as_it_came(
    block: Stand, monkeypatch: pytest.MonkeyPatch, events: int
) -> None:
    monkeypatch.setattr(in_process, "SETTLE_SECONDS", 0.02)

    def endless(asked: Asked, line: Line) -> None:
        line.head("Transfer-Encoding: chunked", "Content-Type: text/event-stream")
        line.chunk(*CHAT_EVENTS[:events])
        line.wait_for_hang_up()

    def fail() -> None:
        if events:
            body = json.dumps({"model": "m", "stream": True, "messages": [user("go on")]}).encode()
            url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
            stream = urllib.request.urlopen(urllib.request.Request(url, body, {"Content-Type": "application/json"}))
            stream.readline()
            raise OwnError(stream)  # which keeps it open
        raise OwnError

    block.model.script = endless
    capture = stepfork.record("refund", output="failed.sftrace")
    with pytest.raises(OwnError) as caught, capture:
        fail()
    for stream in caught.value.args:
        stream.close()
    run = read_bundle(block.root / "failed.sftrace").run
    assert (run.source.replay_capable, run.trace.status) == (False, "error")
    assert [exchange.response.ending for exchange in run.exchanges] == ["client_closed"] * bool(events)
    assert capture.result is not None
    assert (capture.result.outcome, capture.result.draft) == ("not_verified", None)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), asyncio.CancelledError(), GeneratorExit()], ids=repr)
def test_an_interruption_is_the_beginning_of_a_run_and_no_failing_one(block: Stand, error: BaseException) -> None:
    with pytest.raises(type(error)):
        left_with(error, stepfork.record("refund", output="failed.sftrace"))
    assert not (block.root / "failed.sftrace").exists()


def test_a_bundle_needs_no_store(block: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with pytest.raises(NotFoundError), stepfork.record("refund"):
        pass
    with stepfork.record("refund", output="run.sftrace") as capture:
        agent()
    assert capture.result is not None
    assert capture.result.fixture == elsewhere / "run.sftrace"
    assert [path.name for path in elsewhere.iterdir()] == ["run.sftrace"]
    with stepfork.record("refund", store=block.store.root, emit_test=False):
        agent()
    assert block.store.names() == ["refund"]


def test_a_client_of_the_block_is_told_afterwards_that_it_is_over(block: Stand) -> None:
    with stepfork.record("refund", emit_test=False):
        agent()
        old = os.environ["OPENAI_BASE_URL"]
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(old + "/chat/completions", b"{}")
    with caught.value as answer:
        assert (answer.code, b"make it inside the block" in answer.read()) == (404, True)


def test_what_is_not_verified_is_written_and_raised(block: Stand) -> None:
    with pytest.raises(CaptureError) as caught, stepfork.record("refund", expect_fail=True) as capture:
        agent()
    result = capture.result
    assert result is not None
    assert (result.outcome, result.verified, result.test) == ("not_verified", False, None)
    assert str(caught.value).startswith(
        ".stepfork/fixtures/refund.json: the capture of 'refund' is not verified: every drafted"
    )
    assert "without expecting one (--expect-fail, expect_fail=True)" in str(caught.value)
    assert block.store.names() == ["refund"]


def test_an_incident_is_reproduced(block: Stand) -> None:
    with stepfork.record("refund", expect_fail=True) as capture:
        agent()
        agent("Please refund O-1 again.")
    assert capture.result is not None
    assert capture.result.expected_failures == ("cardinality-look_up-per-order_id",)


def test_nothing_to_verify_raises_nothing(block: Stand) -> None:
    block.model.script = lambda asked, line: line.whole(ANSWER, JSON)
    with stepfork.record("hello") as capture:
        ask(user("hello"))
    result = capture.result
    assert result is not None
    assert (result.outcome, result.verified, result.test) == ("nothing_to_verify", False, None)


def test_a_run_that_reached_no_model_is_kept_as_a_draft(block: Stand) -> None:
    capture = stepfork.record("refund")
    with pytest.raises(CaptureError, match=r"no fixture: no spans were .*trace_tool.*wrap_") as caught, capture:
        pass
    assert capture.result is not None
    assert capture.result.draft == draft_path(block.store, "refund")
    assert str(caught.value).startswith(".stepfork/failed/refund.sftrace: ")
    assert block.files() == {}


def test_in_ci_nothing_is_recorded_unasked(block: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(UsageError) as caught, stepfork.record("refund"):
        agent()
    assert str(caught.value).startswith(".stepfork/fixtures/refund.json: nothing is recorded in CI; run this on your")
    assert block.model.asked == []
    with stepfork.record("refund", allow_capture=True, emit_test=False):
        agent()
    monkeypatch.setenv("STEPFORK_ALLOW_CAPTURE", "1")
    with stepfork.record("refund", emit_test=False):
        agent()
    assert len(block.model.asked) == 4


@pytest.mark.parametrize(
    ("name", "options", "error"),
    [
        ("../out", {}, UsageError),
        ("refund", {"output": "run.json"}, UsageError),
        ("refund", {"output": "taken.sftrace"}, UsageError),
        ("refund", {"store": "nowhere"}, NotFoundError),
        ("Taken", {}, UsageError),
        ("dotenv", {}, ConfigError),
        ("upstream", {}, UsageError),
        ("config", {}, ConfigError),
    ],
)
def test_nothing_is_lost_to_a_late_refusal(
    block: Stand, monkeypatch: pytest.MonkeyPatch, name: str, options: dict[str, Any], error: type[Exception]
) -> None:
    (block.root / "taken.sftrace").mkdir()
    if name == "Taken":
        with stepfork.record("taken", emit_test=False):
            agent()
    elif name == "dotenv":
        (block.root / ".env").mkdir()
    elif name == "config":
        (block.store.root / "config.toml").write_text("format = 99\n")
    elif name == "upstream":
        monkeypatch.setenv("OPENAI_BASE_URL", "ftp://models.example")
    before = dict(os.environ)
    with pytest.raises(error), stepfork.record(name, **options):
        raise AssertionError("the block was entered")
    assert dict(os.environ) == before


def test_secrets_that_the_block_sets_itself_are_redacted(block: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third, fourth = ("-".join([word, "tulip", "lantern"]) for word in ("a1", "b2", "c3", "d4"))
    (block.root / ".env").write_text(f"DOTENV_TOKEN={first}\n")
    monkeypatch.setenv("ENTRY_TOKEN", second)
    with stepfork.record("refund", emit_test=False) as capture:
        os.environ["BLOCK_TOKEN"] = third
        with pytest.MonkeyPatch.context() as patch:  # set for one call and put away again
            patch.setenv("CALL_TOKEN", fourth)
            agent(f"{first} {second} {third} {fourth}")
        capture.set_output([third])
    del os.environ["BLOCK_TOKEN"]
    stored = b"".join(block.files().values()).decode()
    assert not [word for word in (first, second, third, fourth) if word in stored]
    assert "[redacted] [redacted] [redacted] [redacted]" in stored


def test_async_blocks_wait_for_calls_of_other_tasks(block: Stand) -> None:
    arrived, go = threading.Event(), threading.Event()

    def slow(asked: Asked, line: Line) -> None:
        arrived.set()
        assert go.wait(PATIENCE)
        shop(asked, line)

    async def run() -> Any:
        block.model.script = slow
        async with stepfork.record("refund", emit_test=False) as capture:
            other = asyncio.create_task(asyncio.to_thread(ask, user("Refund O-1.")))
            await asyncio.to_thread(arrived.wait, PATIENCE)
            asyncio.get_running_loop().call_soon(go.set)  # runs only where the loop goes on while the block is left
        await other
        return capture.result

    result = asyncio.run(run())
    assert result.verified, result.causes


def test_an_async_block_that_raises_is_no_run(block: Stand) -> None:
    async def run() -> None:
        async with stepfork.record("refund"):
            await asyncio.to_thread(agent)
            raise OwnError

    with pytest.raises(OwnError):
        asyncio.run(run())
    assert block.files() == {}


def test_a_call_that_does_not_end_fails_the_capture(block: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_process, "SETTLE_SECONDS", 0.02)
    begun, over = threading.Event(), threading.Event()

    def endless(asked: Asked, line: Line) -> None:
        line.head("Transfer-Encoding: chunked", "Content-Type: text/event-stream")
        line.chunk(CHAT_EVENTS[1])
        begun.set()
        line.wait_for_hang_up()
        over.set()

    def call() -> None:
        with pytest.raises(Exception):  # noqa: B017 - whatever the client makes of a connection that is lost
            ask(user("go on for ever"))

    def begin() -> None:
        thread.start()
        assert begun.wait(PATIENCE)

    block.model.script = endless
    thread = threading.Thread(target=call)
    stopped = "the agent stopped reading before the end of the response"
    with pytest.raises(CaptureError, match=stopped), stepfork.record("refund"):
        begin()
    thread.join()
    assert over.wait(PATIENCE)
    assert draft_path(block.store, "refund").exists()
    assert block.files() == {}


def test_a_fixture_of_a_block_cannot_be_refreshed(block: Stand) -> None:
    with stepfork.record("refund", emit_test=False):
        agent()
    said = block.stepfork("capture", "--refresh", "refund", "--yes", code=2)
    assert "has no command" in said.err


FORKING = """
import os, sys
from tests.integration.test_record import agent
import stepfork
with stepfork.record("refund") as capture:
    child = os.fork()
    if not child:
        agent("from the child")
    else:
        os.waitpid(child, 0)
        agent("from the parent")
if not child:
    assert capture.result is None
    assert not os.environ["OPENAI_BASE_URL"].startswith(capture.env["OPENAI_BASE_URL"])
    os._exit(0)
print(capture.result.outcome)
"""

TRACING = """
import sys
import stepfork
from tests.integration.test_record import agent
with stepfork.record("before", emit_test=False):
    agent()
assert not [name for name in sys.modules if name.startswith(("opentelemetry.trace", "opentelemetry.sdk"))]
with stepfork.record("refund", emit_test=False):
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    with trace.get_tracer("agent").start_as_current_span("execute_tool look_up") as span:
        span.set_attributes({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look_up"})
    agent()
"""


def run_python(stand: Stand, program: str) -> str:
    import subprocess
    import sys

    root = Path(__file__).parents[2]
    environ = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", program], env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_fork_of_the_block_belongs_to_it(block: Stand) -> None:
    assert run_python(block, FORKING) == "verified\n"
    exchanges = block.store.read("refund").run.exchanges
    asked = [exchange.request.body.value["messages"][0]["content"] for exchange in exchanges]  # type: ignore[union-attr]
    assert sorted(asked) == ["from the child"] * 2 + ["from the parent"] * 2


def test_spans_of_a_provider_that_the_block_loaded_are_flushed(block: Stand) -> None:
    run_python(block, TRACING)
    assert block.store.read("before").run.trace.origin == "exchanges"
    assert block.store.read("refund").run.trace.origin == "spans"


def test_a_route_that_leads_nowhere_is_a_notice(block: Stand) -> None:
    (block.store.root / "config.toml").write_text('[routes.azure]\nvariable = "AZ_URL"\ndialect = "openai"\n')
    with stepfork.record("refund") as capture:
        agent()
    assert capture.result is not None
    assert "route azure leads nowhere: AZ_URL is not set" in capture.result.notices[0]
