"""A booking agent with a bug: a traveller who needs a refundable flight is given the cheapest one.

Its model is scripted, so that nothing here needs a key or a network. Its tools are instrumented, so that a run of it
can be recorded and replayed.
"""

from __future__ import annotations

from typing import Any

from stepfork import llm_request, trace_tool

FLIGHTS = {
    "Lisbon": [
        {"flight": "A", "price": 90, "refundable": False},
        {"flight": "B", "price": 140, "refundable": True},
        {"flight": "C", "price": 210, "refundable": True},
    ]
}


@trace_tool
def traveller_needs(traveller: str) -> dict[str, Any]:
    """What a traveller's profile asks for."""
    return {"traveller": traveller, "refundable": True}


@trace_tool
def search_flights(destination: str) -> list[dict[str, Any]]:
    """The flights to a destination."""
    return FLIGHTS[destination]


def scripted_model(*, model: str, messages: list[dict[str, str]]) -> dict[str, Any]:
    """Answers as a model would; to a request, always the same."""
    plan = "Book the cheapest refundable flight." if messages else ""
    return {"model": model, "choices": [{"message": {"role": "assistant", "content": plan}}]}


def run_agent(request: dict[str, str]) -> dict[str, str]:
    """Book a flight for ``{"traveller": …, "destination": …}``."""
    destination = request["destination"]
    needs = traveller_needs(request["traveller"])
    flights = search_flights(destination)
    messages = [{"role": "user", "content": f"Plan a trip to {destination}. The traveller needs: {needs}."}]
    answer = llm_request(scripted_model, model="scripted-1", messages=messages)
    selected = select(flights, needs)
    return {
        "destination": destination,
        "plan": answer["choices"][0]["message"]["content"],
        "selected_flight": selected["flight"],
    }


def select(flights: list[dict[str, Any]], needs: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001
    """The flight to book. The bug: nobody looks at what the traveller needs."""
    return min(flights, key=lambda flight: flight["price"])
