"""What differs between the traces of two runs, and how much of that is compared."""

from __future__ import annotations

from collections.abc import Iterator

from stepfork.diff.keys import canonical_text
from stepfork.diff.numbering import Sides
from stepfork.diff.run_diff import outcome_changes
from stepfork.diff.step_changes import StepChanges
from stepfork.diff.step_forms import forms_of, is_instrumented, is_own_call
from stepfork.diff.told_calls import ToldCalls
from stepfork.diff.values import Change
from stepfork.diff.views import Side
from stepfork.trace.step import Trace


class TraceDiff:
    """What differs between the traces of two sides. ``told_by_exchanges`` says, once it was asked for, whether some of
    it stands in the exchanges alone."""

    def __init__(self, sides: Sides, before: Side, after: Side) -> None:
        self._old, self._new = sides.old.run, sides.new.run
        self._sides = before, after
        self.told_by_exchanges = False

    def all(self) -> Iterator[Change]:
        """All of it."""
        yield from StepChanges().between(*map(forms_of, self._traces))
        yield from outcome_changes(*self._traces)

    def own_calls(self) -> Iterator[Change]:
        """Of instrumented runs what they called and what came of it, as far as no exchange tells it."""
        if not any(map(is_instrumented, self._traces)) or not all(map(self._tells_its_calls, (0, 1))):
            return
        steps = StepChanges(ToldCalls(*self._sides))
        yield from steps.between(*([form for form in forms_of(one) if is_own_call(form)] for one in self._traces))
        answered = all(map(_is_last_answer, self._traces, self._sides))
        yield from outcome_changes(*self._traces, output=not answered, cost=False)
        self.told_by_exchanges = steps.kept_back or (
            answered and canonical_text(self._traces[0].output) != canonical_text(self._traces[1].output)
        )

    @property
    def _traces(self) -> tuple[Trace, Trace]:
        return self._old.trace, self._new.trace

    def _tells_its_calls(self, at: int) -> bool:
        """Whether a side's calls can be known: a program without instrumentation that was run as a command may have
        made any beside those that its models asked for."""
        run = (self._old, self._new)[at]
        return is_instrumented(run.trace) or run.source.kind == "in_process" or not self._sides[at].views


def _is_last_answer(trace: Trace, side: Side) -> bool:
    """Whether a run's output is what its last answer says."""
    return bool(side.views) and isinstance(trace.output, str) and trace.output == side.views[-1].answer.text
