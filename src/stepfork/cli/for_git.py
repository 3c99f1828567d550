"""What git asks for while it shows something else: told in time, or not at all, and never an error."""

from __future__ import annotations

import signal
from contextlib import suppress

from stepfork.config.environment import git_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_SHARE = 0.8
"""Of the seconds that git waits: a command has to end by itself before the one that guards it is ended."""


class _TooSlow(BaseException):
    """Nothing that catches errors on the way may stop it."""


def in_time(work: Callable[[], bytes | None]) -> bytes | None:
    """What `work` gives, None where it fails or takes longer than git waits (`STEPFORK_GIT_SECONDS`)."""
    told = None
    with suppress(_TooSlow):
        try:
            _start_clock(git_seconds() * _SHARE)
            told = work()
        except Exception:  # whatever is wrong with us or with the file, git goes on
            told = None
        finally:
            _start_clock(0)
    return told


def _start_clock(seconds: float) -> None:
    """Raise _TooSlow after so many seconds; 0 stops the clock. A system without one relies on the guard."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _ring)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _ring(_number: int, _frame: FrameType | None) -> None:
    raise _TooSlow
