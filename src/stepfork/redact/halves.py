"""Work on a large text that two processes share: Python looks at one place at a time."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Found = tuple[int, int, int]
    Work = Callable[[bytes, int, int], list[Found]]


def in_halves(data: bytes, work: Work, meanwhile: Callable[[], object]) -> list[Found]:
    """What `work` finds in all of `data`, which it is given whole, and in two parts where that is quicker and the text
    has a place in its middle at which no string of JSON is cut. `meanwhile` is done before the second part is waited
    for."""
    cut = _cut(data) if _may_fork() else -1
    if cut < 0:
        return work(data, 0, len(data))
    import json

    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(data, cut, work, reading, writing)
    os.close(writing)
    found = work(data, 0, cut)
    meanwhile()
    with open(reading, "rb") as pipe:  # noqa: PTH123 (the end of a pipe)
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    return found + ([(*one,) for one in json.loads(told)] if status == 0 else work(data, cut, len(data)))


def _answer(data: bytes, cut: int, work: Work, reading: int, writing: int) -> None:
    """What the second process does. It never returns, and leaves no trace in what it shares with the first."""

    import json

    code = 1
    try:
        os.close(reading)
        told = json.dumps(work(data, cut, len(data))).encode()
        while told:
            told = told[os.write(writing, told) :]
        code = 0
    finally:
        os._exit(code)


def _may_fork() -> bool:
    """Whether a copy of this process is safe and has a processor of its own: no thread may hold a lock in it."""
    threading = sys.modules.get("threading")
    if not hasattr(os, "fork") or (threading is not None and threading.active_count() > 1):
        return False
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) > 1 if affinity is not None else (os.cpu_count() or 1) > 1


def _cut(data: bytes) -> int:
    """A place in the middle of JSON or JSON lines that is in no string, where the text looks like either: the end of a
    line, or an object's first quote; -1 where there is none."""
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        return -1
    middle, last = len(data) * 15 // 32, len(data) * 3 // 4
    at = data.find(b"\n", middle, last)
    return at + 1 if at >= 0 else data.find(b'{"', middle, last)
