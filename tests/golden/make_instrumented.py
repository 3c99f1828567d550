"""The run of instrumented.sftrace: `python -m tests.golden.make_instrumented` writes it anew, which is a change of
the format."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from stepfork.capture.assemble import assemble
from stepfork.store.bundle import write_bundle
from stepfork.trace.call import Asked, Call, Outcome
from stepfork.trace.exchange import Exchange
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import StepError

BUNDLE = Path(__file__).parent / "instrumented.sftrace"


def model(number: int, at: int, asked: Any, outcome: Outcome, api: str) -> Call:
    return Call(number, Asked("llm_call", "ask", asked, "m", "", api), at, at, None, (), at + 1, at + 1, outcome)


def calls() -> list[Call]:
    """A call of each form: tagged, streamed, text; at once, nested, failed, never ended."""
    when = {"$py": "datetime", "value": "{{timestamp_1}}"}
    asked = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    choice = {"message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop", "index": 0, "logprobs": None}
    whole = {"id": "x", "choices": [{"$py": "model", "type": "sdk:Choice", "value": choice, "unset": ["logprobs"]}]}
    deltas = [{"id": "x", "choices": [{"index": 0, "delta": {"content": part}}]} for part in ("a", "b")]
    chunks = [{"$py": "model", "type": "sdk:Chunk", "value": delta} for delta in deltas]
    failed = Outcome(
        error=StepError("TimeoutError", "late"),
        raised={"$py": "exception", "type": "builtins:TimeoutError", "args": ["late"]},
    )
    return [
        model(0, 1, asked, Outcome({"$py": "model", "type": "sdk:Completion", "value": whole}), "chat_completions"),
        model(1, 3, asked, Outcome({"$py": "stream", "value": [deltas[0], *chunks]}), "chat_completions"),
        model(2, 5, {"prompt": {"$py": "tuple", "value": [1]}}, Outcome("data: one\n\ndata: two\n\n"), "other"),
        Call(3, Asked("tool_call", "outer", {"at": when}), 7, 7, None, (), 10, 10, Outcome({"z": 1, "a": [when]})),
        Call(4, Asked("tool_call", "inner", {}), 8, 8, 3, (), 9, 9, failed),
        Call(5, Asked("tool_call", "b", {}), 11, 11, None, ((1, 10),), 13, 13, Outcome(1)),
        Call(6, Asked("tool_call", "a", {}), 12, 12, None, ((2, 10),), 14, 14, Outcome(2)),
        Call(7, Asked("tool_call", "hangs", {}), 15, 15),
    ]


def key(exchange: Exchange) -> bytes:
    return repr(exchange.request.body).encode()


def fixture() -> Fixture:
    made = assemble((), (), calls(), key=key)
    return Fixture("instrumented", Run(Source(kind="in_process", replay_capable=False), made.trace, made.exchanges))


if __name__ == "__main__":
    shutil.rmtree(BUNDLE, ignore_errors=True)
    write_bundle(BUNDLE, fixture())
