"""What can be waited for, and the line of control that is over then."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from stepfork.instrument import context
from stepfork.instrument.context import Here
from stepfork.instrument.strand import Strand

_NAME = "_stepfork_line"


def stands_for(waited: Any, place: Here) -> None:
    """Whoever has waited for `waited`, a thread or a future, has waited for the line that was started at `place`."""
    with suppress(AttributeError, TypeError):  # of a class with __slots__
        setattr(waited, _NAME, place.strand)


def line_of(waited: Any) -> Strand | None:
    """The line that is over when `waited` is, where that is known."""
    found = getattr(waited, _NAME, None)
    return found if isinstance(found, Strand) else None


def same_line(waited: Any, other: Any) -> None:
    """`waited` ends when `other` does."""
    strand = line_of(other)
    if strand is not None:
        with suppress(AttributeError, TypeError):
            setattr(waited, _NAME, strand)


def waited_for(waited: Any, *, surely: bool = True) -> None:
    """The caller has waited until `waited` was over."""
    strand = line_of(waited)
    if strand is not None:
        context.over(strand, surely=surely)


def raced(waited: Any) -> None:
    """The caller waits for the first of several to end."""
    by = context.mine()
    if by is not None:
        by.await_first({strand for strand in map(line_of, waited) if strand is not None})
