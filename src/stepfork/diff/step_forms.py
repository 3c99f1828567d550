"""The steps of a trace as a comparison sees them: values that read like values, without clocks and numbering."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import msgspec

from stepfork.canonical.names import hasher
from stepfork.diff.alignment import Item
from stepfork.diff.keys import canonical_text
from stepfork.trace.body import JsonValue
from stepfork.trace.plain_form import plain_step, types_of_step
from stepfork.trace.step import Step, Trace

_NUMBERS = ("start", "end", "group", "exchange", "parent", "usage", "instrumented")
"""Fields of a step that an inserted step renumbers, its token counts, which have a line of their own, and who told of
it."""


class StepForm(msgspec.Struct, frozen=True, dict=True):
    """One step. ``at`` is its place in the trace, ``plain`` what is compared of it; ``types`` says what its values were
    where JSON does not, by their pointers in ``plain``. ``tree`` is equal for steps that are equal with all
    that they called."""

    at: int
    step: Step
    plain: dict[str, JsonValue]
    types: dict[str, str]
    tree: str = ""

    @property
    def name(self) -> str:
        """``tool_call search [0]``."""
        return f"{self.step.type} {self.step.name} [{self.at}]"

    @cached_property
    def text(self) -> str:
        """Equal for equal steps."""
        return canonical_text([self.plain, self.types])

    @cached_property
    def item(self) -> Item:
        """For alignment: equal with all that it called; equal; equal in name and arguments."""
        kind = (self.step.type, self.step.name)
        return Item(
            (self.tree or self.text, self.text, (*kind, canonical_text(self.plain.get("arguments")))),
            kind,
            (self.text,),
        )


def forms_of(trace: Trace) -> list[StepForm]:
    """All steps of a trace."""
    forms = list(_forms(trace))
    below: dict[int, list[str]] = {}
    made: list[StepForm] = []
    for form in reversed(forms):  # what a step called stands behind it
        digest = hasher()
        digest.update("\0".join([form.text, *reversed(below.pop(form.at, []))]).encode("utf-8", "surrogatepass"))
        made.append(msgspec.structs.replace(form, tree=digest.hexdigest()))
        if form.step.parent is not None:
            below.setdefault(form.step.parent, []).append(made[-1].tree)
    return made[::-1]


def _forms(trace: Trace) -> Iterator[StepForm]:
    for at, step in enumerate(trace.steps):
        plain: dict[str, Any] = msgspec.to_builtins(plain_step(step))
        plain = {name: value for name, value in plain.items() if name not in _NUMBERS}
        if step.parent is not None and 0 <= step.parent < len(trace.steps):
            plain["parent"] = trace.steps[step.parent].name
        yield StepForm(at, step, plain, types_of_step(step))


def is_instrumented(trace: Trace) -> bool:
    """Whether the program's own decorators told of the run: then its calls are what it did, whatever models said."""
    return trace.origin == "instrumented" or any(step.instrumented for step in trace.steps)


def is_own_call(form: StepForm) -> bool:
    """Whether a step is a call of which no exchange is the whole: all but the model calls that have one."""
    step = form.step
    return step.type == "tool_call" or (step.instrumented and step.exchange is None)
