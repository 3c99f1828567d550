"""The report as people read it."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from stepfork.cli.render.diff_markdown import markdown_report
from stepfork.cli.render.diff_text import render_report
from stepfork.cli.render.diff_words import BLOCK
from stepfork.diff.fixture_diff import DiffOptions, FixtureDiff, diff_fixtures
from stepfork.diff.text_diff import changed_lines as changed_lines_of
from stepfork.diff.text_diff import word_diff
from stepfork.diff.values import Change, FieldChange, Line, Usage
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
        "    exchange 1      assistant asks issue_refund twice, was once\n"
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


def test_an_exchange_that_is_gone_is_counted_on_the_old_side() -> None:
    old = fixture([asks("one"), asks("two", model="small"), asks("three")])
    text = report(old, fixture([asks("one", temperature=0.5), asks("three")]))
    assert re.search(r"^    - exchange .* +old exchange 1$", text, re.MULTILINE)
    assert "    params" in text
    assert "   exchange 0\n" in text


def test_what_an_unfolded_change_says_is_said_once() -> None:
    """Its name above its rows, or one line that says all of it."""
    rows = {
        "contracts": ("contract most", "contract most: at_most 1 → 2", FieldChange("/at_most", "changed", 1, 2)),
        "verification": ("verification", "verified → failed", FieldChange("/outcome", "changed", "verified", "failed")),
    }
    changes = [Change(s, "changed", "consequence", *said[:2], fields=(said[2],)) for s, said in rows.items()]  # type: ignore[arg-type]
    lines = (Line("-", "Hello."), Line("+", "Good day."))
    changes.append(
        Change("messages", "changed", "consequence", "assistant [2]", "assistant [2]  Hello. → Good day.", (1,), lines)
    )
    diff = FixtureDiff("refund", "changed", 2, 2, changes=tuple(changes))
    assert list(render_report([diff], full=True))[2:] == [
        "    contracts      most",
        "      ~ /at_most: 1 → 2",
        "    verification   verified → failed",
        "    exchange 1     assistant [2]",
        "      - Hello.",
        "      + Good day.",
    ]
    came = Change("contracts", "added", "consequence", "contract most", "+ contract most")
    cause = Change("system", "changed", "authored", "system", "system changed", (0,))
    folded = FixtureDiff("refund", "changed", 2, 2, changes=(cause, changes[0], came))
    assert list(render_report([folded]))[-2:] == ["    contracts   most: at_most 1 → 2", "    contracts   + most"]
    assert "contracts   most: at_most 1 → 2\ncontracts   + most\n" in "\n".join(markdown_report([folded]))
    page = "\n".join(markdown_report([diff], full=True))
    assert [page.count(said) for said in ("1 → 2", "failed", "Good day.")] == [1, 1, 1]


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
        "  tokens   300 → 400 in (+100), 30 → 40 out (+10)"
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
    assert re.sub(r"\x1b\[[\d;]+m", "", coloured) == plain
    assert "      \x1b[31m- \x1b[0m\x1b[31mYou refund once.\x1b[0m" in coloured


def test_the_words_that_changed_stand_out_where_lines_are_akin() -> None:
    new = fixture(conversation(system=SYSTEM.replace("once", "twice")))
    coloured = report(fixture(conversation()), new, color=True)
    assert "\x1b[31mYou refund \x1b[0m\x1b[7;31monce\x1b[0m\x1b[31m.\x1b[0m" in coloured
    assert "\x1b[7;32mtwice\x1b[0m" in coloured
    other = report(fixture(conversation()), fixture(conversation(system="Never lie, whatever they ask.")), color=True)
    assert "\x1b[7;" not in other


def test_several_fixtures_are_blocks_and_a_count() -> None:
    one = fixture(conversation())
    edited = fixture(conversation(user="Please hurry."))
    diffs = [diff_fixtures(one, edited), diff_fixtures(None, one), diff_fixtures(one, None), diff_fixtures(one, one)]
    lines = list(render_report(diffs, several=True))
    assert lines[-1] == "4 fixtures: 1 changed, 1 added, 1 removed, 1 without semantic change"
    assert "refund: added                                                     5 exchanges" in lines
    assert "refund: removed                                                   5 exchanges" in lines
    assert list(render_report([], several=True)) == ["no fixture differs"]


BROKEN = Change("tools", "removed", "authored", "refund", "- refund", grade="breaking", breaks="tool refund is gone")


def test_what_breaks_is_said_after_the_consequences_each_phrase_once() -> None:
    diff = diff_fixtures(fixture(conversation()), fixture(conversation(TWICE, system="other")))
    again = msgspec.structs.replace(BROKEN, exchanges=(3,))
    lines = list(render_report([msgspec.structs.replace(diff, changes=(*diff.changes, BROKEN, again))]))
    (at,) = [number for number, line in enumerate(lines) if "BREAKING" in line]
    assert lines[at] == "  BREAKING   tool refund is gone"
    assert at > lines.index("  consequences (folded, --full shows them)")


def test_many_breaking_changes_are_counted() -> None:
    many = tuple(msgspec.structs.replace(BROKEN, breaks=f"tool {number} is gone") for number in range(50))
    diff = FixtureDiff("refund", "changed", 1, 1, changes=many)
    lines = list(render_report([diff]))
    assert sum("BREAKING" in line for line in lines) == BLOCK - 1
    assert "  … 31 more breaking changes (--full shows them)" in lines
    assert sum("BREAKING" in line for line in render_report([diff], full=True)) == 50


def test_fixtures_with_breaking_changes_come_first() -> None:
    calm = diff_fixtures(fixture(conversation()), fixture(conversation(user="Please hurry."), name="a"))
    grave = FixtureDiff("z", "changed", 1, 1, changes=(BROKEN,))
    lines = list(render_report([calm, grave], several=True))
    assert lines[0].startswith("z: ")
    assert lines[-1] == "2 fixtures: 2 changed; 1 breaking"
    assert lines[-2] == ""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (Usage(10, 5), Usage(10, 5), []),
        (Usage(3914, 212), Usage(4020, 200), ["tokens   3,914 → 4,020 in (+106), 212 → 200 out (-12)"]),
        (Usage(10, 5), Usage(10, 6), ["tokens   10 in, 5 → 6 out (+1)"]),
        (Usage(10, 5), None, ["tokens   10 → unknown in, 5 → unknown out"]),
        (Usage(cost=0.1), Usage(cost=0.00012), ["cost     $0.10 → $0.00012 (-$0.09988)"]),
        (Usage(cost=1e-07), Usage(cost=1200.5), ["cost     $0.0000001 → $1,200.50 (+$1,200.4999999)"]),
        (None, Usage(cost=0.5), ["cost     unknown → $0.50"]),
        (None, None, []),
    ],
)
def test_tokens_and_cost_say_their_difference(old: Usage | None, new: Usage | None, told: list[str]) -> None:
    diff = FixtureDiff("refund", "changed", 1, 1, changes=(BROKEN,), usage=(old, new))
    lines = [line.strip() for line in render_report([diff])]
    assert [line for line in lines if line.startswith(("tokens", "cost"))] == told


def test_a_fixture_that_came_says_what_it_used() -> None:
    diff = FixtureDiff("refund", "added", 0, 2, usage=(None, Usage(1200, 34, 0.02)))
    assert list(render_report([diff]))[1:] == ["  tokens   1,200 in, 34 out", "  cost     $0.02"]


def test_no_line_of_a_recording_is_a_command_for_a_build() -> None:
    command = "::error::all is lost\n##[add-mask]x ::notice::y"
    calls = [chat([{"role": command, "content": command}], command, model=command)]
    diff = diff_fixtures(fixture([asks("x")]), fixture(calls, name=command), DiffOptions(responses=True))
    for full in (False, True):
        for line in render_report([diff], full=full):
            assert not line.lstrip().startswith("::")
            assert "##[" not in line


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("start", "start\nadded \u0430\nadded a"),
        ("start", f"start\n{'x' * 400}1{'y' * 100}\n{'x' * 400}2{'y' * 100}"),
        ("start", "start\nends in a blank \nends in a blank"),
    ],
)
def test_rows_of_one_change_never_look_alike(old: str, new: str) -> None:
    rows = changed_lines(report(fixture([asks(old)]), fixture([asks(new)])))
    assert len(rows) == len({row[2:] for row in rows})
    assert all(row.isascii() or "…" in row for row in rows)


def test_a_path_that_could_be_read_as_something_else_is_in_quotes() -> None:
    old, new = {"a: 1 → 2": 1, "plain/key": 1}, {"a: 1 → 2": 3, "plain/key": 2}
    text = report(fixture([asks("x", metadata=old)]), fixture([asks("x", metadata=new)]))
    assert changed_lines(text.replace("~", "+")) == [
        '+ "/metadata/a: 1 → 2": 1 → 3',
        "+ /metadata/plain~1key: 1 → 2".replace("~1", "+1"),
    ]


def test_long_lines_that_pair_show_their_change_and_are_whole_in_full() -> None:
    rule = "Always ask for the order's number before you refund, and never refund more than {} per order and day."
    old, new = (fixture([asks(rule.format(word))]) for word in ("once", "twice"))
    rows = changed_lines(report(old, new))
    assert all(len(row) <= 72 for row in rows)
    assert [word in row for word, row in zip(("once", "twice"), rows, strict=True)] == [True, True]
    assert changed_lines(report(old, new, full=True)) == [f"- {rule.format('once')}", f"+ {rule.format('twice')}"]


def test_what_shows_the_rest_is_said_as_the_caller_says_it() -> None:
    new = fixture(conversation(TWICE, system=SYSTEM.replace("once", "twice")))
    text = report(fixture(conversation()), new, how="stepfork diff refund --full")
    assert "  consequences (folded, stepfork diff refund --full shows them)" in text
    assert "  consequences (folded)\n" in report(fixture(conversation()), new, how="")


def test_a_new_name_is_in_the_headline() -> None:
    assert report(fixture([]), fixture([], name="later")) == "refund → later: no semantic change (0 exchanges)"


def test_rows_that_are_left_out_are_counted_and_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr(
        "stepfork.cli.render.diff_lines.word_diff",
        lambda old, new, width: made.append(old) or word_diff(old, new, width),
    )
    old, new = ("\n".join(f"{side} line {number}" for number in range(500)) for side in ("old", "new"))
    change = Change("system", "changed", "authored", "", "system", lines=changed_lines_of(old, new))
    fields = tuple(FieldChange(f"/{number}", "changed", f"old {number}", "new" * 20) for number in range(500))
    lines = list(render_report([of_one(change), of_one(msgspec.structs.replace(change, lines=(), fields=fields))]))
    assert [line.strip() for line in lines if "more" in line] == ["… 981 more changed lines (--full shows them)"] * 2
    assert len(made) <= 2 * BLOCK


def of_one(change: Change) -> FixtureDiff:
    return FixtureDiff("refund", "changed", 1, 1, changes=(change,))
