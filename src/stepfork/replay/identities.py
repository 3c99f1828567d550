"""Who is who: which value of this run stands for which placeholder of the recording."""

from __future__ import annotations

from collections.abc import Iterable

Name = tuple[str, str]
"""A kind, and a placeholder as it is spelled (``("id", "{{id_3}}")``) or the value that stands for one in this run."""

Pair = tuple[Name, Name]
"""A placeholder of the recording, and the value that stands at its place in a live request."""

STRICT = frozenset({"email"})
"""Kinds whose roles count: an exchange matches only where they map one to one. Ids carry no identity."""


class Identities:
    """Pairs of placeholders and values, as far as this run has shown them or been given them."""

    def __init__(self) -> None:
        self._live: dict[Name, str] = {}
        self._recorded: dict[Name, Name] = {}

    def value(self, recorded: Name) -> str | None:
        """What stands for a placeholder in this run, None where that is not settled."""
        return self._live.get(recorded)

    def placeholder(self, live: Name) -> Name | None:
        """The placeholder that a value of this run stands for."""
        return self._recorded.get(live)

    def allow(self, pairs: Iterable[Pair]) -> bool:
        """Whether the strict ones among `pairs` are one to one, with each other and with all that is settled."""
        there: dict[Name, Name] = {}
        back: dict[Name, Name] = {}
        return all(
            self._agrees(recorded, live)
            and there.setdefault(recorded, live) == live
            and back.setdefault(live, recorded) == recorded
            for recorded, live in pairs
            if recorded[0] in STRICT
        )

    def conflicts(self, pairs: Iterable[Pair]) -> int:
        """How many of `pairs` contradict what is settled."""
        return sum(not self._agrees(recorded, live) for recorded, live in pairs)

    def settle(self, pairs: Iterable[Pair]) -> None:
        """Settle `pairs`; of ids that contradict each other the latest counts."""
        for recorded, live in pairs:
            self._live[recorded] = live[1]
            self._recorded[live] = recorded

    def _agrees(self, recorded: Name, live: Name) -> bool:
        return self._live.get(recorded, live[1]) == live[1] and self._recorded.get(live, recorded) == recorded
