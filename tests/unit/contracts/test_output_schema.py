from __future__ import annotations

from typing import Any

import pytest

from stepfork.contracts.output_schema import DEPTH, schema_of, schema_problem, violations

ORDER = {"order": "O-1042", "paid": True, "lines": [{"sku": "a", "n": 1}, {"sku": "b", "n": 2.5, "gift": None}]}


def test_the_schema_of_an_output_is_its_keys_and_their_types() -> None:
    line = {"gift": {"type": "null"}, "n": {"type": "number"}, "sku": {"type": "string"}}
    assert schema_of(ORDER) == {
        "type": "object",
        "properties": {
            "lines": {
                "type": "array",
                "items": {"type": "object", "properties": line, "required": ["n", "sku"]},
            },
            "order": {"type": "string"},
            "paid": {"type": "boolean"},
        },
        "required": ["lines", "order", "paid"],
    }
    assert schema_of([1, "a", []]) == {"type": "array", "items": {"type": ["array", "number", "string"]}}
    assert schema_of([]) == {"type": "array"}


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ({**ORDER, "order": "O-7", "paid": False, "more": 1}, []),
        ({**ORDER, "lines": []}, []),
        ({**ORDER, "paid": 1}, ["/paid is a number, not a boolean"]),
        ({**ORDER, "order": 7}, ["/order is a number, not a string"]),
        ({**ORDER, "lines": [{"sku": "a", "n": True}]}, ["/lines/0/n is a boolean, not a number"]),
        ({"order": "x", "paid": True}, ["the output lacks lines"]),
        ({"lines": [{"n": 1}], "paid": True}, ["/lines/0 lacks sku", "the output lacks order"]),
        ([], ["the output is an array, not an object"]),
        ("text", ["the output is a string, not an object"]),
        (None, ["the output is null, not an object"]),
    ],
)
def test_what_another_output_breaks_is_told_without_its_values(other: Any, expected: list[str]) -> None:
    assert violations(other, schema_of(ORDER)) == expected


def test_many_violations_end_in_a_count() -> None:
    schema = schema_of({str(number): 1 for number in range(9)})
    assert violations(dict.fromkeys(map(str, range(9)), "x"), schema) == [
        "/0 is a string, not a number",
        "/1 is a string, not a number",
        "/2 is a string, not a number",
        "6 more",
    ]


def test_other_keywords_are_named() -> None:
    assert violations({"a": "secret"}, {"properties": {"a": {"const": "b"}}}) == ["/a does not satisfy const"]
    assert violations(1, False) == ["the output does not satisfy the schema"]


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/absent"},
        {"$ref": "http://127.0.0.1:9/never-fetched.json"},
        {"$ref": "#"},
        {"type": "no such type"},
        {"pattern": "("},
        {"required": "a"},
        3,
        None,
    ],
)
def test_a_schema_that_cannot_be_used_refuses_everything(schema: Any) -> None:
    assert violations("a", schema)


def test_schemas_are_told_from_what_is_none() -> None:
    assert schema_problem({}) is None
    assert schema_problem(True) is None
    assert schema_problem({"properties": {"a": {"type": "sting"}}}) == ("at /properties/a/type it is no JSON Schema")
    assert schema_problem([]) is not None


def test_what_lies_too_deep_may_be_anything() -> None:
    deep: Any = 1
    for _ in range(200):
        deep = [deep]
    text = repr(schema_of(deep))
    assert text.count("items") == DEPTH
    assert violations(deep, schema_of(deep)) == []
