"""The report as people read it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from stepfork.cli.render.diff_text import BLOCK, render_report
from stepfork.diff.fixture_diff import DiffOptions, diff_fixtures
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture
from tests.unit.diff.conversations import SYSTEM, TURNS, asks, chat, conversation, fixture

TWICE = [TURNS[0], [*TURNS[1], *TURNS[1]], *TURNS[2:]]


def report(old: Fixture | None, new: Fixture | None, options: DiffOptions = DiffOptions(), **how: Any) -> str:  # noqa: B008
    return "\n".join(render_report((diff_fixtures(old, new, options),), **how))


def changed_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()[:2] in ("- ", "+ ")]


def test_an_edited_prompt_line_is_printed_once_with_its_exchanges() -> None:
    new = fixture(conversation(system=SYSTEM.replace("once", "twice")))
    assert report(fixture(conversation()), new) == (
        "refund: 1 authored change                                         5 exchanges\n"
        "  authored\n"
        "    system   exchanges 0–4\n"
        "      - You refund once.\n"
        "      + You refund twice."
    )


def test_consequences_are_folded_beside_their_cause() -> None:
    new = fixture(conversation(TWICE, system=SYSTEM.replace("once", "twice"), final="All done."))
    assert report(fixture(conversation()), new) == (
        "refund: 1 authored change, 3 consequences                         5 exchanges\n"
        "  authored\n"
        "    system   exchanges 0–4\n"
        "      - You refund once.\n"
        "      + You refund twice.\n"
        "  consequences (folded, --full shows them)\n"
        "    exchange 1      assistant asks issue_refund twice, was issue_refund\n"
        '    exchanges 2–4   + tool result issue_refund [5] {"ok": true}\n'
        "    exchange 4      final answer reworded"
    )
    full = report(fixture(conversation()), new, full=True)
    assert "folded" not in full
    assert "      - Done.\n      + All done." in full


def test_consequences_without_a_cause_are_not_folded() -> None:
    text = report(fixture(conversation()), fixture(conversation(TWICE)))
    assert text.startswith("refund: no authored change, 2 consequences ")
    assert "folded" not in text


def test_c072_no_difference_is_one_calm_line() -> None:
    one = fixture(conversation())
    assert report(one, one) == "refund: no semantic change (5 exchanges)"
    single = fixture([asks("x")])
    assert report(single, single) == "refund: no semantic change (1 exchange)"


def test_differences_outside_the_comparison_are_one_more_line() -> None:
    text = report(fixture(conversation()), fixture(conversation(final="Refunded.")))
    assert text == ("refund: no semantic change (5 exchanges)\n  info   1 of 5 answers differ (--responses shows them)")


def test_one_added_call_says_both_counts_and_the_tokens() -> None:
    calls = [asks(f"question {number}") for number in range(3)]
    assert report(fixture(calls), fixture([*calls, asks("one more")])) == (
        "refund: 1 authored change                                        3 → 4 exchanges\n"
        "  authored\n"
        "    + exchange openai chat_completions gpt-4.1   exchange 3\n"
        "      + user: one more\n"
        "  tokens 300 → 400 in, 30 → 40 out"
    )


def test_an_added_call_that_is_no_models_says_what_it_asked() -> None:
    asked = Request("POST", "/v2/orders", query="city=Oslo", body=JsonBody({"id": 7, "note": "x"}))
    call = Exchange("shop", "opaque", asked, Response(200, body=JsonBody({})))
    get = Exchange("shop", "opaque", Request("GET", "/v2/map.png"), Response(200))
    calls = [asks(f"question {number}") for number in range(3)]
    text = report(fixture(calls), fixture([*calls, call, get]))
    assert changed_lines(text)[1:] == [
        "+ POST /v2/orders?city=Oslo",
        '+ {"id": 7, "note": "x"}',
        "+ exchange shop opaque   exchange 4",
        "+ GET /v2/map.png",
    ]
    assert "- GET /v2/map.png" in report(fixture([*calls, call, get]), fixture([*calls, call]))


def test_parts_of_a_request_each_have_their_line() -> None:
    old = fixture([asks("hello", temperature=0.2, stop=["x"])])
    new = fixture([asks("hello", temperature=0.9, model="gpt-5.4", user="me")])
    assert report(old, new).splitlines()[1:] == [
        "  authored",
        "    model    exchange 0",
        "      gpt-4.1 → gpt-5.4",
        "    params   exchange 0",
        '      - /stop: ["x"]',
        "      ~ /temperature: 0.2 → 0.9",
        '      + /user: "me"',
    ]


def test_a_block_prints_twenty_lines_and_says_how_many_more() -> None:
    old, new = (fixture([asks("\n".join(f"{side} line {n}" for n in range(100)))]) for side in ("old", "new"))
    text = report(old, new)
    assert len(changed_lines(text)) == BLOCK - 1
    assert text.endswith("… 181 more changed lines (--full shows them)")
    assert len(changed_lines(report(old, new, full=True))) == 200


def test_c071_two_thousand_changes_print_a_page() -> None:
    old, new = (
        fixture([chat([{"role": "user", "content": f"{side} {n}"} for n in range(2_000)], "x")])
        for side in ("old", "new")
    )
    lines = report(old, new).splitlines()
    assert len(lines) < 80
    assert lines[-1] == "    … 1,981 more changes (--full shows them)"


def test_long_lines_show_what_surrounds_a_change_and_differ() -> None:
    old, new = (fixture([asks("word " * 400 + end)]) for end in ("end", "END"))
    first, second = changed_lines(report(old, new))
    assert len(first) < 100
    assert (first[-3:], second[-3:]) == ("end", "END")


@pytest.mark.parametrize(
    ("old", "new"),
    [("x y", "x  y"), ("x", "x "), ("é", "e\u0301"), ("a\u00a0b", "a b"), ("a\r", "a"), ("\x1b", "\\x1b"), ("ﬁ", "fi")],
)
def test_two_strings_never_print_alike(old: str, new: str) -> None:
    first, second = changed_lines(report(fixture([asks(old)]), fixture([asks(new)])))
    assert first[2:].split() != second[2:].split()


def test_what_redaction_makes_equal_is_said_to_differ() -> None:
    text = report(fixture([asks("key one")]), fixture([asks("key two")]), clean=lambda _: "[redacted]")
    assert changed_lines(text) == ["- [redacted]", "+ [redacted]   (differs in what is redacted)"]


def test_every_string_is_redacted_whole_before_it_is_cut() -> None:
    word = "hunter" + "2" * 6
    message = {"role": "user", "content": f"first\n{'pad ' * 200}{word}"}
    tool = {"type": "function", "function": {"name": word, "description": word, "parameters": {word: word}}}
    old = fixture(conversation())
    new = fixture([chat([message, *[{"role": "user", "content": "x"}] * 3], word, tools=[tool], user=word)], name=word)
    clean = lambda text: text.replace(word, "[redacted]")  # noqa: E731
    for full in (False, True):
        text = report(old, new, DiffOptions(responses=True, trace=True), full=full, clean=clean)
        assert "hunter" not in text
        assert "[redacted]" in text


def test_c114_escape_codes_are_shown_and_never_sent() -> None:
    codes = "\x1b[2J\x1b[1;1Hrefund: no semantic change\x1b]8;;https://example.invalid\x1b\\ \u202e"
    tool = {"type": "function", "function": {"name": codes, "parameters": {codes: codes}}}
    old = fixture(conversation(), name=codes)
    new = fixture(
        conversation(TWICE, system=codes, user=codes, model=codes, tools=[tool], final=codes), name=f"{codes}2"
    )
    for full in (False, True):
        text = report(old, new, DiffOptions(responses=True), full=full)
        assert re.search(r"\\x1b\[2J", text)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)


def test_a_line_break_in_a_name_forges_no_line() -> None:
    text = report(fixture([asks("x", model="m\nrefund: no semantic change")]), fixture([asks("x")]))
    assert "\nrefund: no semantic change" not in text


def test_rich_markup_is_text() -> None:
    text = report(fixture([asks("[/nope]")]), fixture([asks("[link=x]y[/link]")], name="[/nope]"))
    assert "[/nope]" in text
    assert "[link=x]y[/link]" in text


def test_colour_is_emphasis_only() -> None:
    old, new = fixture(conversation()), fixture(conversation(TWICE, system="other"))
    plain, coloured = report(old, new), report(old, new, color=True)
    assert re.sub(r"\x1b\[\d+m", "", coloured) == plain
    assert "\x1b[31m      - You refund once." in coloured


def test_several_fixtures_are_blocks_and_a_count() -> None:
    one = fixture(conversation())
    edited = fixture(conversation(user="Please hurry."))
    diffs = [diff_fixtures(one, edited), diff_fixtures(None, one), diff_fixtures(one, None), diff_fixtures(one, one)]
    lines = list(render_report(diffs, several=True))
    assert lines[-1] == "4 fixtures: 1 changed, 1 added, 1 removed, 1 without semantic change"
    assert "refund: added                                                     5 exchanges" in lines
    assert "refund: removed                                                   5 exchanges" in lines
    assert list(render_report([], several=True)) == ["no fixture differs"]


def test_a_new_name_is_in_the_headline() -> None:
    assert report(fixture([]), fixture([], name="later")) == "refund → later: no semantic change (0 exchanges)"
