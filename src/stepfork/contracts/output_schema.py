"""A run's structured output as a JSON Schema, and what of an output a schema refuses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stepfork.canonical.pointer import pointer
from stepfork.providers.lines import clean_line
from stepfork.trace.body import JsonValue

DEPTH = 16
"""Levels of an output that a drafted schema describes; what lies deeper may be anything."""

_TYPES = ((bool, "boolean"), (str, "string"), (int | float, "number"), (dict, "object"), (list, "array"))
_LISTED = 3


def schema_of(value: JsonValue) -> JsonValue:
    """The schema that keeps the keys of `value` and their JSON types (a number is a number, 40 or 40.5), in objects and
    in the items of arrays. More keys are allowed; values are not looked at."""
    return _schema([value], DEPTH)


def _schema(values: Sequence[Any], depth: int) -> dict[str, Any]:
    """One schema for values that stand in one place."""
    types = sorted({json_type(value) for value in values})
    if not types:
        return {}
    made: dict[str, Any] = {"type": types[0] if len(types) == 1 else types}
    objects = [value for value in values if isinstance(value, dict)]
    items = [item for value in values if isinstance(value, list) for item in value]
    if objects and depth > 0:
        names = sorted({name for value in objects for name in value})
        made["properties"] = {
            name: _schema([value[name] for value in objects if name in value], depth - 1) for name in names
        }
        everywhere = [name for name in names if all(name in value for value in objects)]
        made |= {"required": everywhere} if everywhere else {}
    if items and depth > 0:
        made["items"] = _schema(items, depth - 1)
    return made


def json_type(value: JsonValue) -> str:
    """The JSON type of a value, in the words of JSON Schema."""
    return next((name for kind, name in _TYPES if isinstance(value, kind)), "null")


def schema_problem(schema: JsonValue) -> str | None:
    """Why `schema` is no JSON Schema of 2020-12, None where it is one."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return f"at {_path(error.absolute_path) or 'its root'} it is no JSON Schema"
    except Exception:  # a schema is anybody's: whatever it does to the validator, it is not usable
        return "it is no JSON Schema"
    return None


_PLAIN = frozenset(
    {
        *("$schema", "$comment", "title", "description"),
        *("type", "enum", "const", "required", "uniqueItems", "multipleOf"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
    }
)
_OF_ONE = frozenset({"items", "additionalProperties", "contains", "not"})
_OF_MANY = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})


def foreign_keyword(schema: JsonValue) -> str | None:
    """A keyword of `schema` that one out of a fixture may not have, None where there is none.

    A fixture comes in pull requests: an expression, or references that multiply, can keep an evaluation busy for ever.
    """
    waiting: list[JsonValue] = [schema]
    while waiting:
        at = waiting.pop()
        for keyword, value in at.items() if isinstance(at, dict) else ():
            if keyword in _OF_ONE:
                waiting.append(value)
            elif keyword in _OF_MANY and isinstance(value, list):
                waiting.extend(value)
            elif keyword == "properties" and isinstance(value, dict):
                waiting.extend(value.values())
            elif keyword not in _PLAIN:
                return str(keyword)
    return None


def violations(value: JsonValue, schema: JsonValue) -> list[str]:
    """What of `value` the schema refuses, a few words each, values left out; none where it is satisfied.

    A schema that cannot be used (malformed, a reference that leads out of it, endless) refuses everything: what was
    not evaluated did not pass. Nothing is fetched.
    """
    from jsonschema import Draft202012Validator
    from referencing import Registry

    problem = schema_problem(schema)
    if problem is not None:
        return [f"the schema cannot be used: {problem}"]
    try:
        errors = list(Draft202012Validator(schema, registry=Registry()).iter_errors(value))
        told = sorted({_told(error) for error in errors})
    except Exception:  # an unresolvable reference, a bad pattern, a schema that never ends
        return ["the schema cannot be used: it refers to what is not in it, or never ends"]
    return told[:_LISTED] + ([f"{len(told) - _LISTED} more"] if len(told) > _LISTED else [])


def _told(error: Any) -> str:
    where = clean_line(_path(error.absolute_path), 80) or "the output"
    match error.validator:
        case "type":
            wanted = error.validator_value
            expected = " or ".join(map(str, wanted)) if isinstance(wanted, list) else str(wanted)
            return f"{where} is {_a(json_type(error.instance))}, not {_a(expected)}"
        case "required":
            missing = [name for name in error.validator_value if name not in error.instance]
            return f"{where} lacks {clean_line(', '.join(map(str, missing)), 80)}"
    return f"{where} does not satisfy {error.validator or 'the schema'}"


def _a(kind: str) -> str:
    return kind if kind == "null" else f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


def _path(steps: Any) -> str:
    path = ""
    for step in steps:
        path = pointer(path, step)
    return path
