"""The trace receiver: every wire form, every way to be wrong, and no exporter that has to try again."""

from __future__ import annotations

import contextlib
import gzip
import json
import threading
import tracemalloc
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from stepfork.listener import receiver
from stepfork.listener.limits import Limits
from tests.integration.wire import PATIENCE, listening, post, raw

NOWHERE = "http://127.0.0.1:9"
PROTOBUF, JSON = "application/x-protobuf", "application/json"


def export(*names: str) -> ExportTraceServiceRequest:
    request = ExportTraceServiceRequest()
    spans = request.resource_spans.add().scope_spans.add().spans
    for number, name in enumerate(names, 1):
        spans.add(
            trace_id=b"\x01" * 16,
            span_id=number.to_bytes(8, "big"),
            name=name,
            start_time_unix_nano=1_000,
            end_time_unix_nano=2_000,
        )
    return request


def json_export(*names: str) -> bytes:
    spans = [
        {
            "traceId": "01" * 16,
            "spanId": f"{number:016x}",
            "name": name,
            "startTimeUnixNano": "1000",
            "endTimeUnixNano": "2000",
        }
        for number, name in enumerate(names, 1)
    ]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()


BODIES = [(PROTOBUF, export("chat", "tool").SerializeToString()), (JSON, json_export("chat", "tool"))]


@pytest.mark.parametrize(("content_type", "body"), BODIES)
@pytest.mark.parametrize("coding", ["", "gzip", "deflate"])
def test_c020_exports_in_either_form_compressed_or_not(content_type: str, body: bytes, coding: str) -> None:
    packed = {"": body, "gzip": gzip.compress(body), "deflate": zlib.compress(body)}[coding]
    headers = {"Content_Encoding": coding} if coding else {}
    with listening(NOWHERE) as listener:
        status, answered, reply = post(listener, "/v1/traces", packed, Content_Type=content_type, **headers)
    assert (status, answered["content-type"]) == (200, content_type)
    assert reply == (b"" if content_type == PROTOBUF else b"{}")
    heard = listener.heard()
    assert [span.name for span in heard.spans] == ["chat", "tool"]
    assert (heard.problems, heard.exchanges) == ((), ())


@pytest.mark.parametrize("compression", [Compression.NoCompression, Compression.Gzip, Compression.Deflate])
def test_c020_the_stock_exporter(compression: Compression) -> None:
    with listening(NOWHERE) as listener:
        provider = TracerProvider()
        exporter = OTLPSpanExporter(f"{listener.base_url}/v1/traces", compression=compression, timeout=5)
        provider.add_span_processor(BatchSpanProcessor(exporter))
        with provider.get_tracer("t").start_as_current_span("chat", attributes={"gen_ai.operation.name": "chat"}):
            pass
        provider.shutdown()
    heard = listener.heard()
    assert [span.attributes["gen_ai.operation.name"] for span in heard.spans] == ["chat"]
    assert heard.problems == ()


@pytest.mark.parametrize(
    ("status", "content_type", "coding", "body"),
    [
        (400, PROTOBUF, "", b"\xff\xff\xff\xff"),
        (400, JSON, "", b'{"resourceSpans": ['),
        (400, JSON, "", b"[" * 100_000),
        (400, JSON, "", b"\xff"),
        (400, JSON, "gzip", b"{}"),
        (400, JSON, "gzip", gzip.compress(b"{}", mtime=0)[:-4]),
        (415, JSON, "snappy", b"{}"),
        (415, "text/plain", "", b"{}"),
        (415, "", "", b"{}"),
    ],
)
def test_c024_what_is_wrong_is_never_worth_repeating(status: int, content_type: str, coding: str, body: bytes) -> None:
    headers = {"Content_Encoding": coding} if coding else {}
    with listening(NOWHERE) as listener:
        got, answered, reply = post(listener, "/v1/traces", body, Content_Type=content_type, **headers)
        # The same client goes on; the next export is fine.
        assert post(listener, "/v1/traces", json_export("after"))[0] == 200
    assert got == status
    assert answered["content-type"] == (content_type if content_type in (PROTOBUF, JSON) else JSON)
    assert 0 < len(reply) < 300
    if answered["content-type"] == JSON:
        assert json.loads(reply)["message"]
    heard = listener.heard()
    assert [span.name for span in heard.spans] == ["after"]
    (problem,) = heard.problems
    assert problem.kind == "export_rejected"


def test_c024_spans_over_the_limit_are_a_partial_success_and_fail_the_capture() -> None:
    body = export(*(f"span {number}" for number in range(10))).SerializeToString()
    with listening(NOWHERE, limits=Limits(spans=7)) as listener:
        status, _, reply = post(listener, "/v1/traces", body, Content_Type=PROTOBUF)
        assert post(listener, "/v1/traces", json_export("late"))[2].count(b"rejectedSpans") == 1
    assert status == 200
    assert ExportTraceServiceResponse.FromString(reply).partial_success.rejected_spans == 3
    heard = listener.heard()
    assert len(heard.spans) == 7
    assert [problem.kind for problem in heard.problems] == ["limit"]


@pytest.mark.parametrize("method", ["GET", "PUT", "HEAD"])
def test_only_a_post_is_an_export(method: str) -> None:
    with listening(NOWHERE) as listener, raw(listener) as agent:
        agent.sendall(f"{method} /{listener.token}/v1/traces HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert agent.recv(65536).startswith(b"HTTP/1.1 405 ")
    assert [problem.kind for problem in listener.heard().problems] == ["export_rejected"]


def test_c027_forty_exports_at_once_are_all_kept() -> None:
    together = threading.Barrier(40)

    def send(number: int) -> int:
        together.wait(PATIENCE)
        return post(listener, "/v1/traces", json_export(f"span {number}"))[0]

    with listening(NOWHERE) as listener, ThreadPoolExecutor(40) as pool:
        assert list(pool.map(send, range(40))) == [200] * 40
    heard = listener.heard()
    assert sorted(span.name for span in heard.spans) == sorted(f"span {number}" for number in range(40))
    assert heard.problems == ()


def test_c027_an_export_that_takes_long_to_decode_is_acknowledged_first(monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()
    decode = receiver.decode_export

    def slow(data: bytes, content_type: str):
        assert go.wait(PATIENCE)
        return decode(data, content_type)

    monkeypatch.setattr(receiver, "decode_export", slow)
    monkeypatch.setattr(receiver, "_PATIENCE_SECONDS", 0.01)
    with listening(NOWHERE) as listener:
        assert post(listener, "/v1/traces", json_export("first"))[0] == 200
        assert post(listener, "/v1/traces", b"[")[0] == 200  # cannot be known yet
        go.set()
        listener.settle(PATIENCE)
    heard = listener.heard()
    assert [span.name for span in heard.spans] == ["first"]
    assert [problem.kind for problem in heard.problems] == ["export_rejected"]


HALF = (
    "POST /{}/v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{"
)


def test_an_export_that_still_runs_when_the_listener_closes() -> None:
    with contextlib.ExitStack() as agents, listening(NOWHERE) as listener:
        agent = agents.enter_context(raw(listener))
        agent.sendall(HALF.format(listener.token).encode())
        listener.settle(0.02)
    assert [problem.kind for problem in listener.heard().problems] == ["export_running"]


def test_an_export_that_breaks_off() -> None:
    with listening(NOWHERE) as listener:
        with raw(listener) as agent:
            agent.sendall(HALF.format(listener.token).encode())
        listener.settle(PATIENCE)
    (problem,) = listener.heard().problems
    assert problem.kind in ("export_running", "export_rejected")


def test_c112_the_limit_is_on_what_an_export_inflates_to_and_memory_stays_flat() -> None:
    bomb = gzip.compress(b"0" * (128 << 20))
    assert len(bomb) < 140_000
    tracemalloc.start()
    try:
        with listening(NOWHERE) as listener:
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            status, _, _ = post(listener, "/v1/traces", bomb, Content_Encoding="gzip")
            peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert status == 413
    assert peak < 80 << 20  # the limit is 32 MiB
    assert [problem.kind for problem in listener.heard().problems] == ["export_rejected"]


def test_c112_small_limits_hold_for_all_codings() -> None:
    for coding, bomb in (("gzip", gzip.compress(b"0" * 1_000_000)), ("deflate", zlib.compress(b"0" * 1_000_000))):
        with listening(NOWHERE, limits=Limits(request_bytes=10_000)) as listener:
            assert post(listener, "/v1/traces", bomb, Content_Encoding=coding)[0] == 413
            assert post(listener, "/v1/traces", b"0" * 10_001)[0] == 413
            assert post(listener, "/v1/traces", b" " * 9_000 + b"{}")[0] == 200


def test_a_full_capture_takes_no_more() -> None:
    body = json_export("chat")
    with listening(NOWHERE, limits=Limits(capture_bytes=len(body))) as listener:
        assert [post(listener, "/v1/traces", body)[0] for _ in range(2)] == [200, 413]
    assert {problem.kind for problem in listener.heard().problems} == {"limit", "export_rejected"}
