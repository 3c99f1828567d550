"""One message inserted into a request of 237 kB: time against deepdiff's on the same two bodies, and what is said."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from measure import Report, alternate

SIZE = 237_000


def body() -> dict[str, Any]:
    """A conversation of some 600 messages, all different, and twelve tools."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You are a refund agent. " * 40}]
    while len(json.dumps(messages)) < SIZE - 10_000:
        number = len(messages)
        call = {"id": f"call_{number}", "type": "function"}
        call["function"] = {"name": "lookup_order", "arguments": json.dumps({"order_id": f"O-{number}"})}
        messages += [
            {"role": "user", "content": f"Please look at order O-{number} and tell me what it costs. " * 3},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": json.dumps({"amount": number * 1.5, "ok": True})},
        ]
    schema = {"type": "object", "properties": {"order_id": {"type": "string", "description": "The order. " * 20}}}
    tools = [{"type": "function", "function": {"name": f"tool_{n}", "parameters": schema}} for n in range(12)]
    return {"model": "gpt-4.1", "messages": messages, "tools": tools}


def main() -> int:
    sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
    from deepdiff import DeepDiff

    from stepfork.diff.fixture_diff import diff_fixtures
    from stepfork.trace.body import JsonBody
    from stepfork.trace.exchange import Exchange, Request, Response
    from stepfork.trace.fixture import Fixture, Run, Source
    from stepfork.trace.step import Trace

    def fixture(value: dict[str, Any]) -> Fixture:
        request = Request("POST", "/chat/completions", body=JsonBody(value))
        exchange = Exchange("openai", "chat_completions", request, Response(200))
        return Fixture("one", Run(Source("command", True), Trace("exchanges", ()), (exchange,)))

    old = body()
    new = old | {"messages": [*old["messages"][:1], {"role": "user", "content": "One more."}, *old["messages"][1:]]}
    print(f"request of {len(json.dumps(old)) / 1000:.0f} kB, {len(old['messages'])} messages, one more at the front")
    theirs, ours = alternate(5, lambda: DeepDiff(old, new), lambda: diff_fixtures(fixture(old), fixture(new)))
    found = diff_fixtures(fixture(old), fixture(new))
    items = sum(len(exchange.request.messages) + len(exchange.request.tool_results) for exchange in found.exchanges)
    said = sum(map(len, DeepDiff(old, new).values()))
    print(f"deepdiff {theirs * 1000:.0f} ms and {said:,} items, stepfork {ours * 1000:.1f} ms")
    report = Report()
    report.at_most("diff of two requests / deepdiff", ours / theirs, 0.1)
    report.at_most("items said for one inserted message", items + len(found.changes) - 1, 1, "")
    return report.code


if __name__ == "__main__":
    sys.exit(main())
