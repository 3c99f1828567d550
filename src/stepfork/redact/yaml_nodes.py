"""The nodes of YAML documents: read, seen as values, compared."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def compose(text: str) -> list[Any]:
    """The root of each document of a YAML text. Raises ValueError for what is none."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return list(yaml.compose_all(text, Loader=loader))
    except yaml.YAMLError:
        raise ValueError("no YAML") from None


def name_of(key: Any) -> str:
    """How a path calls a member."""
    return key.value if key.id == "scalar" else "?"


def value_of(node: Any) -> Any:
    """A node as a value whose scalars are texts; what an alias repeats is left out."""
    return _value(node, set())


def _value(node: Any, seen: set[int]) -> Any:
    if node is None or id(node) in seen:
        return None
    if node.id == "scalar":
        return node.value
    seen.add(id(node))
    if node.id == "mapping":
        return {name_of(key): _value(item, seen) for key, item in node.value}
    return [_value(item, seen) for item in node.value]


def same(old: Any, new: Any, wanted: dict[int, str]) -> bool:
    """Whether two documents are equal but for the values that are wanted otherwise."""
    waiting, seen = [(old, new)], set[int]()
    while waiting:
        one, other = waiting.pop()
        if one is None or other is None or id(one) in seen:
            if (one is None) != (other is None):
                return False
            continue
        seen.add(id(one))
        if one.id != other.id:
            return False
        if one.id == "scalar":
            changed = wanted.get(id(one))
            if other.value != (one.value if changed is None else changed) or (changed is None and one.tag != other.tag):
                return False
        elif len(one.value) != len(other.value):
            return False
        else:
            waiting += zip(_children(one), _children(other), strict=True)
    return True


def _children(node: Any) -> Iterator[Any]:
    if node.id == "sequence":
        yield from node.value
    else:
        for key, value in node.value:
            yield key
            yield value
