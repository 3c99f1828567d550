"""Start and end of steps as sequence numbers: by the order and nesting of the steps, never by a clock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from stepfork.trace.step import Step


def numbered(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps with start and end numbered from 1 in one walk.

    Every start precedes its end, and a parent's start and end bracket its children's. What runs at once is said by
    ``group``. An index that is no other step's is no parent.
    """
    starts = [0] * len(steps)
    ends = [0] * len(steps)
    for count, (index, is_end) in enumerate(_walk(steps), 1):
        (ends if is_end else starts)[index] = count
    return tuple(
        msgspec.structs.replace(step, start=start, end=end)
        for step, start, end in zip(steps, starts, ends, strict=True)
    )


def _walk(steps: Sequence[Step]) -> Iterator[tuple[int, bool]]:
    """Each step twice, when it starts and when it ends, children in between."""
    children: dict[int | None, list[int]] = defaultdict(list)
    for index, step in enumerate(steps):
        parent = step.parent
        known = parent is not None and 0 <= parent < len(steps) and parent != index
        children[parent if known else None].append(index)
    begun: set[int] = set()
    for root in (*children[None], *range(len(steps))):  # the second half reaches steps that are their own ancestors
        stack: list[tuple[int, bool]] = [(root, False)]
        while stack:
            index, is_end = stack.pop()
            if is_end:
                yield index, True
            elif index not in begun:
                begun.add(index)
                yield index, False
                stack.append((index, True))
                stack.extend((child, False) for child in reversed(children[index]))
