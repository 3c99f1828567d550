"""In the body of which instrumented tool a call over HTTP was made that nothing but the wire tells of."""

from __future__ import annotations

from collections.abc import Iterable

from stepfork.capture.drafts import Draft


class Enclosing:
    """Asked with calls in order of their start. Only tools count that ran alone: of calls that ran at once, clocks
    would say another one in each run."""

    def __init__(self, drafts: Iterable[Draft]) -> None:
        tools = [draft for draft in drafts if draft.told is not None and draft.step.type == "tool_call"]
        self._later = sorted(tools, key=lambda draft: draft.span.start_ns, reverse=True)
        self._open: list[Draft] = []

    def around(self, start: int, end: int) -> Draft | None:
        """The innermost tool that ran from before `start` to after `end`; None where none did, or others beside it."""
        while self._later and self._later[-1].span.start_ns <= start:
            self._open.append(self._later.pop())
        self._open = [draft for draft in self._open if draft.span.end_ns >= start]
        found = [draft for draft in self._open if draft.span.end_ns >= end]
        if any(draft.told is not None and draft.told.group is not None for draft in self._open):
            return None
        inside: Draft | None = None
        for draft in found:  # by their start: each in the body of the one before it
            if inside is not None and draft.parent is not inside:
                return None
            inside = draft
        return inside
