"""The agent's tools: what they are called, what they take, what they do (all of it made up)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def lookup_order(order_id: str) -> dict[str, Any]:
    """Look an order up."""
    return {"order_id": order_id, "status": "delivered", "amount": 40.0, "email": "ada@example.com"}


def issue_refund(order_id: str, amount: float) -> dict[str, Any]:
    """Refund an amount of an order."""
    return {"ok": True, "order_id": order_id, "refunded": amount}


def notify_customer(email: str) -> str:
    """Write to a customer."""
    return f"sent to {email}"


FUNCTIONS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (lookup_order, issue_refund, notify_customer)}
_TYPES = {
    "lookup_order": {"order_id": "string"},
    "issue_refund": {"order_id": "string", "amount": "number"},
    "notify_customer": {"email": "string"},
}


def schemas() -> list[tuple[str, str, dict[str, Any]]]:
    """Name, description and JSON Schema of each tool."""
    return [
        (
            name,
            FUNCTIONS[name].__doc__ or "",
            {
                "type": "object",
                "properties": {argument: {"type": kind} for argument, kind in types.items()},
                "required": list(types),
            },
        )
        for name, types in _TYPES.items()
    ]
