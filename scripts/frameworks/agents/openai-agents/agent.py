"""The refund agent on the OpenAI Agents SDK, with OpenTelemetry's instrumentation of it, over Responses."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from agents import Agent, Runner, function_tool, set_trace_processors
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.openai_agents import OpenAIAgentsInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from tools import FUNCTIONS

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
set_trace_processors([])  # the SDK's own processor posts to api.openai.com
OpenAIAgentsInstrumentor().instrument(tracer_provider=provider, capture_message_content=True)
agent = Agent(
    name="refund_agent",
    model="gpt-4.1",
    instructions=Path("prompt.md").read_text(encoding="utf-8"),
    tools=[function_tool(function) for function in FUNCTIONS.values()],
)


async def streamed(task: str) -> str:
    """The answer to a task, every model call streamed."""
    run = Runner.run_streamed(agent, task)
    async for _ in run.stream_events():
        pass
    return str(run.final_output)


TASK = "Please refund order O-1042."
print(asyncio.run(streamed(TASK)) if "--stream" in sys.argv else Runner.run_sync(agent, TASK).final_output)
provider.shutdown()
