"""Canonical JSON over any value: exact there and back, blind to key order, equal to a second encoder."""

from __future__ import annotations

import contextlib
import json
import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stepfork.canonical.encode import dumps
from stepfork.canonical.order import order_of, with_order
from stepfork.canonical.parse import parse
from stepfork.errors import CanonicalError
from stepfork.trace.wire import body_bytes, body_from_json, body_to_json, read_body
from tests.golden.naive_canonical import encode

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(['"', "\\", "\u2028", "\x00"])
NUMBERS = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=5), max_leaves=20
)


def typed(value: Any) -> Any:
    """A value that is equal only to one of the same types."""
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    return (type(value).__name__, repr(value))


def shuffled(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict):
        items = [(key, shuffled(item, chance)) for key, item in value.items()]
        chance.shuffle(items)
        return dict(items)
    return [shuffled(item, chance) for item in value] if isinstance(value, list) else value


@given(VALUES)
def test_there_and_back(value: Any) -> None:
    data = dumps(value)
    assert typed(parse(data)) == typed(value)
    assert dumps(parse(data)) == data
    assert data == encode(value)
    assert typed(parse(json.dumps(value))) == typed(value)


@given(VALUES, st.randoms(use_true_random=False))
def test_key_order_never_matters(value: Any, chance: random.Random) -> None:
    assert dumps(shuffled(value, chance)) == dumps(value)


@given(VALUES, VALUES)
def test_equal_bytes_are_equal_values(one: Any, other: Any) -> None:
    assert (dumps(one) == dumps(other)) == (typed(one) == typed(other))


@given(VALUES, st.randoms(use_true_random=False))
def test_the_order_of_members_comes_back(value: Any, chance: random.Random) -> None:
    recorded = shuffled(value, chance)
    back = with_order(parse(dumps(recorded)), order_of(recorded))
    assert json.dumps(back) == json.dumps(recorded)


@given(VALUES, st.text(max_size=8))
def test_any_order_string_gives_a_value_or_our_error(value: Any, order: str) -> None:
    with contextlib.suppress(CanonicalError):
        assert typed(with_order(value, order)) == typed(value)


@given(st.binary(max_size=80) | st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_give_a_value_or_our_error(data: bytes) -> None:
    try:
        value = parse(data)
    except CanonicalError:
        return
    assert typed(parse(dumps(value))) == typed(value)


MEDIA = st.sampled_from(["", "application/json", "Application/JSON; charset=utf-8", "text/event-stream", "text/plain"])
JSON_TEXTS = VALUES.map(json.dumps) | VALUES.map(lambda value: json.dumps(value, indent=1, ensure_ascii=False))
RAW = st.binary(max_size=60) | (JSON_TEXTS | st.text(st.characters(exclude_categories=["Cs"]))).map(str.encode)


@given(RAW, MEDIA, st.booleans())
def test_a_body_is_given_back(raw: bytes, media: str, streamed: bool) -> None:
    body = read_body(raw, media, streamed=streamed)
    back = body_from_json(parse(dumps(body_to_json(body))))
    assert back == body
    given_back = body_bytes(back)
    if given_back != raw:  # then it is JSON, equal in value, type and order of members
        assert typed(json.loads(given_back)) == typed(json.loads(raw))
        assert json.dumps(json.loads(given_back)) == json.dumps(json.loads(raw))
