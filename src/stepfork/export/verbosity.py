"""Whether a failing test tells all that differs, or the first: pytest's ``-v`` says so. Standard library only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_all: ContextVar[bool] = ContextVar("stepfork_tells_all", default=False)


def tells_all() -> bool:
    """Whether the test that runs was asked for everything."""
    return _all.get()


@contextmanager
def telling(everything: bool) -> Iterator[None]:
    """For as long as a test runs."""
    token = _all.set(everything)
    try:
        yield
    finally:
        _all.reset(token)
