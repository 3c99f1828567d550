"""Threads, executors and tasks that are started while a session listens know where they were started, and it is known
which of them were waited for.

Threads begin with an empty context, and tasks with a copy that does not say where they forked. What starts them, and
what waits for them, is replaced while somebody listens, and put back afterwards.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from stepfork.instrument.patching import Patches
from stepfork.instrument.tasks import replace_tasks
from stepfork.instrument.threads import replace_threads

_lock = threading.Lock()
_listening: list[object] = []
_patches = Patches()


@contextmanager
def inherited() -> Iterator[None]:
    """Have threads, work handed to executors, and tasks carry the context of whoever starts them. May be nested."""
    me = object()
    with _lock:
        _listening.append(me)
        if len(_listening) == 1:
            replace_threads(_patches)
            replace_tasks(_patches)
    try:
        yield
    finally:
        with _lock:
            _listening.remove(me)
            if not _listening:
                _patches.undo()
