"""Request and response bodies to measure on: those of a corpus folder (JSON lines), else made-up conversations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def bodies(corpus: str | None) -> list[Any]:
    """JSON objects as a provider would get or send them."""
    return _recorded(Path(corpus)) if corpus else [_conversation(turns) for turns in range(1, 60)]


def _recorded(folder: Path) -> list[Any]:
    rows = [json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.open(encoding="utf-8")]
    found = [row["request_body"] for row in rows] + [row["body"] for row in rows if row["response_kind"] == "json"]
    return [body for body in found if isinstance(body, dict)]


def _conversation(turns: int) -> Any:
    system = {"role": "system", "content": "You are a refund agent. " + "Follow the shop's rules. " * 40}
    messages: list[Any] = [system]
    for turn in range(turns):
        call = {
            "name": "lookup_order",
            "arguments": json.dumps({"order_id": f"O-{1000 + turn}", "deep": {"x": [1, 2.5, None]}}),
        }
        messages += [
            {"role": "user", "content": f"Please refund order O-{1000 + turn}. " + "It arrived broken. " * 20},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"call_{turn:024d}", "type": "function", "function": call}],
            },
            {
                "role": "tool",
                "tool_call_id": f"call_{turn:024d}",
                "content": json.dumps({"amount": 40.0, "ok": True}) * 5,
            },
        ]
    return {"model": "gpt-4.1", "temperature": 0.2, "messages": messages}
