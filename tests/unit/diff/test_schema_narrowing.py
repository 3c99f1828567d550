"""Which changes of a schema take something away, and which do not or cannot be told."""

from __future__ import annotations

from typing import Any

import pytest

from stepfork.diff.schema_narrowing import narrowings


def members(required: tuple[str, ...] = (), more: Any = None, **properties: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "object", "properties": properties}
    made |= {"required": list(required)} if required else {}
    return made if more is None else made | {"additionalProperties": more}


TEXT, NUMBER, INTEGER, NULL = ({"type": kind} for kind in ("string", "number", "integer", "null"))
NODE = {"$defs": {"node": members(next={"$ref": "#/$defs/node"}, value=TEXT)}, "$ref": "#/$defs/node"}
NARROWED: list[tuple[Any, Any, str]] = [
    (TEXT, NUMBER, "/type"),
    (NUMBER, INTEGER, "/type"),
    ({}, TEXT, "/type"),
    (True, False, "/type"),
    (TEXT, False, "/type"),
    ({"type": ["string", "null"]}, TEXT, "/type"),
    ({"anyOf": [TEXT, NULL]}, TEXT, "/type"),
    ({"oneOf": [TEXT, NULL]}, {"type": ["string", "number"]}, "/type"),
    ({"anyOf": [TEXT, NULL]}, {"anyOf": [{"type": "string", "maxLength": 3}, NULL]}, "/maxLength"),
    ({"enum": ["a", "b"]}, {"enum": ["a"]}, "/enum"),
    ({"enum": ["a", "b"]}, {"const": "b"}, "/enum"),
    ({"enum": ["a", 1]}, TEXT, "/enum"),
    ({"enum": [True]}, {"enum": [1]}, "/enum"),
    (TEXT, {"type": "string", "enum": ["a"]}, "/enum"),
    (TEXT, {"const": "a"}, "/const"),
    ({"type": "boolean"}, {"const": True}, "/const"),
    (members(a=TEXT), members(("a",), a=TEXT), "/required/0"),
    (members(("a",), a=TEXT), members(("a", "b"), a=TEXT, b=TEXT), "/required/1"),
    (members(a=TEXT, b=TEXT), members(more=False, a=TEXT), "/properties/b"),
    (members(a=TEXT), members(more=NUMBER), "/properties/a/type"),
    (members(more=True), members(more=False), "/additionalProperties"),
    (members(more=TEXT), members(more=NUMBER), "/additionalProperties/type"),
    (members(more=TEXT), members(more=TEXT, a=NUMBER), "/properties/a/type"),
    (members(a=members(b=TEXT)), members(a=members(b=NUMBER)), "/properties/a/properties/b/type"),
    (members(**{"a/b": TEXT}), members(**{"a/b": NUMBER}), "/properties/a~1b/type"),
    ({"type": "array"}, {"type": "array", "items": TEXT}, "/items/type"),
    ({"type": "array", "items": NUMBER}, {"type": "array", "items": TEXT}, "/items/type"),
    ({"type": "array"}, {"type": "array", "maxItems": 3}, "/maxItems"),
    ({"type": "array"}, {"type": "array", "uniqueItems": True}, "/uniqueItems"),
    (NUMBER, {"type": "number", "minimum": 0}, "/minimum"),
    ({"type": "number", "minimum": 0}, {"type": "number", "exclusiveMinimum": 0}, "/exclusiveMinimum"),
    ({"type": "number", "maximum": 9}, {"type": "number", "maximum": 8.5}, "/maximum"),
    ({"type": "integer", "exclusiveMaximum": 9}, {"type": "integer", "maximum": 7}, "/maximum"),
    ({"type": "integer"}, {"type": "integer", "multipleOf": 2}, "/multipleOf"),
    ({"type": "number", "multipleOf": 2}, {"type": "number", "multipleOf": 4}, "/multipleOf"),
    ({"type": "string", "minLength": 1}, {"type": "string", "minLength": 2}, "/minLength"),
    (TEXT, {"type": "string", "pattern": "^[0-9]+$"}, "/pattern"),
    (members(), members() | {"minProperties": 1}, "/minProperties"),
    (NODE, NODE | {"$defs": {"node": members(next={"$ref": "#/$defs/node"}, value=NUMBER)}}, "/properties/value/type"),
    ({"allOf": [TEXT]}, {"allOf": [NUMBER]}, "/type"),
    ({"anyOf": [TEXT, NULL], "x-order": 1}, {"type": "string", "x-order": 1}, "/type"),
    (NUMBER, {"type": ["integer", "number"], "minimum": 0}, "/minimum"),
    ({"enum": [1.5, 2]}, INTEGER, "/enum"),
]
KEPT: list[tuple[Any, Any]] = [
    (TEXT, TEXT),
    (TEXT, {}),
    (TEXT, {"type": ["string", "null"]}),
    (TEXT, {"anyOf": [TEXT, NULL], "description": "more"}),
    ({"anyOf": [TEXT, NULL]}, {"type": ["null", "string"]}),
    (INTEGER, NUMBER),
    ({"type": ["integer", "number"]}, NUMBER),
    ({"type": "number", "multipleOf": 3}, INTEGER),
    ({"enum": ["a"]}, {"enum": ["a", "b"]}),
    ({"enum": ["a"]}, TEXT),
    ({"enum": [1]}, {"enum": [1.0]}),
    ({"type": "boolean"}, {"enum": [False, True]}),
    (NULL, {"const": None}),
    ({"type": "string", "maxLength": 1, "pattern": "[ab]"}, {"enum": ["a", "b"]}),
    (members(("a",), a=TEXT), members(a=TEXT)),
    (members(a=TEXT), members(a=TEXT, b=TEXT)),
    (members(more=False, a=TEXT), members(more=False, a=TEXT, b=TEXT)),
    (members(a=TEXT, b=TEXT), members(a=TEXT)),
    (members(a=TEXT), members(more=False, a=TEXT)),
    (members(more=False, a=TEXT), members(a=TEXT)),
    (members(("a",), a=TEXT), members(("a",), a=TEXT) | {"minProperties": 1}),
    (members(more=False, a=TEXT), members(more=False, a=TEXT) | {"maxProperties": 1}),
    ({"type": "integer", "exclusiveMinimum": 0}, {"type": "integer", "minimum": 1}),
    ({"type": "number", "minimum": 0}, {"type": "number", "minimum": -1}),
    (INTEGER, {"type": "integer", "multipleOf": 0.5}),
    (TEXT, {"type": "string", "minimum": 4, "minItems": 2, "required": ["a"]}),
    (TEXT, {"type": "string", "format": "date", "description": "a day"}),
    (TEXT, {"type": "string", "pattern": ".*"}),
    ({"type": "string", "pattern": "^[0-9]{4}$"}, {"type": "string", "pattern": "^[0-9]{4}$", "minLength": 4}),
    ({"type": "array", "maxItems": 0}, {"type": "array", "maxItems": 0, "items": TEXT}),
    (NODE, NODE),
    ({"type": "array", "maxItems": 1}, {"type": "array", "maxItems": 1, "uniqueItems": True}),
    ({"type": "string", "maxLength": 1}, {"type": "string", "maxLength": 1, "pattern": "^.?$"}),
    ({"type": "string", "enum": ["a", 1]}, {"enum": ["a"]}),
    ({"enum": [1.0]}, INTEGER),
    ({"anyOf": [TEXT, members(("a",), more=False)]}, TEXT),
    (members(more=True), members(more=True, a=TEXT)),
]
UNSURE: list[tuple[Any, Any]] = [
    ({"type": "string", "pattern": "a"}, {"type": "string", "pattern": "b"}),
    ({"not": TEXT}, {"not": NUMBER}),
    (members(a=TEXT) | {"allOf": [{"required": ["a"]}]}, members(("a",), a=TEXT)),
    (TEXT, {"type": "string", "not": {"const": "a"}}),
    ({"$ref": "https://example.test/a"}, {"$ref": "https://example.test/b"}),
    ({"anyOf": [members(a=TEXT), members(b=TEXT)]}, {"anyOf": [members(("a",), a=TEXT), members(b=TEXT)]}),
    ({"oneOf": [TEXT, {"type": "string", "minLength": 2}]}, NUMBER),
    ({"type": "array", "prefixItems": [TEXT]}, {"type": "array", "prefixItems": [NUMBER]}),
    ({"type": "number", "minimum": 0}, {"type": "number", "minimum": 1, "exclusiveMinimum": True}),
    ({"type": "text"}, NUMBER),
    ({"$ref": "#"}, TEXT),
    (members(a=TEXT), {"type": "object", "patternProperties": {"^a": TEXT}, "additionalProperties": False}),
    (members(more=True), members(more=False) | {"patternProperties": {"": {}}}),
    ({"enum": ["a", "bb"], "maxLength": 1}, {"enum": ["a"]}),
    (None, TEXT),
    ([TEXT], TEXT),
]


@pytest.mark.parametrize(("old", "new", "path"), NARROWED)
def test_what_was_accepted_and_is_not_any_more_is_named(old: Any, new: Any, path: str) -> None:
    assert path in [one.path for one in narrowings(old, new)]


@pytest.mark.parametrize(("old", "new"), [*KEPT, *UNSURE])
def test_what_takes_nothing_away_or_is_not_understood_is_not(old: Any, new: Any) -> None:
    assert narrowings(old, new) == []


@pytest.mark.parametrize("schema", [side for old, new, _ in NARROWED for side in (old, new)])
def test_a_schema_is_not_narrower_than_itself(schema: Any) -> None:
    assert narrowings(schema, schema) == []


def test_a_phrase_says_what_is_gone() -> None:
    def told(old: Any, new: Any) -> list[str]:
        return [one.told for one in narrowings(old, new)]

    assert told({"enum": ["a", "b", 1, None, 2]}, {"enum": ["b"]}) == ['no longer accepts "a", 1, null and 1 more']
    assert told(TEXT, NUMBER) == ["no longer accepts string"]
    assert told({}, {"type": ["string", "null"]}) == ["accepts only null or string"]
    assert told(members(), members(("reason",))) == ["requires reason now"]
    assert told(TEXT, {"enum": ["a", "b"]}) == ['accepts only "a", "b"']


def test_references_that_double_at_each_level_end() -> None:
    def document(last: Any) -> dict[str, Any]:
        levels = {f"l{n}": members(a={"$ref": f"#/$defs/l{n + 1}"}, b={"$ref": f"#/$defs/l{n + 1}"}) for n in range(13)}
        return {"$defs": levels | {"l13": last}, "$ref": "#/$defs/l0"}

    assert 0 < len(narrowings(document(TEXT), document(NUMBER))) < 2**13


def test_a_schema_inside_itself_is_told_where_it_is_entered_and_not_at_each_depth() -> None:
    narrower = NODE | {"$defs": {"node": members(next={"$ref": "#/$defs/node"}, value=NUMBER)}}
    assert [one.path for one in narrowings(NODE, narrower)] == [
        "/properties/next/properties/value/type",
        "/properties/value/type",
    ]
