"""What a command's exit code says."""

from __future__ import annotations

OK = 0
"""Yes, or done."""
NO = 1
"""The answer is no: a secret was found, the run is not verified, the store is damaged."""
BAD_INPUT = 2
"""The question could not be answered: bad usage, unreadable input. Never a verdict."""
INTERRUPTED = 130
TERMINATED = 143
"""A signal ended it, as a shell says it: 128 + its number."""


def of_signal(number: int) -> int:
    """The exit code of a command that the signal `number` interrupted."""
    return {2: INTERRUPTED, 15: TERMINATED}.get(number, NO)
