"""A JSON Schema as the alternatives that it accepts, each of one type or of any; what is not understood is None.

``anyOf`` of whole schemas, ``oneOf`` of different types, lists of types, ``allOf`` of one schema and local ``$ref`` are
alternatives or detours; what ``allOf``, ``not``, ``if`` and their like demand beside other keywords is not understood.
"""

from __future__ import annotations

from typing import Any, cast

from stepfork.trace.body import JsonValue

TYPES = ("string", "number", "boolean", "null", "object", "array")
"""``integer`` is a ``number`` that its own rules hold of."""
_SAYS_NOTHING = frozenset(
    {
        *("$schema", "$id", "$comment", "$defs", "$anchor", "definitions", "title", "description", "default"),
        *("examples", "example", "deprecated", "readOnly", "writeOnly", "nullable", "strict", "format"),
        *("contentEncoding", "contentMediaType", "contentSchema", "externalDocs", "xml", "discriminator"),
    }
)
_NOT_UNDERSTOOD = frozenset(
    {
        *("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$ref", "$dynamicRef", "$recursiveRef"),
        *("dependentRequired", "dependentSchemas", "dependencies", "propertyNames", "contains", "minContains"),
        *("maxContains", "unevaluatedProperties", "unevaluatedItems", "extends", "disallow"),
    }
)
_REFERENCES = 20
_BRANCHES = 64


def branches(schema: JsonValue, root: JsonValue) -> list[dict[str, Any]] | None:
    """The alternatives of a schema of the document `root`, each with ``type`` a single name where it has one; none for
    a schema that accepts nothing, None for one that is not understood."""
    return _branches(schema, root, _REFERENCES)


def _branches(schema: JsonValue, root: JsonValue, left: int) -> list[dict[str, Any]] | None:
    if schema is True:
        return [{}]
    if schema is False:
        return []
    if not isinstance(schema, dict) or left == 0:
        return None
    told = {name: value for name, value in schema.items() if name not in _SAYS_NOTHING and name[:2] != "x-"}
    alone = next(iter(told)) if len(told) == 1 else ""
    if alone == "$ref":
        found = _at(told["$ref"], root)
        return None if found is None else _branches(found, root, left - 1)
    if alone == "allOf" and isinstance(told["allOf"], list) and len(told["allOf"]) == 1:
        return _branches(told["allOf"][0], root, left - 1)
    if alone in ("anyOf", "oneOf") and isinstance(told[alone], list):
        return _all(told[alone], root, left - 1, apart=alone == "oneOf")
    return None if _NOT_UNDERSTOOD & told.keys() else _by_type(told)


def _all(items: list[JsonValue], root: JsonValue, left: int, *, apart: bool) -> list[dict[str, Any]] | None:
    found: list[dict[str, Any]] = []
    for item in items:
        below = _branches(item, root, left)
        if below is None or len(found) + len(below) > _BRANCHES:
            return None
        found += below
    types = [types_of(branch) for branch in found]
    if apart and sum(map(len, types)) != len(frozenset().union(*types)):
        return None  # what two accept, oneOf does not
    return found


def _by_type(told: dict[str, Any]) -> list[dict[str, Any]] | None:
    kinds = told.get("type")
    if kinds is None and "type" not in told:
        return [told]
    listed = [kinds] if isinstance(kinds, str) else kinds
    if not isinstance(listed, list) or not all(kind in (*TYPES, "integer") for kind in listed):
        return None
    if "number" in listed:
        listed = [kind for kind in listed if kind != "integer"]
    return [told | {"type": kind} for kind in dict.fromkeys(listed)]


def types_of(branch: dict[str, Any]) -> frozenset[str]:
    """The types that an alternative may accept, those of its ``enum`` or ``const`` where it has one."""
    values = finite(branch)
    if values is not None:
        return frozenset(map(type_of, values))
    kind = branch.get("type")
    return frozenset(TYPES) if kind is None else frozenset({"number" if kind == "integer" else kind})


def finite(branch: dict[str, Any]) -> list[JsonValue] | None:
    """The values that an alternative lists, None where it lists none; one of a wrong type is left out."""
    if "const" in branch:
        values = [branch["const"]]
    elif isinstance(branch.get("enum"), list):
        values = branch["enum"]
    else:
        return None
    kind = branch.get("type")
    return [value for value in values if kind is None or _is(value, kind)]


def type_of(value: JsonValue) -> str:
    """The type's name; ``number`` for integers too."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    return "number" if isinstance(value, int | float) else "object" if isinstance(value, dict) else "array"


def is_integer(value: JsonValue) -> bool:
    """As JSON Schema has it: ``1.0`` is an integer, ``true`` is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or value.is_integer()


def _is(value: JsonValue, kind: str) -> bool:
    return is_integer(value) if kind == "integer" else type_of(value) == kind


def _at(reference: JsonValue, root: JsonValue) -> JsonValue:
    """What a local reference (``#/$defs/Order``) points at, None where it points elsewhere or at nothing."""
    if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
        return None
    node: Any = root
    for step in reference[2:].split("/") if len(reference) > 1 else []:
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(node, dict) or name not in node:
            return None
        node = node[name]
    return cast(JsonValue, node)
