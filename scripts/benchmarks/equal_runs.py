"""Do two captures of one run become equal? For each framework of a folder of runs that has run1 and run2.

    python scripts/benchmarks/equal_runs.py RUNS [FRAMEWORK...]

RUNS/FRAMEWORK/run{1,2} hold exchanges.jsonl (one proxied call a line) and otlp/ (bodies of trace exports). Each pair is
normalised and compared in canonical bytes; where the two differ, the differing paths are listed. Exits 1 if any does.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from stepfork.canonical.encode import dumps
from stepfork.capture.assemble import assemble
from stepfork.listener.headers import kept
from stepfork.normalize.known import Context
from stepfork.normalize.normalize import normalize_run
from stepfork.normalize.request_key import RunKeys
from stepfork.otlp.decode import decode_export
from stepfork.providers.apis import api_of
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.recorded import Recorded
from stepfork.trace.span import Span
from stepfork.trace.wire import body_to_json, read_body

MEDIA = {".pb": "application/x-protobuf", ".json": "application/json"}
SHOWN = 12


def main(arguments: list[str]) -> int:
    root = Path(arguments[0])
    chosen = arguments[1:] or sorted(path.name for path in root.iterdir() if path.is_dir())
    unequal = 0
    for framework in chosen:
        first, second = root / framework / "run1", root / framework / "run2"
        if not (first.is_dir() and second.is_dir()):
            print(f"{framework:24} has no two runs")
            continue
        begun = time.perf_counter()
        one, two = (form(normalize_run(*read_run(folder))) for folder in (first, second))
        took = time.perf_counter() - begun
        equal = dumps(one) == dumps(two)
        unequal += not equal
        size = f"{len(one['exchanges'])} exchanges, {len(one['trace']['steps'])} steps, {took:.2f} s"
        print(f"{framework:24} {'equal' if equal else 'DIFFERENT'}  ({size})")
        for path, left, right in [] if equal else list(differences(one, two))[:SHOWN]:
            print(f"    {path}\n      - {left}\n      + {right}")
    return 1 if unequal else 0


def read_run(folder: Path) -> tuple[Run, Context]:
    """The run that a capture would have made of a folder, not yet redacted, and its surroundings."""
    spans = read_spans(folder)
    lines = [json.loads(line) for line in (folder / "exchanges.jsonl").read_text().splitlines()]
    start = min((span.start_ns for span in spans), default=0)
    recorded = [
        Recorded(
            exchange=read_exchange(line),
            arrived_ns=start + int(line["at_ms"] * 1e6),
            ended_ns=start + int(line["done_ms"] * 1e6),
            connection=line["conn"],
        )
        for line in lines
    ]
    context = Context(started_ns=start, ended_ns=max((span.end_ns for span in spans), default=0))
    made = assemble(recorded, spans, key=RunKeys([call.exchange for call in recorded], context))
    argv = json.loads((folder / "run.json").read_text())["argv"]
    source = Source(kind="command", replay_capable=True, command=tuple(argv), exit_code=0)
    return Run(source=source, trace=made.trace, exchanges=made.exchanges), context


def read_exchange(line: dict[str, Any]) -> Exchange:
    headers = {name.lower(): value for name, value in line["response_headers"].items()}
    media = headers.get("content-type", "")
    path, _, query = line["path"].partition("?")
    asked = b"" if line["request_body"] is None else json.dumps(line["request_body"]).encode()
    answer = line["response_body"]
    told = answer.encode() if isinstance(answer, str) else b"" if answer is None else json.dumps(answer).encode()
    return Exchange(
        provider=line["provider"],
        api=api_of(line["provider"], line["method"], path),
        request=Request(line["method"], path, query, "application/json", read_body(asked, "application/json")),
        response=Response(line["status"], media, kept(headers), read_body(told, media)),
    )


def read_spans(folder: Path) -> list[Span]:
    files = sorted((folder / "otlp").iterdir()) if (folder / "otlp").is_dir() else []
    return [span for file in files for span in decode_export(file.read_bytes(), MEDIA[file.suffix])]


def form(run: Run) -> Any:
    """The run as JSON values."""
    exchanges = [
        {
            "provider": exchange.provider,
            "api": exchange.api,
            "request": _message(exchange.request),
            "response": _message(exchange.response),
        }
        for exchange in run.exchanges
    ]
    return {
        "source": msgspec.to_builtins(run.source),
        "trace": msgspec.to_builtins(run.trace),
        "exchanges": exchanges,
    }


def _message(message: Request | Response) -> Any:
    told = msgspec.structs.asdict(message)
    return told | {"body": body_to_json(told["body"])}


def differences(left: Any, right: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    if isinstance(left, dict) and isinstance(right, dict):
        for name in sorted(left.keys() | right.keys()):
            yield from differences(left.get(name, "(absent)"), right.get(name, "(absent)"), f"{path}/{name}")
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for index, (one, two) in enumerate(zip(left, right, strict=True)):
            yield from differences(one, two, f"{path}/{index}")
    elif left != right or type(left) is not type(right):
        yield path, _short(left), _short(right)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:300]}… ({len(text)} characters)"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
