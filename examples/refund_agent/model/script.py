"""What the model says next, whichever API asks: derived from the conversation alone, so the server keeps no state."""

from __future__ import annotations

import ast
import json
import re
import secrets
import string
from dataclasses import dataclass
from typing import Any

_ALPHABET = string.ascii_letters + string.digits


def fresh(prefix: str, length: int, alphabet: str = _ALPHABET) -> str:
    """A random id with a digit in it, as the providers' have."""
    body = "".join(secrets.choice(alphabet) for _ in range(length - 1))
    return f"{prefix}{body}{secrets.choice(string.digits)}"


@dataclass
class Said:
    """Text, or tool calls as name and arguments."""

    text: str
    calls: list[tuple[str, dict[str, Any]]]


def next_turn(prompt: str, task: str, results: list[tuple[str, str]]) -> Said:
    """The next turn after `results` (tool name and JSON text of each) of a run about `task` under `prompt`."""
    results = [(bare(name), text) for name, text in results]
    found = re.search(r"O-\d+", task)
    order = found.group() if found else "O-1042"
    looked_up = next((_object(text) for name, text in results if name == "lookup_order"), {})
    refunds = 2 if "twice" in prompt else 1
    done = [name for name, _ in results]
    if "lookup_order" not in done:
        return Said("", [("lookup_order", {"order_id": order})])
    amount, email = looked_up.get("amount", 40.0), looked_up.get("email", "")
    if done.count("issue_refund") < refunds:
        return Said("", [("issue_refund", {"order_id": order, "amount": amount})])
    if "notify_customer" not in done:
        return Said("", [("notify_customer", {"email": email})])
    times = "twice" if refunds == 2 else "once"
    return Said(f"Order {order} was refunded {times} ({amount}) and {email} was notified.", [])


def _object(text: str) -> dict[str, Any]:
    """A tool's result: JSON, or the Python literal that some clients make of a dict."""
    try:
        found = json.loads(text)
    except ValueError:
        found = ast.literal_eval(text)
    return found if isinstance(found, dict) else {}


def text_of(content: Any) -> str:
    """The text of a message or a tool result: a string, or a list of parts of which some have a text."""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content or [] if isinstance(part.get("text"), str))


def bare(name: str) -> str:
    """A tool's own name; some clients put a server's before it: ``mcp__shop__lookup_order``."""
    return name.rpartition("__")[2]


def as_offered(said: Said, offered: list[str]) -> Said:
    """The same turn, with the tools called as the request names them."""
    full = {bare(name): name for name in offered}
    return Said(said.text, [(full.get(name, name), arguments) for name, arguments in said.calls])


def tokens(value: Any) -> int:
    """A plausible count: a quarter of the characters."""
    return max(1, len(json.dumps(value)) // 4)


def pieces(text: str, size: int = 12) -> list[str]:
    """The deltas in which a text is streamed."""
    return [text[start : start + size] for start in range(0, len(text), size)] or [""]
