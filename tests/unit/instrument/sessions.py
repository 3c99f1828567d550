"""A recording, and a replay that answers its calls in the order in which they began: as small as they can be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from stepfork.canonical.encode import dumps
from stepfork.canonical.parse import parse
from stepfork.instrument import context
from stepfork.instrument.forking import inherited
from stepfork.instrument.recorder import Recorder
from stepfork.trace.call import Asked, Call, Outcome


@dataclass
class Answered:
    number: int
    answer: Outcome | None

    def end(self, outcome: Outcome) -> None:
        raise AssertionError("an answered call has no end")


@dataclass
class Answering:
    calls: list[Call]
    closed_to_strangers: bool = True
    told: list[str] = field(default_factory=list)

    def count(self) -> int:
        return 0

    def joined(self, line: int) -> None:
        pass

    def begin(self, asked: Asked, *, parent: int | None, forks: tuple[tuple[int, int], ...]) -> Answered:
        call = self.calls.pop(0)
        assert asked == call.asked
        return Answered(call.number, call.outcome)

    def refused(self, what: str) -> None:
        self.told.append(what)


def stored(outcome: Outcome | None) -> Outcome | None:
    """An outcome as it comes back from a file."""
    if outcome is None:
        return None
    kept = {
        name: parse(dumps(value))
        for name in ("result", "raised")
        if (value := getattr(outcome, name)) is not msgspec.UNSET
    }
    return Outcome(error=outcome.error, **kept)


def recorded(run: Callable[[], Any]) -> tuple[Any, list[Call]]:
    """What `run` gives, and its calls."""
    recorder = Recorder()
    with context.listening(recorder), inherited():
        result = run()
    return result, list(recorder.close())


def replayed(run: Callable[[], Any], calls: list[Call], told: list[str] | None = None) -> Any:
    """What `run` gives where its outermost calls are answered."""
    outer = [
        Call(c.number, c.asked, c.begun, c.started_ns, outcome=stored(c.outcome)) for c in calls if c.parent is None
    ]
    session = Answering(outer, told=[] if told is None else told)
    with context.listening(session), inherited():
        result = run()
    assert session.calls == []
    return result
