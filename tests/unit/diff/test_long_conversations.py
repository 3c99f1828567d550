"""What every exchange of a conversation carries is looked into once, however many exchanges carry it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepfork.diff import changes, request_diff
from stepfork.diff.fixture_diff import diff_fixtures
from stepfork.diff.renaming import Renaming
from stepfork.diff.views import Conversations, Side, views_of
from stepfork.trace.fixture import Fixture
from tests.unit.diff.conversations import chat, fixture

EXCHANGES = 20


def talk(side: str, count: int = EXCHANGES) -> Fixture:
    said = [
        {"role": ("user", "assistant")[at % 2], "content": f"{side} says {at} {{{{email_{at + 1}}}}}"}
        for at in range(2 * count)
    ]
    return fixture([chat(said[: 2 * at + 1], f"{side} says {2 * at + 1}") for at in range(count)])


def test_a_history_that_changed_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = {"pairs": 0, "atoms": 0, "learnt": 0}
    differences, atoms, learn = request_diff._differences, changes._message_atoms, Renaming.learn

    def count_pair(*args):  # type: ignore[no-untyped-def]
        counted["pairs"] += 1
        return differences(*args)

    def count_atoms(*args):  # type: ignore[no-untyped-def]
        counted["atoms"] += 1
        return atoms(*args)

    def count_learnt(*args):  # type: ignore[no-untyped-def]
        counted["learnt"] += 1
        return learn(*args)

    monkeypatch.setattr(request_diff, "_differences", count_pair)
    monkeypatch.setattr(changes, "_message_atoms", count_atoms)
    monkeypatch.setattr(Renaming, "learn", count_learnt)
    diff = diff_fixtures(talk("old"), talk("new"))
    messages = 2 * EXCHANGES - 1
    assert counted["pairs"] == messages
    assert counted["atoms"] <= messages
    assert counted["learnt"] <= messages + EXCHANGES + 2  # the answers, the head of the requests, the trace
    assert len(diff.changes) >= EXCHANGES


@given(st.lists(st.tuples(st.integers(-1, 30), st.integers(1, 3)), min_size=1, max_size=30), st.data())
def test_home_is_the_first_exchange_that_had_a_message(steps: list[tuple[int, int]], data: st.DataObject) -> None:
    said: list[list[str]] = []
    for number, (base, more) in enumerate(steps):
        start = said[base] if 0 <= base < len(said) else []
        said.append([*start, *(f"{number}.{at}" for at in range(more))])
    made = fixture([chat([{"role": "user", "content": text} for text in texts], "ok") for texts in said])
    side = Side(views_of(made.run.exchanges), Conversations())
    index = data.draw(st.integers(0, len(said) - 1))
    for at, text in enumerate(said[index]):
        assert side.home(index, at) == int(text.partition(".")[0])
