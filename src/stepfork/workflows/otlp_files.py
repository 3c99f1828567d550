"""Spans from files: OTLP/JSON documents, a JSON document a line, or protobuf export requests."""

from __future__ import annotations

import time
from pathlib import Path

from stepfork.errors import OtlpError, UsageError
from stepfork.listener.watch import Recording
from stepfork.otlp.decode import decode_export
from stepfork.trace.span import Span

JSON_MEDIA = "application/json"
PROTOBUF_MEDIA = "application/x-protobuf"
_DAY = 24 * 3600 * 10**9


def read_spans(paths: tuple[Path, ...]) -> tuple[Span, ...]:
    """The spans of all files, in the order given. Raises UsageError for a file that cannot be read, OtlpError, naming
    file (and line) and field, for one that is no trace export."""
    return tuple(span for path in paths for span in _read(path))


def recording_of_spans(spans: tuple[Span, ...]) -> Recording:
    """A recording of spans alone, made when they were: what counts as a clock that the run read does not depend on when
    its export is looked at. It lasts a day at most, since one span of 1970 must not make every date a clock."""
    ended = max((span.end_ns for span in spans), default=time.time_ns())
    started = max(ended - _DAY, min((span.start_ns for span in spans), default=ended))
    return Recording(recorded=(), spans=spans, exit_code=None, started_ns=started, ended_ns=ended)


def _read(path: Path) -> list[Span]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror})", where=str(path)) from None
    if not data.strip():
        raise OtlpError("is empty", where=str(path), fix="name a file with a trace export")
    # A request in protobuf may begin with a line feed (its first field) and a brace (that field's length).
    if data.lstrip()[:1] != b"{" or (data[:2] == b"\n{" and b'"resourceSpans"' not in data):
        return _decode_protobuf(data, path)
    if b'"resourceSpans"' not in data:
        raise OtlpError("is JSON without resourceSpans, no trace export", where=str(path))
    return _decode_json(data, path)


def _decode_protobuf(data: bytes, path: Path) -> list[Span]:
    try:
        return decode_export(data, PROTOBUF_MEDIA)
    except OtlpError as error:
        if error.where:
            raise OtlpError(error.what, where=f"{path}: {error.where}", fix=error.fix) from None
        # It may be a program as well as a damaged export.
        raise OtlpError(
            "is no trace export", where=str(path), fix="name a file of OTLP/JSON, or of export requests in protobuf"
        ) from None


def _decode_json(data: bytes, path: Path) -> list[Span]:
    lines = [line for line in data.split(b"\n") if line.strip()]
    if len(lines) > 1 and all(line.lstrip()[:1] == b"{" and line.rstrip()[-1:] == b"}" for line in lines):
        numbered = enumerate(lines, start=1)
        return [span for number, line in numbered for span in _decode(line, JSON_MEDIA, f"{path}:{number}")]
    return _decode(data, JSON_MEDIA, str(path))


def _decode(data: bytes, media: str, where: str) -> list[Span]:
    try:
        return decode_export(data, media)
    except OtlpError as error:
        inside = f"{where}: {error.where}" if error.where else where
        raise OtlpError(error.what, where=inside, fix=error.fix) from None
