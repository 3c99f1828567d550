"""Spans after OpenTelemetry's GenAI conventions, sent where OTEL_EXPORTER_OTLP_TRACES_ENDPOINT says, if it says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from apis import Turn
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.trace import Span, SpanKind

provider = TracerProvider()
if os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"):
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("refund_agent")


@contextmanager
def agent_span(name: str) -> Iterator[Span]:
    """The whole run."""
    attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
    with tracer.start_as_current_span(f"invoke_agent {name}", attributes=attributes) as span:
        yield span


@contextmanager
def model_span(system: str, model: str) -> Iterator[Span]:
    """One model call."""
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": system, "gen_ai.request.model": model}
    with tracer.start_as_current_span(f"chat {model}", kind=SpanKind.CLIENT, attributes=attributes) as span:
        yield span


def say_turn(span: Span, turn: Turn) -> None:
    """What the model answered."""
    span.set_attribute("gen_ai.response.model", turn.model)
    span.set_attribute("gen_ai.response.id", turn.response_id)
    span.set_attribute("gen_ai.response.finish_reasons", [turn.finish])
    span.set_attribute("gen_ai.usage.input_tokens", turn.tokens[0])
    span.set_attribute("gen_ai.usage.output_tokens", turn.tokens[1])


@contextmanager
def tool_span(call_id: str, name: str, arguments: str) -> Iterator[Span]:
    """One tool call; the caller sets its result."""
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": call_id,
        "gen_ai.tool.call.arguments": arguments,
    }
    with tracer.start_as_current_span(f"execute_tool {name}", attributes=attributes) as span:
        yield span
