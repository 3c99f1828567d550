"""Redact a labelled benchmark end to end and print its own scorer's figures.

usage: python scripts/benchmarks/redaction.py FOLDER [-v]

FOLDER holds bench.jsonl (records whose texts are stored in pieces) and score.py (load, score, show). Each record
becomes a run of one exchange, or a command line, and goes through `redact_run` with that record's environment; the
spans that the scorer wants are read off what comes out. Exit 1 where an output is not valid or a target is missed.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from stepfork.redact.marker import MARKER
from stepfork.redact.redactor import redact_run
from stepfork.redact.secrets import Secrets
from stepfork.trace.body import Body, EventsBody, JsonBody, TextBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Trace

Record = dict[str, Any]
Span = tuple[int, int]


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0])
    scorer = _load(folder / "score.py")
    records: list[Record] = scorer.load(folder / "bench.jsonl")
    spans: dict[str, list[Span]] = {}
    wrong: list[str] = []
    began = time.perf_counter()
    for record in records:
        secrets = Secrets.collect(record.get("E", {}), {})
        if record["format"] == "argv":
            wrong += _check_command(record, secrets)
        elif record["format"] == "sse":
            spans[record["id"]] = _spans_of(record["T"], "".join(_stream(record, secrets, wrong)))
        elif record["format"] == "path":
            spans[record["id"]] = _spans_of(record["T"], _path(record["T"], secrets))
        else:
            made = _body(TextBody(record["T"]), secrets)
            assert isinstance(made, TextBody)
            spans[record["id"]] = _spans_of(record["T"], made.text)
            if record["format"] == "json":
                wrong += _check_json(record, made.text, secrets)
    took = time.perf_counter() - began
    scored = [record for record in records if "T" in record]
    split = [record for record in scored if record["format"] == "sse"]
    commands = [record for record in records if record["format"] == "argv"]
    inexact = sum("argv" in line for line in wrong)
    scorer.show("stepfork", scored, spans, "-v" in arguments)
    scorer.show("  split streams", split, spans)
    print(f"  command lines: {len(commands) - inexact} of {len(commands)} exact; {took:.1f} s")
    for line in wrong:
        print(" ", line)
    return 1 if wrong or _missed(scorer, scored, split, spans) else 0


def _missed(scorer: ModuleType, scored: list[Record], split: list[Record], spans: dict[str, list[Span]]) -> bool:
    counts, _, _, tiers, _ = scorer.score(scored, spans)
    streams = scorer.score(split, spans)[0]
    low = any(full < total * (1.0 if tier == "spec" else 0.97) for tier, (total, _, full) in tiers.items())
    return bool(low or counts["fp"] or counts["over12"] > 15 or streams["full"] < streams["pos"])


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("benchmark_score", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _run(body: Body = None, command: tuple[str, ...] = (), path: str = "/v1", query: str = "") -> Run:
    exchange = Exchange("openai", "chat_completions", Request("POST", path, query), Response(200, "", {}, body))
    return Run(Source("command", True, command), Trace("exchanges", ()), (exchange,))


def _body(body: Body, secrets: Secrets) -> Body:
    return redact_run(_run(body), secrets)[0].exchanges[0].response.body


def _path(path: str, secrets: Secrets) -> str:
    head, _, query = path.partition("?")
    request = redact_run(_run(path=head, query=query), secrets)[0].exchanges[0].request
    return f"{request.path}?{request.query}"


def _stream(record: Record, secrets: Secrets, wrong: list[str]) -> list[str]:
    chunks = [{"choices": [{"index": 0, "delta": {"content": delta}}]} for delta in record["D"]]
    events = tuple(f"data: {json.dumps(chunk, ensure_ascii=False)}" for chunk in chunks)
    made = _body(EventsBody((*events, "data: [DONE]", "")), secrets)
    assert isinstance(made, EventsBody)
    deltas = [json.loads(event[6:])["choices"][0]["delta"]["content"] for event in made.events[:-2]]
    if len(deltas) != len(chunks) or made.events[-2:] != ("data: [DONE]", ""):
        wrong.append(f"{record['id']}: events were lost")
    return deltas


def _check_command(record: Record, secrets: Secrets) -> list[str]:
    hidden = {index: (start, end) for index, start, end in record["hide"]}
    wanted = tuple(
        text[: hidden[index][0]] + MARKER + text[hidden[index][1] :] if index in hidden else text
        for index, text in enumerate(record["A"])
    )
    made = redact_run(_run(command=tuple(record["A"])), secrets)[0].source.command
    return [] if made == wanted else [f"{record['id']}: argv is not exact"]


def _check_json(record: Record, text: str, secrets: Secrets) -> list[str]:
    """The output parses, holds no secret, and changed nothing in a negative; the parsed body likewise."""
    found = []
    made = _body(JsonBody(json.loads(record["T"])), secrets)
    assert isinstance(made, JsonBody)
    for name, value in (("text", json.loads(text)), ("value", made.value)):
        left = json.dumps(value, ensure_ascii=False)
        if any(record["T"][slice(*secret["must"])] in left for secret in record.get("secrets", [])):
            found.append(f"{record['id']}: a secret survives in the {name}")
        if record["label"] == "negative" and value != json.loads(record["T"]):
            found.append(f"{record['id']}: a {name} changed that should not")
    return found


def _spans_of(old: str, new: str) -> list[Span]:
    """Where the markers of `new` stand in `old`, which may hold markers itself."""
    spans: list[Span] = []
    cursor = 0
    pieces = new.split(MARKER)
    for index, piece in enumerate(pieces):
        at = len(old) - len(piece) if index == len(pieces) - 1 else old.find(piece, cursor)
        assert old[at : at + len(piece)] == piece, "what is no secret must stay as it was"
        if at > cursor and old[cursor:at] != MARKER:
            spans.append((cursor, at))
        cursor = at + len(piece)
    return spans


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
