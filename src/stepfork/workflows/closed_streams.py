"""Streams that the program closed before their end, and said so: that is how the run went, and no fault of it."""

from __future__ import annotations

from typing import Any

import msgspec

from stepfork.listener.watch import Recording
from stepfork.trace.in_process import STREAMS


def with_closed_streams(recording: Recording) -> Recording:
    """`recording` without the problems of exchanges that broke off while an instrumented model call was made whose
    stream was closed: the call tells how far it was read."""
    closed = [
        (call.started_ns, call.ended_ns)
        for call in recording.calls
        if call.asked.type == "llm_call" and call.ended_ns and call.outcome and _is_closed(call.outcome.result)
    ]
    if not closed:
        return recording
    kept = tuple(
        problem
        for problem in recording.problems
        if problem.kind != "unfinished" or not any(begun <= problem.arrived_ns <= ended for begun, ended in closed)
    )
    return msgspec.structs.replace(recording, problems=kept)


def _is_closed(result: Any) -> bool:
    return isinstance(result, dict) and result.get("$py") in STREAMS and result.get("closed") is True
