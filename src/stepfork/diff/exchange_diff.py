"""The exchanges of two sides compared, and which of them differ only in a history that was told already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from stepfork.diff.alignment import Op
from stepfork.diff.answer_diff import diff_answers
from stepfork.diff.exchange_words import is_failed_try, words_of
from stepfork.diff.json_diff import json_diff
from stepfork.diff.request_diff import Heads, added_request, diff_forms
from stepfork.diff.values import AnswerDiff, ExchangeDiff, MessageChange, RequestDiff
from stepfork.diff.views import Side, align_sides

_KIND = ("provider", "api")
_MODELS = ("assistant", "")
"""Roles of what the model said: its messages, and items that have no role (a reference to its reasoning)."""


class Compared(NamedTuple):
    """One pair of exchanges, or one that only one side has. ``told`` numbers messages and results (see
    ``MessageChange.at``) that an answer or an added exchange has told already; ``answer_told``: so is the answer, by
    an added or removed exchange that continues from it. ``follows`` numbers messages that the model said after it was
    asked otherwise. ``words`` say what an exchange that only one side has is about; ``failed``: it is a try
    that was answered with an error."""

    op: Op
    diff: ExchangeDiff
    answer: AnswerDiff | None = None
    told: frozenset[tuple[int | None, int | None]] = frozenset()
    answer_told: bool = False
    follows: frozenset[tuple[int | None, int | None]] = frozenset()
    words: str = ""
    failed: bool = False


def compare_exchanges(old: Side, new: Side) -> list[Compared]:
    """All pairs in order, those that do not differ included."""
    ops = align_sides(old, new)
    histories = _Histories(old, new, ops)
    made = [histories.compare(op) for op in ops]
    return [one._replace(diff=msgspec.structs.replace(one.diff, carried=histories.carried(one.op))) for one in made]


class _Histories:
    """What the conversations of both sides have from which exchange."""

    def __init__(self, old: Side, new: Side, ops: Sequence[Op]) -> None:
        self.old = old
        self.new = new
        self._added = {op.new for op in ops if op.kind == "added"}
        self._removed = {op.old for op in ops if op.kind == "removed"}
        last = max(len(old.views), len(new.views)) - 1
        self._answers = {
            op: diff_answers(old.views[op.old], new.views[op.new], last=max(op.old, op.new) == last)
            for op in ops
            if op.old is not None and op.new is not None
        }
        self._differs_old = {op.old for op, answer in self._answers.items() if answer} | self._removed
        self._differs_new = {op.new for op, answer in self._answers.items() if answer} | self._added
        self._continued_new = {new.bases[index] for index in self._added if index is not None} - {None}
        self._continued_old = {old.bases[index] for index in self._removed if index is not None} - {None}
        self._heads: Heads = {}
        self._asked_old: set[int | None] = set()
        self._asked_new: set[int | None] = set()
        self._carried: dict[tuple[str, int], list[int]] = {}

    def carried(self, op: Op) -> tuple[int, ...]:
        """The exchanges that differ from their counterparts only in what an added or removed exchange brought."""
        if op.kind == "added" and op.new is not None:
            return tuple(self._carried.get(("new", op.new), ()))
        return tuple(self._carried.get(("old", op.old), ())) if op.kind == "removed" and op.old is not None else ()

    def compare(self, op: Op) -> Compared:
        """One op of the alignment, looked into."""
        if op.old is None and op.new is not None:
            request = added_request(self.new.own_units(op.new), self.new.views[op.new].form, "added")
            diff = ExchangeDiff(op.new, "added", self.new.views[op.new].label, request)
            return Compared(op, diff, words=words_of(self.new, op.new), failed=is_failed_try(self.new, op.new))
        if op.new is None and op.old is not None:
            request = added_request(self.old.own_units(op.old), self.old.views[op.old].form, "removed")
            diff = ExchangeDiff(op.old, "removed", self.old.views[op.old].label, request)
            return Compared(op, diff, words=words_of(self.old, op.old), failed=is_failed_try(self.old, op.old))
        assert op.old is not None
        assert op.new is not None
        before, after = self.old.views[op.old], self.new.views[op.new]
        whole = diff_forms(before.form, after.form, self._heads)
        if before.kind != after.kind:
            sent = json_diff(dict(zip(_KIND, before.kind, strict=True)), dict(zip(_KIND, after.kind, strict=True)))
            whole = msgspec.structs.replace(whole, other=(*sent, *whole.other))
        request = self._without_carried(whole, op.old, op.new) if whole else whole
        if whole and not request:
            self._note_carried(whole, op.old, op.new)
        if whole:
            self._asked_old.add(op.old)
            self._asked_new.add(op.new)
        said = [change for change in request.messages if change.role in _MODELS]
        told = {change.at for change in said if self._is_answer(change, op, self._differs_old, self._differs_new)}
        follows = {change.at for change in said if self._is_answer(change, op, self._asked_old, self._asked_new)}
        diff = ExchangeDiff(
            op.new, "moved" if op.kind == "moved" else "changed", after.label, request, old_index=op.old
        )
        answer_told = op.new in self._continued_new or op.old in self._continued_old
        return Compared(op, diff, self._answers[op], frozenset(told), answer_told, frozenset(follows))

    def _without_carried(self, request: RequestDiff, old: int, new: int) -> RequestDiff:
        def kept(changes: tuple[MessageChange, ...]) -> tuple[MessageChange, ...]:
            return tuple(change for change in changes if self._bringer(change, old, new) is None)

        return msgspec.structs.replace(
            request, messages=kept(request.messages), tool_results=kept(request.tool_results)
        )

    def _note_carried(self, request: RequestDiff, old: int, new: int) -> None:
        for change in (*request.messages, *request.tool_results):
            bringer = self._bringer(change, old, new)
            if bringer is not None and new not in self._carried.setdefault(bringer, []):
                self._carried[bringer].append(new)

    def _bringer(self, change: MessageChange, old: int, new: int) -> tuple[str, int] | None:
        """The added or removed exchange that says already that these messages came or went."""
        before, after = change.at
        if before is None and after is not None:
            home = self.new.home(new, after)
            return ("new", home) if home in self._added else None
        if after is None and before is not None:
            home = self.old.home(old, before)
            return ("old", home) if home in self._removed else None
        return None

    def _is_answer(self, change: MessageChange, op: Op, old: set[int | None], new: set[int | None]) -> bool:
        """Whether a message of the model is the answer of one of these exchanges."""
        before, after = change.at
        return (after is not None and op.new is not None and _answered_by(self.new, op.new, after) in new) or (
            before is not None and op.old is not None and _answered_by(self.old, op.old, before) in old
        )


def _answered_by(side: Side, index: int, at: int) -> int:
    """The exchange whose answer this unit is, -1 where it is none: the first units that an exchange appends are the
    answer of the exchange that it continues."""
    home = side.home(index, at)
    base = side.bases[home]
    units = side.views[home].form.units[side.owns[home] : at + 1]
    return base if base is not None and all(unit.role in _MODELS for unit in units) else -1
