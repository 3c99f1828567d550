"""Who is who: which value of this run stands for which placeholder of the recording."""

from __future__ import annotations

from collections.abc import Iterable

from stepfork.normalize.placeholders import PERSONAL

Name = tuple[str, str]
"""A kind, and a placeholder as it is spelled (``("id", "{{id_3}}")``) or the value that stands for one in this run."""

Pair = tuple[Name, Name]
"""A placeholder of the recording, and the value that stands at its place in a live request."""

STRICT = frozenset({"email", *PERSONAL})
"""Kinds whose roles count: an exchange matches only where they map one to one. Ids carry no identity."""


class Identities:
    """Pairs of placeholders and values, as far as this run has shown them or been given them."""

    def __init__(self) -> None:
        self._live: dict[Name, Name] = {}
        self._recorded: dict[Name, Name] = {}
        self._made_up: set[Name] = set()

    def value(self, recorded: Name) -> str | None:
        """What stands for a placeholder in this run, None where that is not settled."""
        live = self._live.get(recorded)
        return None if live is None else live[1]

    def placeholder(self, live: Name) -> Name | None:
        """The placeholder that a value of this run stands for."""
        return self._recorded.get(live)

    def allow(self, addresses: Iterable[Pair]) -> bool:
        """Whether addresses stand in the roles that they have: one to one, with each other and with all before.

        One that was made up for a placeholder is as good as the run's own, which may show only later.
        """
        there: dict[Name, Name] = {}
        back: dict[Name, Name] = {}
        for recorded, live in addresses:
            if self._recorded.get(live, recorded) != recorded or back.setdefault(live, recorded) != recorded:
                return False
            if live not in self._made_up:
                settled = self._live.get(recorded, live)
                if (settled != live and settled not in self._made_up) or there.setdefault(recorded, live) != live:
                    return False
        return True

    def conflicts(self, pairs: Iterable[Pair]) -> int:
        """How many of `pairs` contradict what is settled."""
        return sum(
            self._live.get(recorded, live) != live or self._recorded.get(live, recorded) != recorded
            for recorded, live in pairs
        )

    def settle(self, pairs: Iterable[Pair]) -> None:
        """Settle `pairs`; where they contradict each other the latest counts, and a value of the run's own most."""
        for recorded, live in pairs:
            if live not in self._made_up:
                self._live[recorded] = live
                self._recorded[live] = recorded

    def learn(self, other: Identities) -> list[Name]:
        """Take over the roles of addresses and personal data that `other` knows and this does not; the values that are
        new. What was made up gives way to what a run has shown."""
        new: list[Name] = []
        for recorded, live in other._live.items():
            settled = self._live.get(recorded)
            if recorded[0] not in STRICT or settled == live or not (settled is None or settled in self._made_up):
                continue
            if live in other._made_up:
                if settled is not None:
                    continue
                self.make_up(recorded, live)
            else:
                self.settle([(recorded, live)])
            new.append(live)
        return new

    def make_up(self, recorded: Name, live: Name) -> None:
        """Settle a value that was made up for a placeholder."""
        self._live[recorded] = live
        self._recorded[live] = recorded
        if recorded[0] in STRICT:
            self._made_up.add(live)
