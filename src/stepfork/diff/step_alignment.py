"""Which steps of two runs stand for one another. Calls that ran at once have no order among themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from stepfork.diff.alignment import Op, align
from stepfork.diff.step_forms import StepForm

_SAME_LEVELS = 2
"""The first keys of a step's item that say that it is the same step."""


def align_steps(old: Sequence[StepForm], new: Sequence[StepForm]) -> list[Op]:
    """Ops of all steps, as `align` gives them; where calls of one group stand in another order nothing has moved, and
    one of them that was edited is found wherever it stands in its group."""
    found = align([form.item for form in old], [form.item for form in new], move_levels=_SAME_LEVELS)
    ops = _one_edit([_by_itself(op, old, new) for op in found], old, new)
    if not any(form.step.group is not None for form in (*old, *new)):
        return ops
    return _Groups(old, new, ops).ops()


def _by_itself(op: Op, old: Sequence[StepForm], new: Sequence[StepForm]) -> Op:
    """The op of a step alone: another call below it is told where that stands."""
    if op.kind == "changed" and op.old is not None and op.new is not None and old[op.old].text == new[op.new].text:
        return Op("same", op.old, op.new)
    return op


def _one_edit(ops: Sequence[Op], old: Sequence[StepForm], new: Sequence[StepForm]) -> list[Op]:
    """The ops with each call that was edited among equal ones told as that: where one came and one went with nothing
    but equal calls between them, a shift of the pairs leaves a single one that differs."""
    made: list[Op] = []
    start: int | None = None  # of a call that came or went, and of equal pairs behind it
    for op in ops:
        if op.kind in ("added", "removed"):
            opposite = start is not None and made[start].kind != op.kind and made[start].kind != "same"
            shifted = _shifted([*made[start:], op], old, new) if opposite else None
            if shifted is not None:
                made[start:] = shifted
                start = None
                continue
            start = len(made)
        elif op.kind != "same":
            start = None
        made.append(op)
    return made


def _shifted(run: Sequence[Op], old: Sequence[StepForm], new: Sequence[StepForm]) -> list[Op] | None:
    """The same calls in order, the first with the first; None where more than one pair would differ."""
    pairs = list(
        zip((op.old for op in run if op.old is not None), (op.new for op in run if op.new is not None), strict=True)
    )
    differing = [(a, b) for a, b in pairs if old[a].text != new[b].text]
    if len(differing) != 1 or any(old[a].item.kind != new[b].item.kind for a, b in differing):
        return None
    return [Op("changed" if (a, b) in differing else "same", a, b) for a, b in pairs]


class _Groups:
    """What pairs of steps say of the groups that they stand in."""

    def __init__(self, old: Sequence[StepForm], new: Sequence[StepForm], ops: Sequence[Op]) -> None:
        self._old = old
        self._new = new
        self._ops = ops
        self._pairs = {op.old: op.new for op in ops if op.old is not None and op.new is not None}
        self._places = {form.at: index for index, form in enumerate(old)}
        self._new_places = {form.at: index for index, form in enumerate(new)}
        self._moved: set[int | None] = {op.new for op in ops if op.kind == "moved"}

    def ops(self) -> list[Op]:
        """The ops without those that only the order within a group made."""
        edited = dict(self._edited())
        self._pairs |= {a: b for b, a in edited.items()}
        self._moved |= edited.keys()
        gone = set(edited.values())
        made: list[Op] = []
        for op in self._ops:
            if op.new in edited and op.old is None:
                made.append(Op("changed", edited[op.new], op.new))
            elif op.kind == "moved" and self._is_free(op.old, op.new):
                made.append(Op("same", op.old, op.new))
            elif not (op.kind == "removed" and op.old in gone):
                made.append(op)
        return made

    def _is_free(self, old: int | None, new: int | None) -> bool:
        """Whether nothing but a group's order puts a pair elsewhere: its own group's, or that of what it was called
        by, where its own place there is what it was."""
        if old is None or new is None or not self._same_frame(old, new):
            return False
        if self._old[old].step.group is not None and self._new[new].step.group is not None:
            return True
        above, below = self._above(self._old, old, self._places), self._above(self._new, new, self._new_places)
        return below in self._moved and self._is_free(above, below) and not self._is_crossed(old, new)

    def _same_frame(self, old: int, new: int) -> bool:
        above, below = self._above(self._old, old, self._places), self._above(self._new, new, self._new_places)
        return below is None if above is None else self._pairs.get(above) == below

    def _is_crossed(self, old: int, new: int) -> bool:
        """Whether another call of the same frame stood before it and stands behind it now, or the other way round."""
        frame, other_frame = self._old[old].step.parent, self._new[new].step.parent
        return any(
            (a < old) != (b < new)
            for a, b in self._pairs.items()
            if a != old and self._old[a].step.parent == frame and self._new[b].step.parent == other_frame
        )

    @staticmethod
    def _above(side: Sequence[StepForm], index: int, places: dict[int, int]) -> int | None:
        parent = side[index].step.parent
        return None if parent is None else places.get(parent)

    def _edited(self) -> list[tuple[int, int]]:
        """New and old place of calls that came and went in one group, or below a call that a group put elsewhere: each
        is one call, edited."""
        gone: dict[tuple[str, int | None], list[int]] = {}
        come: dict[tuple[str, int | None], list[int]] = {}
        for op in self._ops:
            if op.kind == "removed" and op.old is not None:
                gone.setdefault(self._bound(self._old[op.old]), []).append(op.old)
            elif op.kind == "added" and op.new is not None:
                come.setdefault(self._bound(self._new[op.new]), []).append(op.new)
        found: list[tuple[int, int]] = []
        for bound, other in (*self._linked().items(), *self._carried().items()):
            left = sorted(gone.get(bound, ()), key=lambda at: _kind(self._old[at]))
            right = sorted(come.get(other, ()), key=lambda at: _kind(self._new[at]))
            pairs = align([self._old[at].item for at in left], [self._new[at].item for at in right])
            found += [(right[op.new], left[op.old]) for op in pairs if op.old is not None and op.new is not None]
        return [(b, a) for b, a in found if self._same_frame(a, b)]

    @staticmethod
    def _bound(form: StepForm) -> tuple[str, int | None]:
        """What a call stays in: its group, or what it was called by."""
        step = form.step
        return ("below", step.parent) if step.group is None else ("group", step.group)

    def _carried(self) -> dict[tuple[str, int | None], tuple[str, int | None]]:
        """For what each call that stands elsewhere called, what its counterpart called."""
        pairs = ((a, b) for a, b in self._pairs.items() if b in self._moved)
        return {("below", self._old[a].at): ("below", self._new[b].at) for a, b in pairs}

    def _linked(self) -> dict[tuple[str, int | None], tuple[str, int | None]]:
        """For each old group the new one that most of its calls stand in."""
        links: dict[int, Counter[int]] = {}
        for a, b in self._pairs.items():
            group, other = self._old[a].step.group, self._new[b].step.group
            if group is not None and other is not None:
                links.setdefault(group, Counter())[other] += 1
        return {("group", group): ("group", counted.most_common(1)[0][0]) for group, counted in links.items()}


def _kind(form: StepForm) -> tuple[str, str]:
    return form.step.type, form.step.name
