"""From what a run said and did to the contracts in its manifest, on the disk."""

from __future__ import annotations

import json
from typing import Any

from tests.integration.stand import Stand
from tests.integration.wire import Asked, Line

JSON = "Content-Type: application/json"


def answer(asked: Asked, line: Line) -> None:
    """As OpenRouter answers: with a bill, and here with JSON for text."""
    text = json.dumps({"order": "O-1042", "refunded": True, "amounts": [40, 2.5]})
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "cost": 0.0011, "is_byok": False}
    line.whole(json.dumps({"model": "test-model", "choices": [choice], "usage": usage}).encode(), JSON)


def contracts(stand: Stand) -> dict[str, Any]:
    return {one["id"]: {k: v for k, v in one.items() if k != "id"} for one in stand.manifest()["contracts"]}


def test_a_structured_output_and_a_bill_are_contracts(stand: Stand) -> None:
    stand.capture("ask('one'); ask('two')", answer)
    assert stand.document()["trace"]["cost_usd"] == 0.0022
    assert contracts(stand) == {
        "output-schema": {
            "kind": "output_matches_schema",
            "schema": {
                "type": "object",
                "properties": {
                    "amounts": {"type": "array", "items": {"type": "number"}},
                    "order": {"type": "string"},
                    "refunded": {"type": "boolean"},
                },
                "required": ["amounts", "order", "refunded"],
            },
        },
        "cost-ceiling": {"kind": "cost_under", "usd": 0.0033},
    }
    assert stand.manifest()["verification"]["outcome"] == "verified"
    before = stand.files()
    stand.capture("ask('one'); ask('two')", answer)
    assert stand.files() == before
    assert stand.stepfork("trace", "check", "case").out == "case: trace check OK (2 steps, 2 exchanges)\n"


def test_tools_of_any_name_are_contracts_with_names_of_their_own(stand: Stand) -> None:
    names = ["a\nb", "a b", "\x1b[2Jx", "工具", "a-before-b"]
    told = "gen_ai__tool__call__arguments='{\"id\": 1}'"
    spans = ", ".join(
        f"span({number}, 'tool', 'execute_tool', gen_ai__tool__name={name!r}, {told})"
        for number, name in enumerate(names, start=1)
    )
    said = stand.capture(f"ask('hi'); export({spans})")
    stored = contracts(stand)
    assert len(stored) == 1 + 4 + 5
    assert stored["tools-called"]["tools"] == names
    assert all(name.isprintable() and " " not in name for name in stored)
    assert {"cardinality-a_b-per-id", "cardinality-a_b-per-id-2"} <= stored.keys()
    assert "\x1b" not in said.err
    assert stand.manifest()["verification"]["outcome"] == "verified"
