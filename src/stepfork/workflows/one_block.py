"""One block at a time: what a recording or a playback turns are variables of the whole process."""

from __future__ import annotations

import os

from stepfork.errors import CaptureError

RUNNING: dict[int, object] = {}
"""The block of a process, by its id: a fork's copy of this says nothing about the fork."""


def refuse_second() -> None:
    """Raise CaptureError where a block runs in this process: asked before anything is read or made for another."""
    if os.getpid() in RUNNING:
        raise busy()


def busy() -> CaptureError:
    """What is said of a second block."""
    return CaptureError(
        "a capture or a playback runs in this process already",
        fix="it holds variables of the whole process, so the next one begins when it has ended",
    )
