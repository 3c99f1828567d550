from hypothesis import given
from hypothesis import strategies as st

from stepfork.normalize.placeholders import (
    BY_VALUE,
    CONSTANT,
    SPELLINGS,
    Placeholder,
    escape,
    give_back,
    parse,
    unescape,
)
from tests.unit.normalize.typed_text import joined, written

numbers = st.integers(1, 10**9 - 1)
shapes = st.none() | st.from_regex(r"[A-Za-z0-9][A-Za-z0-9 ,.:+-]{0,20}", fullmatch=True)
placeholders = (
    st.builds(Placeholder, st.sampled_from(BY_VALUE), numbers)
    | st.builds(Placeholder, st.just("timestamp"), numbers, shapes)
    | st.builds(Placeholder, st.just("email"), numbers, st.sampled_from(SPELLINGS["email"]))
    | st.builds(Placeholder, st.sampled_from(CONSTANT))
)
# Text that is rich in what could be taken for a placeholder.
pieces = st.sampled_from(
    ["{", "}", "{{", "}}", "!", "id", "_1", "_", "timestamp", ":", "cwd", "{{id_1}}", "{{!cwd}}", "x"]
)
literals = st.text(max_size=8) | st.lists(pieces, max_size=8).map("".join) | placeholders.map(str)
typed_texts = st.lists(literals | placeholders, max_size=6).map(joined)


@given(typed_texts)
def test_parsing_gives_back_what_was_written(typed):
    assert parse(written(*typed)) == typed


@given(typed_texts)
def test_writing_what_was_parsed_changes_nothing(typed):
    text = written(*typed)
    assert written(*parse(text)) == text


@given(literals)
def test_escaping_is_undone_and_leaves_no_placeholder(literal):
    assert unescape(escape(literal)) == literal
    assert all(isinstance(piece, str) for piece in parse(escape(literal)))


@given(st.text(max_size=40) | literals)
def test_every_text_can_be_parsed(text):
    assert joined(parse(text)) == parse(text)


@given(typed_texts, st.text(alphabet="abc", max_size=5))
def test_giving_all_back_leaves_the_literals_as_they_were(typed, value):
    expected = "".join(piece if isinstance(piece, str) else value for piece in typed)
    assert give_back(written(*typed), lambda _: value) == expected
