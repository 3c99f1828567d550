"""What keeps a run from being a fixture, and hints at why it may not be the run that was meant."""

from __future__ import annotations

import signal

from stepfork.listener.watch import Recording
from stepfork.trace.exit_code import told_exit_code
from stepfork.trace.fixture import Run


def problems_of(recording: Recording, run: Run, *, require_spans: bool) -> list[str]:
    """Each reason, on a line with what to do; none where there is a fixture to be made. `run` is what `recording`
    became."""
    problems = [problem.text for problem in recording.problems]
    if recording.interrupted is not None:
        name = signal.Signals(recording.interrupted).name
        problems.append(f"the run was interrupted ({name}) and is only its beginning; capture it again")
        return problems  # what it lacks says nothing of the agent
    if not recording.spans and not recording.calls and not run.exchanges:
        if recording.exit_code:
            code = told_exit_code(recording.exit_code)
            problems.append(f"the command ended with exit code {code} before any model call")
        fix = (
            "decorate the tools with trace_tool; wrap the model client (wrap_openai, wrap_anthropic, wrap_langchain) "
            "or make it inside the block, where it finds OPENAI_BASE_URL or ANTHROPIC_BASE_URL"
            if run.source.kind == "in_process"
            else "build the model client from OPENAI_BASE_URL or ANTHROPIC_BASE_URL, and flush the tracer provider "
            "before the command exits; or decorate tools with trace_tool and wrap the client (wrap_openai and others)"
        )
        problems.append(
            f"no spans were received and no model calls reached the proxy, nor any instrumented call; {fix}"
        )
    elif require_spans and not recording.spans:
        problems.append(
            "no spans were received, and --require-spans asks for them; export them to "
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, and flush the tracer provider before the command exits"
        )
    elif require_spans and run.trace.origin == "exchanges":
        problems.append(
            "spans were received and none of them is a step, and --require-spans asks for those; instrument the agent "
            "with GenAI spans (gen_ai.operation.name)"
        )
    return problems


def hints_of(run: Run) -> list[str]:
    """What fails nothing by itself. Calls that went past the listener cannot be seen; model steps without any are the
    hint that there were some."""
    models = sum(step.type == "llm_call" and not step.instrumented for step in run.trace.steps)
    if run.exchanges or not models or run.source.kind == "otlp_file":
        return []
    told = "1 model step has" if models == 1 else f"{models} model steps have"
    return [
        f"{told} no recorded call: build the model client from OPENAI_BASE_URL or "
        "ANTHROPIC_BASE_URL, or give its server a route in config.toml"
    ]
