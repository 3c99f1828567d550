"""Whatever a tool takes or gives is written without a question to it that could fail, and comes back as what it was."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepfork.canonical.encode import dumps
from stepfork.canonical.parse import parse
from stepfork.instrument.failures import encode_exception, restore_exception
from stepfork.instrument.tagged import decode, encode
from tests.property import tagged_values
from tests.property.tagged_values import NASTY, VALUES


def same(one: Any, other: Any) -> bool:
    """Equal, of equal classes, and so is all that they hold."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return len(one) == len(other) and all(
            key in other and same(item, other[key]) and any(type(key) is type(kept) and key == kept for kept in other)
            for key, item in one.items()
        )
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float):
        return repr(one) == repr(other)
    return bool(one == other)


@given(VALUES)
def test_a_value_of_a_known_type_comes_back_equal_through_a_file(value: Any) -> None:
    stored = parse(dumps(encode(value)))

    assert same(decode(stored), value)
    assert encode(decode(stored)) == stored


@given(VALUES)
def test_what_is_decoded_is_new_each_time(value: Any) -> None:
    tag = encode(value)
    kept = copy.deepcopy(tag)
    for made in (decode(tag), decode(tag)):
        if isinstance(made, list):
            made.append(1)
        elif isinstance(made, dict):
            made.clear()
        elif isinstance(made, set):
            made.add(object)

    assert tag == kept
    assert same(decode(tag), value)


AROUND: list[Callable[[Any], Any]] = [
    lambda held: held,
    lambda held: [held, 2],
    lambda held: ({"held": held}, {held: 1}),
    lambda held: tagged_values.Plain(tagged_values.Model.model_construct(held=held)),
    ValueError,
]


@pytest.mark.parametrize("index", range(len(NASTY)))
def test_nothing_that_a_value_does_is_seen(index: int) -> None:
    for around in AROUND:
        try:
            value = around(NASTY[index])
        except TypeError:  # no key
            continue

        stored = dumps(encode(value))

        decode(parse(stored))
        assert len(stored) < 10_000_000


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda held: (
        st.lists(held, max_size=4)
        | st.dictionaries(st.sampled_from(["$py", "type", "value", "name", "args", "message", "unset"]), held)
    ),
    max_leaves=10,
)
_KINDS = st.sampled_from(
    ["datetime", "time", "dict", "list", "enum", "dataclass", "namedtuple", "model", "struct", "attrs", "exception",
     "stream", "generator", "opaque", "bytes", "str", "int", "float", "path", "set", "deque", "own", "later", 3, None]
)  # fmt: skip
_TYPES = st.sampled_from(
    [f"{tagged_values.__name__}:{name}" for name in ("Plain", "Model", "Struct", "Attrs", "Point", "Color", "OwnDict")]
    + [
        "builtins:ValueError",
        "builtins:OSError",
        "builtins:object",
        "os:system",
        "subprocess:Popen",
        "nothing:Here",
        ":",
    ]
)


@given(st.fixed_dictionaries({"$py": _KINDS}, optional={"type": _TYPES | _JSON, "value": _JSON, "args": _JSON}), _JSON)
def test_a_damaged_tag_is_a_value_too(tag: dict[str, Any], held: Any) -> None:
    made = decode({**tag, "message": held})

    encode(made)
    decode(held)
    with_error = restore_exception(encode_exception(ValueError("x"))[0], {**tag, "message": held})
    assert isinstance(with_error, BaseException)


@given(st.lists(VALUES, max_size=3), st.sampled_from([ValueError, KeyError, OSError, ExceptionGroup, StopIteration]))
def test_exceptions_come_back(args: list[Any], kind: Any) -> None:
    try:
        error = kind(*args)
    except TypeError:
        return
    told, tag = encode_exception(error)

    again = restore_exception(told, parse(dumps(tag)))

    assert type(again) is type(error)
    assert same(again.args, error.args)
