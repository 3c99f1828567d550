"""Scripts of any text are read without an error, and a text in quotes is found between whatever stands around it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from stepfork.select.changed import FixtureChange, FixtureChanges
from stepfork.select.collection import Collection
from stepfork.select.script import read_script
from stepfork.select.script_layout import ScriptLayout
from stepfork.select.script_selection import select_scripts
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


NAMES = ("refund", "refund-2", "inc-1042", "2024", "größe/de", "a_b.c", "x")
PARTS = st.sampled_from(
    [*NAMES, "inc", "1042", "2", "fixtures/", ".stepfork/fixtures/", ".json", "-", "/", "*", "${n}", "de"]
)
WHOLES = ("fixtures/${n}", ".stepfork/fixtures/*.json", "${n}-1042", "${n}-2", "${n}1042", "fixtures/", ".stepfork")
TEXT = st.sampled_from([f"`{text}`" for text in WHOLES]) | st.tuples(
    st.sampled_from("'\"`"), st.lists(PARTS, min_size=1, max_size=3).map("".join)
).map(lambda pair: pair[0] + pair[1] + pair[0])
FORM = st.sampled_from(
    [
        "load({})",
        "n + {} + n",
        "join('.stepfork', 'fixtures', {})",
        "`stepfork replay\n  {}\n`",
        "<A b={{{}}} />",
        "n\n+ {}",
    ]
)


class Files:
    """One test file; ``sieved`` where the search looks at its lines, as git does."""

    def __init__(self, source: str, *, sieved: bool) -> None:
        self.data = source.encode()
        self.sieved = sieved

    def search(self, *patterns: str) -> Sequence[str]:
        lines = self.data.split(b"\n")
        found = any(re.search(pattern.encode(), line) for pattern in patterns for line in lines)
        return ["a.test.tsx"] if found or not self.sieved else []

    def under(self, folder: str) -> Sequence[str]:
        return ["a.test.tsx"]

    def read(self, path: str) -> bytes:
        return self.data

    def read_old(self, path: str) -> None:
        return None

    def fixture_names(self) -> Sequence[str]:
        return NAMES


@given(st.lists(st.tuples(FORM, TEXT), min_size=1, max_size=2), st.sampled_from(NAMES), st.booleans())
def test_the_search_leaves_no_file_out_that_names_a_fixture(
    parts: list[tuple[str, str]], name: str, is_unsure: bool
) -> None:
    source = "\n".join(form.format(text) for form, text in parts)
    changes = FixtureChanges((FixtureChange(name, "changed", "m.json"),))
    why = ["unsure"] if is_unsure else []
    layout = ScriptLayout("", Collection())
    all_, sieved = (
        select_scripts(changes, (), layout, Files(source, sieved=sieved), folder=".stepfork", everything=why)
        for sieved in (False, True)
    )
    assert sieved == all_
