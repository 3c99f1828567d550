"""What is called narrower really refuses something that was accepted before."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from stepfork.diff.schema_narrowing import narrowings

SCALARS: list[Any] = [None, True, False, "", "a", "b", "aa", "aaa", "aaaa", -9, -1, -0.5, 0, 0.5, 1, 2, 3, 4, 9]
LISTS = [list(items) for size in range(2) for items in itertools.product([*SCALARS, {}, []], repeat=size)]
OBJECTS = [
    dict(zip(names, (*values, 1), strict=False))
    for names in ((), ("a",), ("b",), ("a", "b"), ("zz",), ("a", "b", "zz"))
    for values in itertools.product(
        [None, True, "", "a", "aa", "aaa", "aaaa", -9, 0, 0.5, 1, 2, 9, []], repeat=min(len(names), 2)
    )
]
VALUES = [*SCALARS, *LISTS, *OBJECTS]

small = st.integers(0, 3)
leaves = st.one_of(
    st.just({}),
    st.sampled_from([{"type": kind} for kind in ("string", "number", "integer", "boolean", "null", "array", "object")]),
    st.just({"type": ["string", "null"]}),
    st.lists(st.sampled_from(["a", "b", 1, None, True]), min_size=1, max_size=3, unique_by=repr).map(
        lambda values: {"enum": values}
    ),
    st.builds(lambda low: {"type": "integer", "minimum": low}, small),
    st.builds(lambda high: {"type": "number", "exclusiveMaximum": high}, small),
    st.builds(lambda high: {"type": "string", "maxLength": high}, small),
)
schemas = st.one_of(
    leaves,
    st.builds(lambda items: {"type": "array", "items": items}, leaves),
    st.builds(lambda one, other: {"anyOf": [one, other]}, leaves, leaves),
    st.builds(
        lambda properties, required, more: (
            {"type": "object", "properties": properties, "required": required}
            | ({} if more is None else {"additionalProperties": more})
        ),
        st.dictionaries(st.sampled_from(["a", "b"]), leaves, max_size=2),
        st.lists(st.sampled_from(["a", "b"]), max_size=2, unique=True),
        st.sampled_from([None, False, True]),
    ),
)


@settings(deadline=None, max_examples=80)
@given(schemas, schemas)
def test_a_narrower_schema_refuses_what_was_accepted(old: Any, new: Any) -> None:
    found = narrowings(old, new)
    before, after = Draft202012Validator(old), Draft202012Validator(new)
    if found:
        assert any(before.is_valid(value) and not after.is_valid(value) for value in VALUES), found
