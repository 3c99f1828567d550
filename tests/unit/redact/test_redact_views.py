"""A text with its escapes undone, of each kind and in each order, and the way back."""

from __future__ import annotations

import html
import json
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepfork.redact import views as module
from stepfork.redact.folds import folds, unbroken
from stepfork.redact.views import MAX_DEPTH, View, undone, views


@pytest.mark.parametrize(
    ("escaped", "says"),
    [
        (r"a\u0041\x42\103\"\'\/\\\n", "aABC\"'/\\\n"),
        (r"\u{1F600}\U0001F600\ud83d\ude00", "😀😀😀"),
        (r"\xc3\xa9\303\251 \xe9", "éé é"),
        (r"sk\-a\_b\ c\$", "sk-a_b c$"),
        ("%41%c3%A9%ff", "AÃ©ÿ"),
        ("%41%c3%A9", "Aé"),
        ("&amp;&#65;&#x41;&eacute;&nbsp;&apos;", "&AAé\xa0'"),
        ("s\0e\0c\0r\0e\0t\0 \0x\0", "secret x"),
        ("\0s\0e\0c\0r\0e\0t\0 \0x", "secret x"),
    ],
)
def test_escapes_of_each_kind(escaped: str, says: str) -> None:
    found = list(views(f"<{escaped}>"))
    assert f"<{says}>" in [view.text for view in found]
    for view in found:
        assert [view.original(0), view.original(len(view.text))] == [0, len(escaped) + 2]


@pytest.mark.parametrize(
    "text",
    ["plain", r"\d \1 \u12 \x4 \U00 \u{} \u{1234567}", "100% %zz %", "a & b &; &#; &bogus; &#99999999;", "\0a\0b", "+"],
)
def test_what_is_no_escape_is_left_alone(text: str) -> None:
    assert {view.text for view in views(text)} == {text}
    assert undone(text) == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("%2525253C", "<"),
        ("&amp;amp;lt;", "<"),
        (r"\\\\u003c", "<"),
        (r"%5Cu0026lt;", "<"),
        ("&#37;3C", "<"),
        (r"\u0025\u0033C", "<"),
    ],
)
def test_escapes_in_escapes(text: str, says: str) -> None:
    assert says in [view.text for view in views(text)]
    assert undone(text) == says


def test_a_form_has_plus_signs_for_blanks() -> None:
    assert "a b+c" in [view.text for view in views("a+b%2Bc")]
    assert "a b" not in [view.text for view in views("a+b")]


ENCODERS = {
    "json": lambda text: json.dumps(text)[1:-1],
    "json, utf-8": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "by number": lambda text: "".join(f"\\u{ord(char):04x}" for char in text),
    "percent": lambda text: urllib.parse.quote(text, safe=""),
    "path": urllib.parse.quote,
    "form": urllib.parse.quote_plus,
    "html": html.escape,
    "html, by number": lambda text: "".join(f"&#{ord(char)};" for char in text),
}


@given(
    st.text(st.sampled_from("aZ09 \"'\\/&<>%+=\né"), min_size=1, max_size=8),
    st.lists(st.sampled_from(sorted(ENCODERS)), max_size=MAX_DEPTH),
)
def test_whatever_encoders_do_one_after_another_is_undone(text: str, encoders: list[str]) -> None:
    spelled = text
    for encoder in encoders:
        spelled = ENCODERS[encoder](spelled)
    found = [view.text for view in views(spelled)]
    assert not {text, text.replace(" ", "+")}.isdisjoint(found) or len(found) == module._MOST


escapes = st.sampled_from(["\\", "u0025", "n", "%", "5C", "26", "25", "&", "amp;", "#92;", "#37;", "x", "+", "a\0" * 8])


@given(st.lists(escapes | st.text(max_size=3), max_size=8).map("".join))
def test_every_place_of_a_view_leads_back(text: str) -> None:
    for view in views(text):
        places = [view.original(index) for index in range(len(view.text) + 1)]
        assert places == sorted(places)
        assert places[-1] == len(text) if view.text else True
        assert all(0 <= place <= len(text) for place in places)


BLOB = "QUJD" * 30


@pytest.mark.parametrize("width", [40, 60, 64, 76])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n    "])
def test_lines_of_base64_belong_together(width: int, end: str) -> None:
    text = "see\n" + end.join(BLOB[index : index + width] for index in range(0, len(BLOB), width)) + "\nso"
    joined = next(iter(folds(View(text))))
    assert BLOB in joined.text.replace("\r", "")
    assert joined.original(len(joined.text)) == len(text)


def test_lines_of_other_texts_do_not() -> None:
    assert list(folds(View("one line\nand another\n" * 9))) == []
    assert list(folds(View("a = 20\nif a == 30:\n    b=40"))) == []


@pytest.mark.parametrize("length", [9, 10, 40, 41, 100, 1000])
def test_of_a_broken_text_one_part_is_whole(length: int) -> None:
    core = "".join(chr(0x100 + index) for index in range(length))
    parts = unbroken(core)
    assert "".join(parts) == core
    for first in range(1, 41):
        lines = [core[:first], *(core[index : index + 40] for index in range(first, length, 40))]
        assert any(part in line for line in lines for part in parts)
