"""A refund agent on LangGraph, with a bug: an order of which a part was refunded already is refunded whole.

`run_agent` is the agent with the bug, `run_fixed_agent` the one without it. The model is scripted, so that nothing here
needs a key or a network. Its tools and the model are instrumented, so that a run can be recorded and replayed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from stepfork import trace_tool, wrap_langchain

Due = Callable[[dict[str, Any], int], int]


@tool
def look_up_order(order_id: str) -> dict[str, Any]:
    """What was ordered, and what was paid."""
    return {"order_id": order_id, "item": "lamp", "paid_cents": 4200}


@tool
def list_refunds(order_id: str) -> list[dict[str, Any]]:
    """What was refunded already."""
    return [{"order_id": order_id, "cents": 1200, "reason": "scratched"}]


@trace_tool
def issue_refund(order_id: str) -> str:
    """Has the refund of an order put on the list of today's; gives its number."""
    return f"R-{order_id}"


class ScriptedModel(BaseChatModel):
    """Answers as a model would: it asks for both tools at once, then says what is to be done."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        names = [{"type": "function", "function": {"name": each.name, "parameters": each.args}} for each in tools]
        return self.bind(tools=names, **kwargs)

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        answer = AIMessage("Refund what is still due.")
        if not any(isinstance(message, ToolMessage) for message in messages):
            arguments = {"order_id": str(messages[-1].content).split()[-1]}
            wanted = [
                ("call_0rderLookedUp00001234567", "look_up_order"),
                ("call_Refunds00Listed1234567", "list_refunds"),
            ]
            answer = AIMessage("", tool_calls=[{"id": i, "name": name, "args": arguments} for i, name in wanted])
        return ChatResult(generations=[ChatGeneration(message=answer)])


TOOLS = wrap_langchain([look_up_order, list_refunds])
MODEL = wrap_langchain(ScriptedModel()).bind_tools(TOOLS)


def graph() -> Any:
    """The model and its tools, which run at once where it asks for several."""
    made = StateGraph(MessagesState)
    made.add_node("model", lambda state: {"messages": [MODEL.invoke(state["messages"])]})
    made.add_node("tools", ToolNode(TOOLS))
    made.add_edge(START, "model")
    made.add_conditional_edges("model", lambda state: "tools" if state["messages"][-1].tool_calls else END)
    made.add_edge("tools", "model")
    return made.compile()


def refund(order_id: str, due: Due) -> dict[str, Any]:
    """Refund what `due` makes of the order and of the cents that were refunded before."""
    messages = graph().invoke({"messages": [HumanMessage(f"Please refund order {order_id}")]})["messages"]
    told = {message.name: message.content for message in messages if isinstance(message, ToolMessage)}
    number = issue_refund(order_id)
    return {"order": order_id, "refund": number, "cents": due(*read(told)), "said": messages[-1].content}


def read(told: dict[str, str]) -> tuple[dict[str, Any], int]:
    """The order, and the cents of all refunds, from what the tools said as text."""
    refunds = json.loads(told["list_refunds"])
    return json.loads(told["look_up_order"]), sum(each["cents"] for each in refunds)


def run_agent(order_id: str) -> dict[str, Any]:
    """The agent with the bug: nobody looks at what was refunded before."""
    return refund(order_id, lambda order, _: order["paid_cents"])


def run_fixed_agent(order_id: str) -> dict[str, Any]:
    """The agent without it."""
    return refund(order_id, lambda order, refunded: order["paid_cents"] - refunded)
