"""Whatever two fixtures and a report of them hold, their page is one sound page that acts on nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.cli.escape import escape, escape_fully
from stepfork.cli.render.html.elements import user
from stepfork.cli.render.html.page import html_report
from stepfork.cli.render.html.texts import text_pair
from stepfork.diff.fixture_diff import DiffOptions, FixtureDiff, diff_fixtures
from tests.property.test_diff_views_hostile import costly, hostile, some
from tests.unit.cli.html_page import Page, as_it_is, check_page
from tests.unit.diff.conversations import conversation, fixture

_UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
turns = st.lists(
    st.lists(st.tuples(hostile, st.dictionaries(hostile, hostile, max_size=1), hostile), max_size=2), max_size=3
)
runs = st.builds(
    lambda turns, name, **said: fixture(conversation(turns, **said), name=name),
    turns,
    hostile,
    system=hostile,
    user=hostile,
    final=hostile,
    stop=hostile,
)


def sound(html: str) -> Page:
    assert not _UNSEEN.search(html)
    return check_page(html)


@costly
@given(some, st.lists(hostile, max_size=2))
def test_a_page_of_any_report_is_sound(diffs: Sequence[FixtureDiff], unread: Sequence[str]) -> None:
    sound(html_report(diffs, clean=as_it_is, unread=unread))


@settings(max_examples=12, deadline=None)
@given(runs, runs)
def test_a_page_of_any_two_fixtures_is_sound(old: Any, new: Any) -> None:
    diff = diff_fixtures(old, new, DiffOptions(responses=True, trace=True, timeline=True))
    sound(html_report([diff], clean=as_it_is))


@settings(max_examples=50)
@given(st.one_of(hostile, st.text()))
def test_a_text_is_read_as_it_was_written_but_for_what_is_spelled_out(text: str) -> None:

    assert Page(f"<p>{user(text)}</p>").text == escape(text)


@settings(max_examples=50)
@given(st.one_of(hostile, st.text()), st.one_of(hostile, st.text()))
def test_two_texts_beside_each_other_leave_nothing_out(old: str, new: str) -> None:
    """Each side's lines can be read off again: the common ones and its own."""

    html = text_pair(old, new, as_it_is)
    page = Page(f"<div>{html}</div>")
    for text, own in ((old, "del"), (new, "ins")):
        shown = [
            line
            for block in (*page.texts.get("pre", ()), *page.texts.get(own, ()))
            for line in block.strip("\n").split("\n")
        ]
        bare = {line.removeprefix("− ").removeprefix("+ ") for line in shown}
        for line in text.split("\n"):
            assert {escape(line), escape_fully(line)} & bare, (line, bare)
