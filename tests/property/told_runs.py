"""Made-up programs whose instrumented calls run at once, and every way in which their timing may turn out."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from stepfork.trace.call import Asked, Call, Fork, Outcome, with_joins


@dataclass
class Made:
    """A call that a program makes: its body is a list of steps, each a call, or a list of lines that run at once."""

    name: str
    arguments: Any = None
    result: Any = None
    body: list[Made | list[list[Made]]] = field(default_factory=list)


Body = list[Made | list[list[Made]]]


def program(chance: random.Random, depth: int = 0) -> Body:
    """A random program. Lines that run at once may make equal calls."""
    steps: Body = []
    for _ in range(chance.randint(1, 4)):
        if depth < 2 and chance.random() < 0.4:
            lines = [program_line(chance, depth + 1) for _ in range(chance.randint(2, 4))]
            steps.append(lines)
        else:
            steps.append(made(chance, depth))
    return steps


def program_line(chance: random.Random, depth: int) -> list[Made]:
    return [made(chance, depth) for _ in range(chance.randint(1, 3))]


def made(chance: random.Random, depth: int) -> Made:
    body = program(chance, depth + 1) if depth < 3 and chance.random() < 0.3 else []
    return Made(f"tool_{chance.randint(0, 3)}", {"n": chance.randint(0, 2)}, chance.randint(0, 2), body)


class Scheduler:
    """Runs a program: lines that run at once take turns by chance. Counts events as a recorder does.

    Where lines are forked one after the other, none of them begins before the last one was forked: a task that is made
    does not run before its maker waits.
    """

    def __init__(self, chance: random.Random, start_ns: int = 0) -> None:
        self.chance = chance
        self.calls: list[Call] = []
        self.events = 0
        self.forks = chance.randint(1, 1000)
        self.now = start_ns
        self.joins: dict[int, int] = {}

    def run(self, body: Body) -> list[Call]:
        running = [self._body(body, None, ())]
        for task in running:
            for _ in task:
                pass
        return [with_joins(call, self.joins) for call in self.calls]

    def _body(self, body: Body, parent: int | None, forks: tuple[Fork, ...]) -> Any:
        for step in body:
            if isinstance(step, Made):
                yield from self._call(step, parent, forks)
                continue
            lines, numbers = [], []
            for line in step:
                self.forks += self.chance.randint(1, 3)
                numbers.append(self.forks)
                lines.append(self._body(list(line), parent, (*forks, (self.forks, self.events))))
            while lines:
                line = self.chance.choice(lines)
                try:
                    next(line)
                except StopIteration:
                    lines.remove(line)
                yield
            for number in numbers:
                self.events += 1
                self.joins[number] = self.events

    def _call(self, step: Made, parent: int | None, forks: tuple[Fork, ...]) -> Any:
        number = len(self.calls)
        self.events += 1
        self.now += self.chance.randint(1, 10**7)
        self.calls.append(
            Call(number, Asked("tool_call", step.name, step.arguments), self.events, self.now, parent, forks)
        )
        yield
        yield from self._body(step.body, number, ())
        yield
        self.events += 1
        self.now += self.chance.randint(1, 10**7)
        begun = self.calls[number]
        self.calls[number] = Call(
            number,
            begun.asked,
            begun.begun,
            begun.started_ns,
            parent,
            forks,
            self.events,
            self.now,
            Outcome(step.result),
        )
