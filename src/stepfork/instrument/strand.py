"""A line of control as this process knows it: which one started it, and which others it knows to be over.

What is over is known by having waited for it. A line that has waited for another one knows what that one knew.
"""

from __future__ import annotations

from collections.abc import Iterator


class Race:
    """Lines whose first one to end was waited for: which one that was is chance, and so is what was done between two of
    them. They are over for the one who waits when all were looked at and he made no call meanwhile."""

    __slots__ = ("forks", "is_spoiled", "left", "members")

    def __init__(self, members: set[Strand]) -> None:
        self.members = members
        self.left = set(members)
        self.forks: list[Strand] = []
        self.is_spoiled = False


class Strand:
    """A line of control in one frame. ``number`` is 0 for the one that the body of a call, or the recorded block, runs
    on itself; ``forker`` is the line that started it, in the same frame."""

    __slots__ = (
        "__weakref__",
        "claimed_by",
        "forker",
        "is_over",
        "is_used",
        "known",
        "number",
        "race",
        "races",
    )

    def __init__(self, number: int = 0, forker: Strand | None = None) -> None:
        self.number = number
        self.forker = forker
        self.is_used = False
        """Whether a call was made on it, or on a line that it started."""
        self.is_over = False
        """Whether its forker knows that it is over."""
        self.claimed_by: object = None
        self.known: set[Strand] = set()
        """Lines of other forkers that are known to be over."""
        self.race: Race | None = None
        """The one that this line takes part in."""
        self.races: list[Race] = []
        """Those that this line waits for."""

    def use(self) -> None:
        """A call is made on it."""
        line: Strand | None = self
        while line is not None and not line.is_used:
            line.is_used = True
            line = line.forker
        for race in self.races:
            race.is_spoiled = True

    def fork(self, number: int) -> Strand:
        """A line that is started from it."""
        made = Strand(number, self)
        for race in self.races:
            race.forks.append(made)
        return made

    def await_first(self, members: set[Strand]) -> None:
        """This line waits for the first of several. A race that some of them are in goes on, with more of them."""
        new = {one for one in members if one.race is None and not one.is_over}
        race = next((one.race for one in members if one.race in self.races), None)
        if race is None and len(new) > 1:
            race = Race(set())
            self.races.append(race)
        if race is not None:
            race.members |= new
            race.left |= new
            for one in new:
                one.race = race

    def learn(self, other: Strand, *, surely: bool = False) -> Iterator[Strand]:
        """This line has waited for `other`; `surely` where it did not matter which of several ended first. Yields those
        of its own forks that are known to be over from now on."""
        race = other.race
        if race is None or surely:
            yield from self._learn(other)
            return
        race.left.discard(other)
        if race.left or race not in self.races:
            return
        self.races.remove(race)
        if race.is_spoiled or any(one.is_used for one in race.forks):
            return
        for one in race.members:
            one.race = None
            yield from self._learn(one)

    def _learn(self, other: Strand) -> Iterator[Strand]:
        waiting = [other]
        while waiting:
            one = waiting.pop()
            if one is self or one.is_over or one in self.known:
                continue
            if one.forker is self:
                one.is_over = True
                if one.is_used:
                    yield one
            else:
                self.known.add(one)
            waiting.extend(one.known)
