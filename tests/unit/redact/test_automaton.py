from __future__ import annotations

import pytest

from stepfork.redact import automaton
from stepfork.redact.automaton import Automaton

LITERALS = ("key", "a key", "k\udcffy", "k?y", "ß")
TEXT = "a key, k?y, k\udcffy, k\udcfey and keß"
FOUND = [(0, 2, 5), (1, 0, 5), (2, 12, 15), (3, 7, 10), (4, len(TEXT) - 1, len(TEXT))]


@pytest.mark.parametrize("at_a_time", [1 << 20, 4, 1])
def test_the_same_places_are_found_in_any_way(monkeypatch: pytest.MonkeyPatch, at_a_time: int) -> None:
    one_by_one = Automaton(LITERALS)
    assert sorted(one_by_one.find(TEXT)) == FOUND
    monkeypatch.setattr(automaton, "_SMALL", 0)
    monkeypatch.setattr(automaton, "_STRETCH", at_a_time)
    built = Automaton(LITERALS)
    for _ in range(2):
        assert sorted(built.find(TEXT)) == FOUND
    plain = TEXT.replace("\udcff", "?").replace("\udcfe", "!")
    assert [place for place in built.find(plain) if place[0] == 2] == []
