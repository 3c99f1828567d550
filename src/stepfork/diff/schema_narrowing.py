"""What a JSON Schema accepted and no longer accepts: the calls of a tool that were right and are now wrong.

A place is named only where some value certainly was accepted and certainly is not any more. Whatever is not understood
(see ``schema_forms``), patterns that were exchanged, and ``format`` say nothing. An object that said nothing of other
members accepts them on paper alone: to list a new optional one, or to close it, takes nothing away.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from stepfork.canonical.pointer import pointer
from stepfork.diff.keys import canonical_text
from stepfork.diff.schema_bounds import narrowed_bounds
from stepfork.diff.schema_forms import branches, finite, is_integer, type_of, types_of
from stepfork.providers.shapes import json_text
from stepfork.trace.body import JsonValue

_DEPTH = 40
_LOOKED_AT = 5_000
"""Pairs of schemas that are compared at most: references can make a small document endless."""


class Narrowing(NamedTuple):
    """``path`` is a pointer into the schema (into the old one for what was removed); ``told`` is what the schema
    there does now, as a phrase without its subject."""

    path: str
    told: str


def narrowings(old: JsonValue, new: JsonValue) -> list[Narrowing]:
    """Where `new` accepts less than `old`, in order; empty where it does not, and where nobody can tell."""
    return list(dict.fromkeys(_Judge(old, new).schema(old, new, "", 0)))


class _Judge:
    def __init__(self, old_root: JsonValue, new_root: JsonValue) -> None:
        self._roots = old_root, new_root
        self._inside: set[tuple[int, int]] = set()
        self._left = _LOOKED_AT

    def schema(self, old: JsonValue, new: JsonValue, path: str, depth: int) -> Iterator[Narrowing]:
        """What `new` takes away at `path`."""
        pair = id(old), id(new)
        self._left -= 1
        if depth > _DEPTH or self._left < 0 or pair in self._inside:
            return
        before, after = branches(old, self._roots[0]), branches(new, self._roots[1])
        if before is None or after is None:
            return
        self._inside.add(pair)
        for branch in before:
            if _is_possible(branch):
                yield from self._branch(branch, after, path, depth)
        self._inside.discard(pair)

    def _branch(self, old: dict[str, Any], after: list[dict[str, Any]], path: str, depth: int) -> Iterator[Narrowing]:
        values = finite(old)
        if values is not None:
            if set(old) <= {"type", "enum", "const"}:
                yield from self._values(values, after, path)
            return
        accepted = frozenset().union(*(types_of(branch) for branch in after))
        gone = sorted(types_of(old) - accepted)
        if gone:
            yield Narrowing(pointer(path, "type"), _lost(gone, accepted))
            if types_of(old) <= set(gone):
                return
        candidates = [branch for branch in after if types_of(branch) & types_of(old)]
        if len(candidates) == 1:
            yield from self._keywords(old, candidates[0], path, depth)

    def _values(self, values: list[JsonValue], after: list[dict[str, Any]], path: str) -> Iterator[Narrowing]:
        """Of listed values those that no alternative accepts."""
        listed = {_key(one) for branch in after for one in finite(branch) or ()}
        open_ones = [branch for branch in after if finite(branch) is None]
        gone = [
            value
            for value in values
            if _key(value) not in listed and not any(_may_accept(branch, value) for branch in open_ones)
        ]
        if gone:
            told = ", ".join(map(json_text, gone[:3]))
            more = f" and {len(gone) - 3} more" if len(gone) > 3 else ""
            yield Narrowing(pointer(path, "enum"), f"no longer accepts {told}{more}")

    def _keywords(self, old: dict[str, Any], new: dict[str, Any], path: str, depth: int) -> Iterator[Narrowing]:
        """Two alternatives of one type, or an old one of any."""
        listed = finite(new)
        if listed is not None:
            if not _all_listed(old, listed):
                yield Narrowing(pointer(path, "const" if "const" in new else "enum"), f"accepts only {_listed(listed)}")
            return
        if new.get("type") == "integer" and old.get("type") != "integer" and not is_integer(old.get("multipleOf")):
            yield Narrowing(pointer(path, "type"), "accepts integers only")
        kinds = types_of(old) & types_of(new)
        for keyword, told in narrowed_bounds(old, new, kinds):
            yield Narrowing(pointer(path, keyword), told)
        if "object" in kinds:
            yield from self._object(old, new, path, depth)
        if "array" in kinds and not {"prefixItems", "additionalItems"} & (old.keys() | new.keys()):
            items = old.get("items", True), new.get("items", True)
            if old.get("maxItems") != 0 and not any(isinstance(one, list) for one in items):
                yield from self.schema(*items, pointer(path, "items"), depth + 1)

    def _object(self, old: dict[str, Any], new: dict[str, Any], path: str, depth: int) -> Iterator[Narrowing]:
        before, after = (_object_of(side.get("properties")) for side in (old, new))
        wanted, had = _names(new.get("required")), frozenset(_names(old.get("required")))
        for index, name in enumerate(wanted):
            if name not in had:
                yield Narrowing(pointer(pointer(path, "required"), index), f"requires {name} now")
        others = old.get("additionalProperties"), new.get("additionalProperties")
        by_pattern = "patternProperties" in old or "patternProperties" in new
        for name, schema in before.items():
            place = pointer(pointer(path, "properties"), name)
            if name in after:
                yield from self.schema(schema, after[name], place, depth + 1)
            elif by_pattern or schema is False or others[1] is None:
                continue
            elif others[1] is False:
                yield Narrowing(place, "is no longer accepted")
            else:
                yield from self.schema(schema, others[1], place, depth + 1)
        if by_pattern or others[0] is None or others[0] is False:
            return
        for name in after:
            if name not in before and others[0] is not True:
                place = pointer(pointer(path, "properties"), name)
                yield from self.schema(others[0], after[name], place, depth + 1)
        if others[1] is False:
            yield Narrowing(pointer(path, "additionalProperties"), "no longer accepts other members")
        elif others[1] is not None:
            yield from self.schema(*others, pointer(path, "additionalProperties"), depth + 1)


def _is_possible(branch: dict[str, Any]) -> bool:
    """False for an object that must have a member that it must not have."""
    closed = branch.get("additionalProperties") is False and "patternProperties" not in branch
    members = _object_of(branch.get("properties"))
    wanted = _names(branch.get("required")) if branch.get("type") == "object" else []
    return all(members.get(name, not closed) is not False for name in wanted)


def _may_accept(branch: dict[str, Any], value: JsonValue) -> bool:
    """Whether an alternative that lists no values accepts one, as far as types tell."""
    if type_of(value) not in types_of(branch):
        return False
    return branch.get("type") != "integer" or is_integer(value)


def _key(value: JsonValue) -> tuple[str, float | str]:
    """Equal for equal values, as JSON Schema has it: 1 and 1.0 are, 1 and true are not."""
    kind = type_of(value)
    return kind, value if isinstance(value, int | float) else canonical_text(value)


def _all_listed(old: dict[str, Any], listed: list[JsonValue]) -> bool:
    """Whether what accepted any value of its type may have accepted no others than those listed."""
    kinds = types_of(old)
    if kinds <= {"boolean", "null"}:
        wanted: list[JsonValue] = [value for value in (True, False, None) if type_of(value) in kinds]
        return {_key(value) for value in wanted} <= {_key(value) for value in listed}
    # A few keywords can leave a few values; who used them to say so is not told that he took something away.
    return bool(old.keys() - {"type", "properties", "required", "items", "additionalProperties"})


def _object_of(value: JsonValue) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _names(value: JsonValue) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _listed(values: list[JsonValue]) -> str:
    return f"{len(values)} values" if len(values) > 3 else ", ".join(map(json_text, values))


def _lost(gone: list[str], accepted: frozenset[str]) -> str:
    if len(gone) <= 2 or not accepted:
        return f"no longer accepts {' or '.join(gone)}"
    return f"accepts only {' or '.join(sorted(accepted))}"
