"""Scripts of any text are read without an error, and a text in quotes is found between whatever stands around it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stepfork.select.script import read_script
from stepfork.select.script_tokens import tokens_of

PIECES = st.sampled_from(
    [
        "'",
        '"',
        "`",
        "${",
        "}",
        "{",
        "/",
        "*/",
        "/*",
        "//",
        "\n",
        "\\",
        "<a ",
        "</a>",
        ">",
        "=",
        "x",
        "(",
        ")",
        "+",
        " ",
        "[",
    ]
)
WHOLE = st.sampled_from(
    [
        *("// it's\n", "/* ` */", "a / b;", "/['`]/.test(a);", "`x${'y'}z`;", "f('q');", "<p>don't</p>;", "{ let a; }"),
        *('"\\"";', "import './m';", "if (a < b) {}", "<A b='c'>{`d`}</A>;", "g`t`;", "x = y ? 1 : 2;"),
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_nothing_is_an_error_and_no_text_is_made_up(source: str) -> None:
    for markup in (True, False):
        for tokens in tokens_of(source, markup=markup).lists:
            assert all(value in source for kind, value in tokens if kind == "word" and value != ">")
    read_script(source.encode(), "a.tsx")


@given(st.lists(WHOLE, max_size=8), st.lists(WHOLE, max_size=8))
def test_a_text_between_whole_statements_is_found(before: list[str], after: list[str]) -> None:
    source = "\n".join([*before, 'load("refund");', *after])
    tokens = tokens_of(source, markup=True)
    assert not tokens.astray
    assert "refund" in read_script(source.encode(), "a.tsx").texts
