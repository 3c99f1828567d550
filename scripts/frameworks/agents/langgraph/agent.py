"""The refund agent on LangGraph, with LangSmith's spans in OTel mode, over Chat Completions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from langchain_core.messages import SystemMessage
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langsmith import Client, tracing_context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from tools import FUNCTIONS

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
client = Client(tracing_mode="otel", otel_tracer_provider=provider)

tools = list(FUNCTIONS.values())
prompt = SystemMessage(Path("prompt.md").read_text(encoding="utf-8"))
model = ChatOpenAI(model="gpt-4.1", streaming="--stream" in sys.argv).bind_tools(tools)


def think(state: MessagesState) -> dict[str, Any]:
    """The model's next turn."""
    return {"messages": [model.invoke([prompt, *state["messages"]])]}


graph = StateGraph(MessagesState)
graph.add_node("model", think)
graph.add_node("tools", ToolNode(tools))
graph.add_edge(START, "model")
graph.add_conditional_edges("model", tools_condition)
graph.add_edge("tools", "model")

with tracing_context(enabled=True, client=client):
    done = graph.compile().invoke({"messages": [("user", "Please refund order O-1042.")]})
print(done["messages"][-1].content)
client.flush()  # LangSmith hands its spans over in the background
provider.shutdown()
