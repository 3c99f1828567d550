"""Names in Python's syntax: what statements define, and what a decorator or a call says last."""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def last_name(node: ast.expr) -> str:
    """The last part of what a decorator or a call names: ``fixture`` for ``@pytest.fixture(scope=…)``."""
    target = node.func if isinstance(node, ast.Call) else node
    return target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""


def defined_by(statements: Iterable[ast.AST]) -> frozenset[str]:
    """The names that statements bind, as assignments, functions, classes or imports, at any depth."""
    found: set[str] = set()
    for statement in statements:
        for node in ast.walk(statement):
            match node:
                case ast.Name(id=name, ctx=ast.Store()):
                    found.add(name)
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    found.add(name)
                case ast.alias(name=name, asname=asname) if name != "*":
                    found.add(asname or name.partition(".")[0])
    return frozenset(found)
