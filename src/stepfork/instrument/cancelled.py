"""Calls that were cancelled when they were recorded. They did not end by themselves, so a replay does not end them
either: it waits for whoever cancelled them to do so again, as a timeout or a failing sibling does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NoReturn

from stepfork.errors import ReplayMismatchError

SECONDS = 30.0
"""How long that is waited for."""


def is_cancellation(error: BaseException) -> bool:
    """Whether a task was cancelled."""
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and isinstance(error, asyncio.CancelledError)


async def cancelled_again(refused: Callable[[str], object] | None) -> NoReturn:
    """Wait to be cancelled. Raises ReplayMismatchError, and tells `refused`, where nobody does it."""
    import asyncio

    await asyncio.sleep(SECONDS)
    what = "a call that was cancelled when it was recorded is not cancelled any more"
    if refused is not None:
        refused(what)
    raise ReplayMismatchError(what, fix="record the run again")
