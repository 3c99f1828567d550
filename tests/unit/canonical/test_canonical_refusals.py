"""What has no canonical form, as a value and as a text: each is refused by the name of its rule."""

from __future__ import annotations

import datetime as dt
from collections import OrderedDict
from typing import Any

import pytest

from stepfork.canonical.encode import MAX_DEPTH, dumps
from stepfork.canonical.names import is_name
from stepfork.canonical.parse import parse, parse_encoded
from stepfork.errors import CanonicalError


def nested(levels: int, value: Any = 0) -> Any:
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (float("nan"), "not finite"),
        ([None, float("inf")], "not finite"),
        ({"cost": float("-inf")}, "not finite"),
        (2**64, "outside 64 bits"),
        (-(2**63) - 1, "outside 64 bits"),
        (10**4000, "outside 64 bits"),
        ("\ud83d", "lone surrogate"),
        ({"\udc00": 1}, "lone surrogate"),
        ({1: "x"}, "a key that is not a string"),
        ({None: "x"}, "a key that is not a string"),
        (b"bytes", "a bytes"),
        ({"x": {1, 2}}, "a set"),
        (dt.datetime(2026, 1, 1, tzinfo=dt.UTC), "a datetime"),
        (OrderedDict(a=1), "a OrderedDict"),
        (object(), "a object"),
        (nested(MAX_DEPTH + 1), "nested more than"),
        (nested(100_000), "nested more than"),
    ],
)
def test_a_value_without_a_canonical_form(value: Any, rule: str) -> None:
    with pytest.raises(CanonicalError, match=rule):
        dumps(value)


def test_a_null_beside_a_number_is_no_reason_to_refuse() -> None:
    assert dumps([None, 1e300, -1e300]) == b"[\n  null,\n  1e+300,\n  -1e+300\n]\n"


def test_the_deepest_value_goes_both_ways() -> None:
    value = nested(MAX_DEPTH)
    assert parse(dumps(value)) == value
    for innermost in (0, [], {}, " " * 600):
        assert parse(dumps(nested(MAX_DEPTH - 1, innermost))) == nested(MAX_DEPTH - 1, innermost)
    for innermost in ([], {}, [" " * 600]):
        with pytest.raises(CanonicalError, match="nested more than"):
            dumps(nested(MAX_DEPTH, innermost))
    with pytest.raises(CanonicalError, match="nested more than"):
        parse(b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1))


@pytest.mark.parametrize("levels", [255, 300, 1024, 1025, 2000, 100_000])
def test_a_deep_text_is_refused_in_words(levels: int) -> None:
    for opened, closed in ((b"[", b"]"), (b'{"a":', b"}")):
        inner = b"0" if opened != b"[" else b""
        with pytest.raises(CanonicalError, match=r"nested more than|invalid JSON"):
            parse(opened * levels + inner + closed * levels)


def test_the_error_says_where_and_never_quotes() -> None:
    with pytest.raises(CanonicalError) as invalid:
        parse('{"key": "sesame-open",\n  oops}')
    assert str(invalid.value) == "invalid JSON at line 2 column 3"
    with pytest.raises(CanonicalError) as utf8:
        parse(b'{"key": "sesame\xff"}')
    assert str(utf8.value) == "invalid UTF-8 at byte 15"
    with pytest.raises(CanonicalError) as twice:
        parse('{"sesame": 1, "sesame": 2}')
    assert "sesame" not in str(twice.value)


@pytest.mark.parametrize(
    "text",
    [
        '{"a" :1,"a":2}',
        '{"a":1 , "a" : 2}',
        '{"a\\"":1,"a\\u0022":2}',
        '{"\\u0061":1,"a":2}',
        '{"a":"\\u0022\\u0022","a":1}',
        '{"a":{"b":1,"b":{"c":"\\":\\":"}}}',
    ],
)
def test_equal_keys_are_seen_however_they_are_spelled(text: str) -> None:
    with pytest.raises(CanonicalError, match="two members"):
        parse(text)


@pytest.mark.parametrize(
    "text", ['{"x":"\\\\u0022"}', '{"a:":":","b":"\\u003a\\":"}', '{"a": {"a": 1}, "b": {"a": 1}}']
)
def test_likenesses_of_equal_keys_are_not_refused(text: str) -> None:
    assert isinstance(parse(text), dict)


def test_the_checks_give_the_canonical_bytes_for_nothing() -> None:
    value, encoded = parse_encoded(b'{"b":1e15,"a":[true]}')
    assert encoded == dumps(value)


def test_what_is_the_name_of_an_object() -> None:
    assert is_name("a" * 64)
    for other in (
        "a" * 63,
        "a" * 65,
        "A" * 64,
        "g" * 64,
        "../" + "a" * 61,
        "a" * 64 + "\n",
        "٣" * 64,
        None,
        1,
        b"a" * 64,
    ):
        assert not is_name(other)
