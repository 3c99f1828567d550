"""Who is told of a run while it runs, before the program can know what became of a call: what keeps a journal.

A witness is asked in the listener's threads, and must neither raise nor wait for anything but a disk.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from copy import copy
from typing import Protocol

from stepfork.listener.conclude import conclude
from stepfork.listener.limits import Limits
from stepfork.listener.transcript import Transcript
from stepfork.trace.call import Call
from stepfork.trace.recorded import Recorded

AT_ONCE = 1 << 14
"""Bytes of an event up to which a witness is told in the event loop: a thread would cost more."""


class Witness(Protocol):
    """Told of instrumented calls (by their numbers) and of exchanges (by their order of arrival)."""

    def begun(self, call: Call) -> None:
        """A call has begun; its body has not run yet."""

    def ended(self, call: Call) -> None:
        """A call has ended, and the program does not know it yet."""

    def over(self, line: int, count: int) -> None:
        """A line of control had been waited for at that count of events, and the program does not go on yet. A later
        word on the same line says nothing new."""

    def arrived(self, index: int, provider: str, path: str) -> None:
        """A model call has come in."""

    def exchanged(self, index: int, recorded: Recorded) -> None:
        """A model call is over, as far as the program will know next. A later word on the same call counts."""


async def tell_of_exchange(witness: Witness | None, transcript: Transcript, limits: Limits, now_ns: int) -> None:
    """Have `witness` know of a call before its last bytes go out. What was told already is not told again."""
    if witness is None or transcript.told == transcript.response_size:
        return
    transcript.told = transcript.response_size
    with suppress(Exception):
        await asyncio.to_thread(_tell, witness, _as_of_now(transcript, now_ns), limits)


def tell_of_end(witness: Witness | None, transcript: Transcript, limits: Limits, now_ns: int) -> None:
    """As `tell_of_exchange`, where nobody waits for the answer any more."""
    if witness is None or transcript.told == transcript.response_size:
        return
    transcript.told = transcript.response_size
    with suppress(Exception):
        asyncio.get_running_loop().run_in_executor(None, _tell, witness, _as_of_now(transcript, now_ns), limits)


def _as_of_now(transcript: Transcript, now_ns: int) -> Transcript:
    """A copy of its own: to conclude one lets its bodies go."""
    copied = copy(transcript)
    if copied.ending is None:
        copied.ended_ns = now_ns
    return copied


def _tell(witness: Witness, transcript: Transcript, limits: Limits) -> None:
    with suppress(Exception):  # what cannot be concluded now fails the capture at its end
        witness.exchanged(transcript.index, conclude(transcript, limits, limits.capture_bytes).recorded)
