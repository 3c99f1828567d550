"""What about a trace speaks against relying on it, as a value, and what each kind of finding means."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec


class Code(msgspec.Struct, frozen=True):
    """What a finding's code stands for. ``fails``: the trace is not what happened, or not all of it, so the check
    fails and the run is not verified; else it is a note. ``advice`` says what to do."""

    fails: bool
    advice: str


CODES: Mapping[str, Code] = MappingProxyType(
    {
        "no_steps": Code(True, "instrument the agent with GenAI spans, or send its model calls through the listener"),
        "no_genai_spans": Code(False, "spans without a gen_ai.operation.name are no steps"),
        "calls_without_spans": Code(True, "flush the tracer provider before the command exits"),
        "spans_without_exchanges": Code(True, "send these calls through the listener too: add a route for their host"),
        "models_from_exchanges": Code(False, "the exchanges tell of the model calls instead"),
        "unpaired_call": Code(True, "instrument every tool that the model may call"),
        "open_call": Code(False, "nothing but a span would show that it ran"),
        "unasked_call": Code(False, "the agent called this tool by itself"),
        "error_status": Code(False, "an error is part of what happened"),
        "bad_attribute": Code(False, "the value was left out"),
        "span_conflict": Code(True, "give each span an id of its own"),
        "bad_step": Code(True, "the trace was edited; capture it again"),
        "verdict_differs": Code(True, "capture it again: the manifest was edited after its contracts were evaluated"),
        "cost_incomplete": Code(False, "the cost of the run is not known, and no ceiling is drafted"),
    }
)
"""Every code, as ``docs/reference/trace-check.md`` lists them."""

_UNKNOWN = Code(True, "see the trace")


class TraceFinding(msgspec.Struct, frozen=True, omit_defaults=True):
    """A finding: a stable ``code`` (see CODES), one line of ``text``, and the index of the step that it is about, if
    one."""

    code: str
    text: str
    step: int | None = None

    @property
    def fails(self) -> bool:
        """Whether a trace with this finding fails its check. A code that nobody knows does."""
        return CODES.get(self.code, _UNKNOWN).fails

    @property
    def advice(self) -> str:
        """What to do about it, or what it means where nothing is to be done."""
        return CODES.get(self.code, _UNKNOWN).advice
