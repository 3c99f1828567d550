"""The page of a comparison: what it shows, and that it is one sound file."""

from __future__ import annotations

import random
from typing import Any

import pytest

from stepfork.cli.render.html import page as page_module
from stepfork.cli.render.html.changes import LINKS
from stepfork.cli.render.html.elements import element, user, words
from stepfork.cli.render.html.page import html_report
from stepfork.cli.render.html.rows import OPEN
from stepfork.cli.render.html.texts import CHANGED_LINES, LONGEST, text_pair
from stepfork.diff.fixture_diff import DiffOptions, diff_fixtures
from stepfork.trace.fixture import Fixture
from tests.unit.cli.html_page import HOSTILE, Page, as_it_is, check_page, edited
from tests.unit.diff.conversations import TURNS, asks, chat, conversation, fixture


def page_of(old: Fixture | None, new: Fixture | None, **options: Any) -> Page:
    diff = diff_fixtures(old, new, DiffOptions(responses=True, timeline=True))
    return check_page(html_report([diff], clean=options.pop("clean", as_it_is), **options))


def test_a_page_of_equal_fixtures_says_so_and_holds_all_exchanges() -> None:
    page = page_of(fixture(conversation()), fixture(conversation()))
    assert "no semantic change" in page.text
    assert page.texts["h4"] == [f"exchange {at}" for at in range(5)]
    assert "h3" in page.texts


def test_changes_come_with_links_to_their_exchanges() -> None:
    page = page_of(*edited())
    assert page.texts["h3"] == ["Changes", "Timeline"]
    assert page.attributes("href").count("#f0-x0") >= 3
    assert any(name.startswith("f0-c") for name in page.attributes("id"))


def test_what_changed_in_a_line_is_marked_word_by_word() -> None:
    page = page_of(*edited())
    assert "once" in page.texts["em"]
    assert "twice" in page.texts["em"]
    assert "− You refund once." in page.texts["del"]
    assert "+ You refund twice." in page.texts["ins"]


def test_what_became_of_a_thing_is_a_sign_and_a_word() -> None:
    assert {"= same", "~ changed", "+ added", "− removed", "↕ moved", "≈ as before"} <= set(
        page_of(*edited()).texts["b"]
    )


def test_what_does_not_hold_any_more_is_said() -> None:
    old, new = edited()
    diff = diff_fixtures(old, new)
    changes = tuple(_breaking(change) for change in diff.changes[:1])
    page = check_page(html_report([_with_changes(diff, changes)], clean=as_it_is))
    assert "BREAKING tool call <x> is gone" in page.text


def _breaking(change: Any) -> Any:
    import msgspec

    return msgspec.structs.replace(change, grade="breaking", breaks="tool call <x> is gone")


def _with_changes(diff: Any, changes: Any) -> Any:
    import msgspec

    return msgspec.structs.replace(diff, changes=changes)


def test_the_history_of_a_conversation_is_told_once() -> None:
    text = "a text that stands in every request " * 9
    run = fixture(conversation(user=text, system="s" * 400))
    assert page_of(run, run).html.count(text) == 1
    assert page_of(None, run).html.count(text) == 1
    assert page_of(run, run).html.count("s" * 400) == 1


def test_a_message_sent_again_to_another_conversation_is_told_once() -> None:
    text = "a long question " * 40
    run = fixture(
        [chat([{"role": "user", "content": text}, {"role": "user", "content": str(at)}], "ok") for at in range(3)]
    )
    assert page_of(run, run).html.count(text) == 1


def test_a_page_grows_with_what_is_said_and_not_with_its_square() -> None:
    draw = random.Random(1)

    def run(turns: int) -> Fixture:
        words = ["".join(draw.choices("abcdefgh", k=6)) for _ in range(60)]
        said: list[Any] = [[("look", {"n": at}, " ".join(draw.sample(words, 40)))] for at in range(turns)]
        return fixture(conversation(said))

    small, large = run(8), run(32)
    assert len(page_of(None, large).html) < 4.5 * len(page_of(None, small).html)


def test_an_enormous_text_is_cut_and_says_by_how_much() -> None:
    page = page_of(None, fixture([asks("x" * (LONGEST + 1234))]))
    assert "… 1,234 more characters" in page.text
    assert len(page.html) < LONGEST + 30_000
    lines = text_pair("\n".join(f"a{at}" for at in range(900)), "\n".join(f"b{at}" for at in range(900)), as_it_is)
    assert lines.count("<del>") == CHANGED_LINES
    assert f"{2 * (900 - CHANGED_LINES):,} more changed lines" in lines


def test_the_end_of_a_long_line_shows_its_change() -> None:
    shown = text_pair("x " * 5000 + "old end", "x " * 5000 + "new end", as_it_is)
    assert "<em>old</em> end" in shown
    assert "<em>new</em> end" in shown
    assert len(shown) < 1000


def test_a_long_text_that_is_equal_is_folded() -> None:
    text = "\n".join(f"line {at}" for at in range(50))
    assert text_pair(text, text, as_it_is).startswith("<details><summary>line 0<i>… 50 lines, ")


def test_two_lines_that_look_alike_are_spelled_out() -> None:
    shown = text_pair("Ａ b", "A b", as_it_is)  # noqa: RUF001
    assert "\\uff21 b" in shown
    assert "\\u0430b" in text_pair("\u0430b", "ab", as_it_is)  # a Cyrillic letter


def test_an_empty_first_line_is_there_for_a_parser_that_drops_one() -> None:
    assert text_pair("\nx", "\nx", as_it_is) == "<pre>\n\nx</pre>"


def test_a_change_of_many_exchanges_links_to_the_first_and_counts_the_rest() -> None:
    old, new = (fixture([asks(f"{n} of many", temperature=heat) for n in range(LINKS + 3)]) for heat in (0, 1))
    page = page_of(old, new)
    assert " and 3 more" in page.text


def test_of_exchanges_that_differ_the_first_are_open() -> None:
    old, new = (fixture([asks(f"{n} of many", temperature=n + heat) for n in range(OPEN + 3)]) for heat in (0, 0.5))
    page = page_of(old, new)
    rows = [found for tag, found in page.elements if tag == "details" and "row" in (found.get("class") or "").split()]
    assert ["open" in found for found in rows] == [True] * OPEN + [False] * 3


def test_texts_that_differ_only_in_what_is_redacted_say_so() -> None:
    def clean(text: str) -> str:
        return text.replace("one", "[redacted]").replace("two", "[redacted]")

    shown = text_pair("key one", "key two", clean)
    assert "one" not in shown
    assert "differs in what is redacted" in shown


def test_every_string_of_the_user_is_redacted_again() -> None:
    secret = "sk-made-" + "up-000"

    def clean(text: str) -> str:
        return text.replace(secret, "[redacted]")

    body = {"tools": [{"type": "function", "function": {"name": secret, "description": secret, "parameters": {}}}]}
    turns: list[Any] = [[(f"t_{secret}", {secret: secret}, f'{{"{secret}": "{secret}"}}')]]
    old = fixture(conversation(), name="refund")
    new = fixture(
        conversation(turns, system=secret, user=secret, final=secret, **{secret: secret}, **body), name=secret
    )
    odd = fixture([chat([{"role": secret, "content": "x"}], "ok")])
    for pair in ((old, new), (new, old), (None, new), (new, None), (old, odd)):
        assert secret not in page_of(*pair, clean=clean, unread=[secret]).html


@pytest.mark.parametrize("text", HOSTILE)
def test_no_string_of_a_fixture_becomes_markup(text: str) -> None:
    turns: list[Any] = [[(text, {text: text}, text), (text, {}, f'{{"a": "{text}')]]
    body = {"tools": [{"type": "function", "function": {"name": text, "description": text}}], text: text}
    new = fixture(conversation(turns, system=text, user=text, final=text, **body), name=text)
    bare = page_of(None, fixture([asks("a")]))
    for pair in ((fixture(conversation(TURNS[:1])), new), (new, None)):
        page = page_of(*pair, unread=[text])
        assert page.texts["script"] == bare.texts["script"]
        assert not set(page.text) & set("\x00\x1b\x07\x9b\r\t\u202e\u2066\u200b\ufeff\u2028")
        assert page.attributes("class")
        assert not {"src", "style", "onmouseover"} & {key for _, found in page.elements for key in found}


def test_what_is_spelled_out_is_told_from_a_text_that_spells_the_same() -> None:
    assert user("a\tb \\t") == "a<s-c>\\t</s-c>b \\t"


def test_an_attribute_is_never_the_users() -> None:
    with pytest.raises(AssertionError):
        element("p", words("x"), class_='"><script>')


def test_the_same_report_gives_the_same_bytes() -> None:
    assert page_of(*edited()).html == page_of(*edited()).html


def test_several_fixtures_have_a_table_with_what_may_break_first() -> None:
    old, new = edited()
    pairs = [
        (fixture([asks("a")], name="b"), fixture([asks("a")], name="b")),
        (None, fixture([asks("a")], name="a")),
        (old, new),
    ]
    diffs = [diff_fixtures(*pair) for pair in pairs]
    page = check_page(html_report(diffs, clean=as_it_is, unread=["broken: cannot be read"]))
    assert page.texts["caption"] == ["Fixtures, those with breaking changes first"]
    rows = [text for text in page.texts["th"] if text in ("a", "b", "refund")]
    assert rows == ["refund", "a", "b"]
    assert "broken: cannot be read" in page.text
    assert "Not compared" in page.texts["h2"]


def test_a_report_of_no_fixture_is_a_page_too() -> None:
    page = check_page(html_report([], clean=as_it_is))
    assert "no fixture differs" in page.text


def test_style_and_script_end_nowhere_but_at_their_end() -> None:
    for name in ("page.css", "page.js"):
        assert "</" not in page_module._asset(name)
        assert "<!--" not in page_module._asset(name)
