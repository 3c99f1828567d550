"""Equality of JSON values is equality of canonical bytes; here they are as text."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from stepfork.canonical.encode import dumps
from stepfork.canonical.names import hasher
from stepfork.errors import CanonicalError


def canonical_text(value: Any) -> str:
    """The canonical bytes of a JSON value, or of a struct of JSON values, as text.

    What has no canonical form (a lone surrogate, a huge integer) still has a text of its own here: a comparison must
    be able to say that two sides differ.
    """
    plain = value if isinstance(value, str | dict | list | int | float | None) else msgspec.to_builtins(value)
    try:
        return dumps(plain).decode()
    except CanonicalError:
        pass
    try:
        return json.dumps(plain, sort_keys=True, default=repr)
    except (RecursionError, TypeError, ValueError):
        return _flat(plain)


def _flat(value: Any) -> str:
    """A text of its own for a value that nests too deep for any encoder, level by level."""
    made = hasher()
    level: list[Any] = [value]
    while level:
        below: list[Any] = []
        for node in level:
            if isinstance(node, dict):
                names = sorted(node, key=str)
                made.update(f"{{{len(names)}".encode())
                made.update("\0".join(map(str, names)).encode("utf-8", "surrogatepass"))
                below += [node[name] for name in names]
            elif isinstance(node, list | tuple):
                made.update(f"[{len(node)}".encode())
                below += node
            else:
                made.update(f"{type(node).__name__}{node!r},".encode("utf-8", "surrogatepass"))
        level = below
    return made.hexdigest()
