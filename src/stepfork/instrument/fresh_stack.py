"""A whole stack for what is called by a program that has used most of its own."""

from __future__ import annotations

import _thread
from collections.abc import Callable
from typing import Any


def on_fresh_stack(function: Callable[..., Any], *args: Any) -> Any:
    """``function(*args)`` in a thread of its own, waited for. Raises what it raises.

    The thread is none of `threading`'s, so nobody who watches those sees it.
    """
    done = _thread.allocate_lock()
    done.acquire()
    made: list[Any] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            made.append(function(*args))
        except BaseException as error:
            failed.append(error)
        finally:
            done.release()

    _thread.start_new_thread(run, ())
    done.acquire()
    if failed:
        raise failed[0]
    return made[0]
