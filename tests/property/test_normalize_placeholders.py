import json

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.normalize.normalize import normalize_exchange
from stepfork.normalize.own import OwnRules
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
from tests.unit.normalize.scripted import World, exchange
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


ORDERS = ("ORD-11aa22bb", "ORD-33cc44dd", "ORD-55ee66ff")
OWN = OwnRules(
    id_fields=("ref",), id_patterns=("ORD-[0-9a-f]{8}",), literal_fields=("sku",), literal_patterns=("kept",)
)


@settings(max_examples=150, deadline=None)
@given(st.lists(literals | st.sampled_from((*ORDERS, "kept", "ada@example.com")), max_size=8), st.booleans())
def test_own_rules_keep_placeholders_and_what_looks_like_one_apart(parts, in_json):
    text = " ".join(parts)
    content = json.dumps({"text": text, "sku": text}) if in_json else f"- {text}"
    world = World(1)
    context = msgspec.structs.replace(world.context(), own=OWN)
    sent = exchange("chat_completions", {"messages": [{"role": "user", "content": content}]}, {})
    made = normalize_exchange(sent, context)
    assert normalize_exchange(made, context, templated=True) == made
    told = made.request.body.value["messages"][0]["content"]
    found = list(dict.fromkeys(part for part in parts if part in ORDERS))

    def value(placeholder):
        return {"id": found[(placeholder.number or 1) - 1][4:] if found else "", "email": "ada@example.com"}.get(
            placeholder.kind
        )

    if in_json:
        assert json.loads(told)["sku"] == escape(text)
        assert give_back(json.loads(told)["text"], value) == text
    else:
        assert give_back(told, value) == content
    assert not any(order in told for order in ORDERS) or in_json
