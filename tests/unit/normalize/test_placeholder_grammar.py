import pytest

from stepfork.normalize.placeholders import Placeholder, escape, give_back, parse, unescape
from tests.unit.normalize.typed_text import written


@pytest.mark.parametrize(
    ("placeholder", "text"),
    [
        (Placeholder("id", 3), "{{id_3}}"),
        (Placeholder("email", 12), "{{email_12}}"),
        (Placeholder("timestamp", 1), "{{timestamp_1}}"),
        (Placeholder("timestamp", 2, "YYYY-MM-DD hh:mm:ss.fff"), "{{timestamp_2:YYYY-MM-DD hh:mm:ss.fff}}"),
        (Placeholder("cwd"), "{{cwd}}"),
    ],
)
def test_a_placeholder_has_one_spelling(placeholder, text):
    assert str(placeholder) == text
    assert parse(text) == (placeholder,)


@pytest.mark.parametrize(
    "literal",
    [
        "{{id_3}}",
        "{{!id_3}}",
        "{{!!cwd}}",
        "{{id_0}}",
        "{{id}}",
        "{{cwd_1}}",
        "{{timestamp_1:x!y}}",
        "{{user}} and {{ user }} and {{name}}",
        "{{{{id_1}}}}",
    ],
)
def test_text_that_looks_like_a_placeholder_is_escaped_and_stays_apart(literal):
    escaped = escape(literal)
    assert parse(escaped) == (literal,)
    assert all(isinstance(piece, str) for piece in parse(escaped))
    assert unescape(escape(literal)) == literal


def test_other_double_braces_are_left_alone():
    for text in ("{{name}}", "{{ cwd }}", "{{#if user}}", "{{id_x}}", "{{id_1", "{id_1}}", '{"a": {"b": {}}}'):
        assert escape(text) == text


@pytest.mark.parametrize(
    "typed",
    [
        ("{", Placeholder("id", 1), "}"),
        ("{{", Placeholder("id", 1), "}}"),
        ("{{!", Placeholder("id", 1)),
        ("{{id_", Placeholder("id", 1), "1}}"),
        (Placeholder("id", 1), Placeholder("id", 2)),
        (Placeholder("home"), "{{home}}", Placeholder("home")),
    ],
)
def test_a_literal_beside_a_placeholder_never_changes_it(typed):
    assert parse(written(*typed)) == typed


def test_giving_back_makes_the_text_that_was():
    text = written("run ", Placeholder("cwd"), "/a.py --template '{{cwd}}'")
    assert give_back(text, lambda _: "/srv/agent") == "run /srv/agent/a.py --template '{{cwd}}'"
    assert give_back("plain", lambda _: "never") == "plain"
    assert give_back("{{id_1}}", lambda _: None) == "{{id_1}}"
