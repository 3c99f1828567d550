"""What a module assigns to its names, once and for all: a value that is changed afterwards is not the one that is read.

A test that edits ``EXPECTATION`` after its assignment, or hands something else to ``run_regression_case``, asserts what
its literals do not say. Such a file is refused, since a verdict about its literals would be one about nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from stepfork.errors import UsageError

NAMES = frozenset(
    {
        *("ROOT", "TRACE_PATH", "ENTRYPOINT", "EXPECTATION", "HAS_EXPECTATION", "TRAJECTORY_EXPECTATION"),
        *("MODE", "ALLOW_LIVE_TOOLS"),
    }
)
"""The names that the template gives a meaning."""

CASE = "run_regression_case"
"""What a generated test calls."""

_VALUES = frozenset({"EXPECTATION", "HAS_EXPECTATION", "TRAJECTORY_EXPECTATION"})

_HANDED_ON = {
    "trace_path": "TRACE_PATH",
    "expectation": "EXPECTATION",
    "has_expectation": "HAS_EXPECTATION",
    "trajectory": "TRAJECTORY_EXPECTATION",
}
"""Which argument of the call is which literal."""


def bindings(module: ast.Module, where: str) -> dict[str, ast.expr]:
    """The expression that each of `NAMES` is assigned, of those that are.

    Raises UsageError for a second assignment, one that is not the module's own, and a use that may change its value.
    """
    found: dict[str, ast.expr] = {}
    own: set[ast.Name] = set()
    for target, value in _assignments(module):
        own.add(target)
        if value is not None and target.id in found:
            raise UsageError(
                f"{target.id} is assigned twice", where=f"{where}:{target.lineno}", fix="leave one assignment"
            )
        if value is not None:
            found[target.id] = value
    handed_on = set(_arguments(module))
    for node in ast.walk(module):
        for name in _touched(node, own, handed_on):
            raise UsageError(
                f"{name} is used apart from its assignment and the call of {CASE}",
                where=f"{where}:{getattr(node, 'lineno', 1)}",
                fix="write what is expected into the literal",
            )
    return found


def calls(module: ast.Module) -> Iterator[ast.Call]:
    """The calls of ``run_regression_case``."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and CASE in {getattr(node.func, "id", None), getattr(node.func, "attr", None)}:
            yield node


def check_calls(module: ast.Module, found: Container[str], where: str) -> None:
    """Raise UsageError unless there is a call, and each hands on the literals that `found` has, each as what it is."""
    made = list(calls(module))
    if not made:
        raise UsageError(f"calls no {CASE}, so it tests nothing", where=where, fix="export the test again")
    for call in made:
        given = {keyword.arg: getattr(keyword.value, "id", None) for keyword in call.keywords}
        wrong = [name for word, name in _HANDED_ON.items() if name in found and given.get(word) != name]
        if wrong or call.args or None in given:
            raise UsageError(
                f"the call of {CASE} does not hand on {wrong[0] if wrong else 'its literals alone'}",
                where=f"{where}:{call.lineno}",
                fix="export the test again",
            )


def _assignments(module: ast.Module) -> Iterator[tuple[ast.Name, ast.expr | None]]:
    """The module's own; an annotation alone assigns None."""
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name() as target], value=value) if target.id in NAMES:
                yield target, value
            case ast.AnnAssign(target=ast.Name() as target, value=given) if target.id in NAMES:
                yield target, given


def _arguments(module: ast.Module) -> Iterator[ast.expr]:
    for call in calls(module):
        yield from call.args
        yield from (keyword.value for keyword in call.keywords)


def _touched(node: ast.AST, own: set[ast.Name], handed_on: set[ast.expr]) -> Iterator[str]:
    """The names of the template that `node` gives another value, or may."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()):
            if name in _VALUES and node not in handed_on:
                yield name
        case ast.Name(id=name) if name in NAMES and node not in own:
            yield name
        case ast.alias():
            bound = (node.asname or node.name).partition(".")[0]
            if bound == "*":
                yield "a name"
            elif bound in NAMES:
                yield bound
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            if name in NAMES:
                yield name
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from NAMES.intersection(names)
        case ast.arg(arg=name) | ast.ExceptHandler(name=str(name)) if name in NAMES:
            yield name
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) if name in NAMES:
            yield name
