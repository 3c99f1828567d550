"""What stored runs weigh: the figures of docs/reference/format.md over a folder of recorded exchanges.

Usage: store_figures.py [CORPUS-FOLDER]. Exits 1 where a bound is missed. Without a folder only the made-up 200-turn
conversation is measured.

Request side: canonical bytes of the whole requests of the three APIs are 1; counted are the objects that hold the
requests of all runs in one store (with empty responses), and the lines of the manifests that link them.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from measure import Report

from stepfork.canonical.encode import dumps
from stepfork.store.codec import Encoded, decode_fixture, encode_fixture
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Step, Trace, Usage

APIS = ("chat_completions", "responses", "messages")
MEDIA = re.compile(rb"[A-Za-z0-9+/_-]{1024,}={0,2}")


def main(corpus: str | None = None) -> int:
    report = Report()
    if corpus:
        _corpus(report, _runs(Path(corpus)))
    _conversation(report)
    return report.code


def _runs(folder: Path) -> list[list[dict[str, Any]]]:
    runs = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            record = json.loads(line)
            if record["api"] in APIS and isinstance(record["request_body"], dict | list):
                runs[record["repo"], record["path"]].append(record)
    return [sorted(records, key=lambda record: record["index"]) for _, records in sorted(runs.items())]


def _corpus(report: Report, runs: list[list[dict[str, Any]]]) -> None:
    for words, calls, bound in (("10 calls and more", 10, 0.17), ("3 calls and more", 3, 0.42), ("all", 1, 0.34)):
        chosen = [run for run in runs if len(run) >= calls]
        objects: dict[str, bytes] = {}
        whole = links = exchanges = 0
        for records in chosen:
            encoded = encode_fixture(_fixture([_request(record) for record in records]))
            manifest = json.loads(encoded.manifest)
            objects |= {name: data for name, data in encoded.objects.items() if name != manifest["trace"]}
            whole += sum(len(dumps(record["request_body"])) for record in records)
            links += sum(map(_link_size, manifest["exchanges"]))
            exchanges += len(records)
        stored = sum(map(len, objects.values()))
        print(f"runs of {words}: {len(chosen)} runs, {exchanges} exchanges, {whole} bytes of whole requests")
        report.at_most(f"  objects / whole requests, {words}", stored / whole, bound)
        report.at_most(f"  with the links in the manifests, {words}", (stored + links) / whole, bound)
        report.at_most(f"  files an exchange, {words}", len(objects) / exchanges, 1.4)
    media = Counter(found for data in objects.values() for found in set(MEDIA.findall(data)))
    report.at_most(f"  times that any of {len(media)} media strings is stored", max(media.values(), default=0), 1)


def _conversation(report: Report) -> None:
    """200 turns, 20 kB of system prompt and tools, 1 kB a turn."""
    exchanges = _turns("You refund orders.\n" + "One more rule of the house. " * 480)
    fixture = _fixture(exchanges, _steps(exchanges))
    encoded = encode_fixture(fixture)
    assert decode_fixture(encoded.manifest, encoded.objects.__getitem__, where="") == fixture
    trace = encoded.objects[json.loads(encoded.manifest)["trace"]]
    unique = _canonical(exchanges[-1].request) + sum(_canonical(exchange.response) for exchange in exchanges)
    stored = sum(map(len, encoded.objects.values())) - len(trace)
    print(f"a conversation of {len(exchanges)} turns: {unique} bytes of unique content")
    report.at_most("  objects but the trace / unique content", stored / unique, 1.25)
    report.at_most("  files an exchange", (len(encoded.objects) - 1) / len(exchanges), 1.1)
    report.at_most("  kB of manifest an exchange", len(encoded.manifest) / len(exchanges) / 1000, 1)
    report.at_most("  kB of trace a step", len(trace) / len(fixture.run.trace.steps) / 1000, 0.5)
    edited = _turns("You refund orders.\n" + "One more rule of the house. " * 479 + "Another rule of the house.  ")
    changed = _files(encoded).items() ^ _files(encode_fixture(_fixture(edited, _steps(edited)))).items()
    report.at_most("  files that one edited prompt line changes", len({path for path, _ in changed}), 3)


def _turns(system: str) -> list[Exchange]:
    parameters = {"type": "object", "properties": {"order_id": {"type": "string", "description": "Which one. " * 20}}}
    tools = [
        {"type": "function", "function": {"name": f"tool_{n}", "description": "d" * 300, "parameters": parameters}}
        for n in range(9)
    ]
    messages: list[Any] = [{"role": "system", "content": system}, {"role": "user", "content": "Please start."}]
    exchanges = []
    for turn in range(200):
        body = {"model": "gpt-4.1", "messages": list(messages), "tools": tools, "temperature": 0.2}
        arguments = json.dumps({"order_id": f"O-{turn}", "why": f"turn {turn} " + "r" * 120})
        call = {"id": f"call_{turn}", "type": "function", "function": {"name": "tool_1", "arguments": arguments}}
        message = {"role": "assistant", "content": f"Step {turn}. " + "a" * 200, "tool_calls": [call]}
        answer = {
            "id": f"chatcmpl-{turn}",
            "object": "chat.completion",
            "created": 1,
            "model": "gpt-4.1-2025-04-14",
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": turn, "completion_tokens": 9, "total_tokens": turn + 9},
            "system_fingerprint": "fp_1",
        }
        result = json.dumps({"order": turn, "text": f"order {turn} " + "t" * 560})
        messages += [message, {"role": "tool", "tool_call_id": call["id"], "content": result}]
        headers = {"x-request-id": f"req_{turn}"}
        request = Request("POST", "/chat/completions", content_type="application/json", body=JsonBody(body))
        response = Response(200, "application/json", headers, JsonBody(answer, "3021465"))
        exchanges.append(Exchange("openai", "chat_completions", request, response))
    return exchanges


def _steps(exchanges: list[Exchange]) -> tuple[Step, ...]:
    steps: list[Step] = []
    for index, exchange in enumerate(exchanges):
        call = exchange.response.body.value["choices"][0]["message"]["tool_calls"][0]  # type: ignore[union-attr]
        at = 4 * index
        usage = Usage(index, 9)
        steps.append(Step("llm_call", "chat", at, at + 1, model="gpt-4.1", usage=usage, exchange=index))
        if index + 1 < len(exchanges):
            result = exchanges[index + 1].request.body.value["messages"][-1]["content"]  # type: ignore[union-attr]
            arguments = json.loads(call["function"]["arguments"])
            steps.append(Step("tool_call", "tool_1", at + 2, at + 3, call["id"], arguments=arguments, result=result))
    return tuple(steps)


def _fixture(exchanges: list[Exchange], steps: tuple[Step, ...] = ()) -> Fixture:
    return Fixture("run", Run(Source("command", True), Trace("exchanges", steps), tuple(exchanges)))


def _request(record: dict[str, Any]) -> Exchange:
    request = Request(record["method"], record["url_path"], content_type="application/json")
    body = JsonBody(record["request_body"])
    request = Request(request.method, request.path, content_type=request.content_type, body=body)
    return Exchange(record["provider"], record["api"], request, Response(200))


def _link_size(entry: dict[str, Any]) -> int:
    return len(dumps({name: entry[name] for name in ("base", "keep", "system", "tools") if name in entry}))


def _canonical(side: Request | Response) -> int:
    return len(dumps(side.body.value))  # type: ignore[union-attr]


def _files(encoded: Encoded) -> dict[str, bytes]:
    return {"manifest": encoded.manifest, **encoded.objects}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
