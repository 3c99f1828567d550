"""The refund agent on Pydantic AI, with its own GenAI spans, over Chat Completions."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from pydantic_ai import Agent
from pydantic_ai.capabilities import Instrumentation
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from tools import FUNCTIONS

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
settings = InstrumentationSettings(tracer_provider=provider, include_content=True, version=5)
agent = Agent(
    OpenAIChatModel("gpt-4.1", provider=OpenAIProvider()),
    name="refund_agent",
    instructions=Path("prompt.md").read_text(encoding="utf-8"),
    tools=list(FUNCTIONS.values()),
    capabilities=[Instrumentation(settings)],
)


async def streamed(task: str) -> str:
    """The answer to a task, every model call streamed."""
    async with agent.run_stream(task) as run:
        return await run.get_output()


TASK = "Please refund order O-1042."
print(asyncio.run(streamed(TASK)) if "--stream" in sys.argv else agent.run_sync(TASK).output)
provider.shutdown()
