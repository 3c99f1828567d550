"""A command that is watched: its environment, its calls, its spans, its end."""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from stepfork.capture.record import Progress, record_command
from stepfork.capture.upstream import Upstreams
from stepfork.errors import UsageError
from stepfork.listener.watch import Recording
from tests.integration.wire import ANSWER, Asked, Line, model_server

CALL = """
import os, urllib.request
def call(path="/chat/completions", body=b'{"model":"test-model"}'):
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + path, body, {"Content-Type": "application/json"})
    return urllib.request.urlopen(request, timeout=20).read()
"""
EXPORT = """
import json, os, urllib.request
def export(name):
    span = {"traceId": "01" * 16, "spanId": "02" * 8, "name": name}
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
    url = os.environ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]
    urllib.request.urlopen(urllib.request.Request(url, body, {"Content-Type": "application/json"}), timeout=20)
"""


def record(code: str, upstream: str = "http://127.0.0.1:9", cwd: Path | None = None, **more: Any) -> Recording:
    environ = {**os.environ, "OPENAI_BASE_URL": f"{upstream}/v1", "ANTHROPIC_BASE_URL": upstream, **more.pop("env", {})}
    return record_command(
        [sys.executable, "-c", code],
        environ=environ,
        cwd=cwd or Path.cwd(),
        upstreams=Upstreams.from_environment(environ),
        **more,
    )


def test_a_run_is_recorded_from_its_first_call_to_its_last_span() -> None:
    seen: list[Progress] = []
    with model_server() as model:
        recording = record(CALL + EXPORT + "call(); export('chat'); call()", model.url, on_progress=seen.append)
    assert recording.exit_code == 0
    assert recording.interrupted is None
    assert recording.problems == ()
    assert [recorded.exchange.api for recorded in recording.recorded] == ["chat_completions"] * 2
    assert [span.name for span in recording.spans] == ["chat"]
    times = [recording.started_ns, *(recorded.arrived_ns for recorded in recording.recorded), recording.ended_ns]
    assert times == sorted(times)
    assert seen[0] == Progress(
        0, 0, Upstreams.from_environment({"OPENAI_BASE_URL": model.url, "ANTHROPIC_BASE_URL": model.url}).routes
    )
    assert (seen[-1].calls, seen[-1].spans) == (2, 1)
    assert recording.address.startswith("127.0.0.1:")
    assert len(recording.token) == 32


@pytest.mark.parametrize(
    ("code", "expected"), [("raise SystemExit(7)", 7), ("import os; os.kill(os.getpid(), 9)", 137)]
)
def test_the_exit_code_is_the_commands(code: str, expected: int) -> None:
    recording = record(code)
    assert recording.exit_code == expected
    assert recording.problems == ()


def test_a_call_that_the_command_leaves_open_is_unfinished() -> None:
    def endless(asked: Asked, line: Line) -> None:
        line.head("Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        line.chunk(b'data: {"choices":[]}\n\n')
        line.wait_for_hang_up()
        line.close()

    leaves = """
import os, urllib.request
response = urllib.request.urlopen(os.environ["OPENAI_BASE_URL"] + "/chat/completions", b"{}")
response.read(1)
os._exit(0)
"""
    with model_server(endless) as model:
        recording = record(leaves, model.url)
    assert [problem.kind for problem in recording.problems] == ["unfinished"]
    assert "exchange 0 (openai chat_completions)" in recording.problems[0].text


def test_the_last_export_of_a_command_that_does_not_wait_for_its_answer() -> None:
    hasty = """
import json, os, socket, urllib.parse
url = urllib.parse.urlsplit(os.environ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"])
span = {"traceId": "01" * 16, "spanId": "02" * 8, "name": "last"}
body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
s = socket.create_connection((url.hostname, url.port))
head = f"POST {url.path} HTTP/1.1\\r\\nHost: {url.netloc}\\r\\nContent-Type: application/json\\r\\n"
s.sendall((head + f"Content-Length: {len(body)}\\r\\n\\r\\n" + body).encode())
os._exit(0)
"""
    assert [span.name for span in record(hasty).spans] == ["last"]


def test_c025_competing_exporter_variables_lead_nowhere_else() -> None:
    exporter = """
import os
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
provider = TracerProvider()
exporter = OTLPSpanExporter()
assert exporter._endpoint.endswith("/v1/traces") and exporter._endpoint.count("/v1/traces") == 1
assert not [name for name in os.environ if name.endswith("_HEADERS")]
provider.add_span_processor(SimpleSpanProcessor(exporter))
provider.get_tracer("t").start_span("chat").end()
provider.shutdown()
"""
    with model_server() as collector:
        env = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{collector.url}/v1/traces",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
            "OTEL_EXPORTER_OTLP_HEADERS": "x-collector-key=unused",
            "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
        }
        recording = record(exporter, env=env)
        assert collector.asked == []
    assert recording.exit_code == 0
    assert [span.name for span in recording.spans] == ["chat"]
    assert recording.problems == ()


def test_c016_the_child_reaches_the_listener_past_a_corporate_proxy() -> None:
    def proxied(asked: Asked, line: Line) -> None:
        assert asked.target.startswith("http://models.example.test/")
        line.whole(ANSWER, "Content-Type: application/json")

    with model_server(proxied) as proxy:
        names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
        env = dict.fromkeys(names, proxy.url)
        recording = record(CALL + EXPORT + "call(); export('chat')", "http://models.example.test", env=env)
        assert [asked.target for asked in proxy.asked] == ["http://models.example.test/v1/chat/completions"]
    assert recording.exit_code == 0
    assert (len(recording.recorded), len(recording.spans)) == (1, 1)


def test_the_commands_streams_and_folder_are_its_own(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    record("import os, sys; print(os.getcwd()); print('oops', file=sys.stderr)", cwd=tmp_path)
    out, err = capfd.readouterr()
    assert out == f"{tmp_path}\n"
    assert err == "oops\n"


def test_hook_variables_do_not_reach_the_command(capfd: pytest.CaptureFixture[str]) -> None:
    env = {"GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere/index", "GIT_AUTHOR_NAME": "kept"}
    record("import os; print(sorted(n for n in os.environ if n.startswith('GIT_') and 'CONFIG' not in n))", env=env)
    assert capfd.readouterr().out == "['GIT_AUTHOR_NAME']\n"


def _script(path: Path, text: str, mode: int) -> str:
    path.write_text(text)
    path.chmod(mode)
    return f"./{path.name}"


@pytest.mark.parametrize(
    "case", ["absent", "absent path", "not executable", "a folder", "no format", "empty", "nul", "no cwd"]
)
def test_a_command_that_cannot_run_is_a_usage_error_before_anything(case: str, tmp_path: Path) -> None:
    cwd = tmp_path
    match case:
        case "absent":
            command = ["no-such-command-here"]
        case "absent path":
            command = ["./absent"]
        case "not executable":
            command = [_script(tmp_path / "agent", "#!/bin/sh\n", 0o644)]
        case "a folder":
            (tmp_path / "folder").mkdir()
            command = ["./folder"]
        case "no format":
            command = [_script(tmp_path / "agent", "\x00\x01", stat.S_IRWXU)]
        case "empty":
            command = []
        case "nul":
            command = [sys.executable, "a\0b"]
        case _:
            command, cwd = [sys.executable], tmp_path / "absent"
    with pytest.raises(UsageError) as caught:
        record_command(command, environ=dict(os.environ), cwd=cwd, upstreams=Upstreams.from_environment({}))
    assert "\n" not in str(caught.value)


def test_a_script_is_found_from_the_folder_it_runs_in(tmp_path: Path) -> None:
    name = _script(tmp_path / "agent.sh", "#!/bin/sh\nexit 5\n", 0o755)
    upstreams = Upstreams.from_environment({})
    recording = record_command([name], environ=dict(os.environ), cwd=tmp_path, upstreams=upstreams)
    assert recording.exit_code == 5


def test_it_works_beside_the_main_thread() -> None:
    found: list[Recording] = []
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with model_server() as model:
        thread = threading.Thread(target=lambda: found.append(record(CALL + "call()", model.url)))
        thread.start()
        thread.join(60)
    assert len(found[0].recorded) == 1
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers


def test_handlers_are_given_back() -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    record("pass")
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == handlers


def test_keys_in_the_environment_reach_the_upstream_and_not_the_recording() -> None:
    key = "sk-" + "proj-" + "c3D4" * 8
    agent = "from openai import OpenAI; OpenAI().chat.completions.create(model='m', messages=[])"
    with model_server() as model:
        recording = record(agent, model.url, env={"OPENAI_API_KEY": key})
        assert model.asked[0].headers["authorization"] == f"Bearer {key}"
    assert key not in repr(recording)
    assert json.loads(ANSWER)["id"] in repr(recording)
