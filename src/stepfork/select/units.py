"""A Python module cut into units: the pieces between which references to fixtures are followed.

A *unit* is a test function, a test method, what else stands in a test class, or any other statement of the module.
What pytest makes of each is decided here, and where that is not certain the unit is *open*: reaching it means that
merely importing the module does.
"""

from __future__ import annotations

import ast

from stepfork.git.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Literal

    from stepfork.select.layout import Collection

    Kind = Literal["test", "helper", "open"]

_HOOKS = ("pytest_", "setup_module", "teardown_module", "setup_function", "teardown_function", "setUpModule")
_HOOK_NAMES = {"tearDownModule", "load_tests", "pytestmark", "setup", "teardown", "collect_ignore"}


class Reference(Record):
    """Why a node is selected: ``fixture`` is named (None: any may be), ``note`` is empty for a plain literal."""

    fixture: str | None
    note: str


class Unit:
    """A piece of a module: its syntax, the node (class and function names) it belongs to, what it defines and uses.

    ``hidden`` are its parameters, which are no constants inside it.
    """

    __slots__ = ("_uses", "defines", "hidden", "kind", "node", "references", "syntax", "text")

    def __init__(
        self,
        kind: Kind,
        node: tuple[str, ...],
        syntax: tuple[ast.AST, ...],
        defines: frozenset[str],
        *,
        hidden: frozenset[str] = frozenset(),
    ) -> None:
        self.kind = kind
        self.node = node
        self.syntax = syntax
        self.defines = defines
        self.hidden = hidden
        self.references: list[Reference] = []
        self.text = b""
        self._uses: frozenset[str] | None = None

    def uses(self, name: str) -> bool:
        """Whether a name is mentioned: as a name, an attribute, an argument, or in a string of names."""
        if name.isascii() and name.encode() not in self.text:  # others may be spelled in more than one way
            return False
        if self._uses is None:
            self._uses = _used(self)
        return name in self._uses


def units_of(module: ast.Module, lines: Sequence[bytes], collection: Collection) -> list[Unit]:
    """The units of a module in source order, each with the lines that it stands on."""
    units = [unit for statement in module.body for unit in _unit(statement, collection)]
    for unit in units:
        unit.text = _text(unit, lines)
    return units


def _text(unit: Unit, lines: Sequence[bytes]) -> bytes:
    """The lines that a unit stands on, decorators included."""
    parts: list[bytes] = []
    for node in unit.syntax:
        first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", None) or len(lines)
        decorators = getattr(node, "decorator_list", ())
        parts.extend(lines[min([first, *(one.lineno for one in decorators)]) - 1 : last])
    return b"\n".join(parts)


def _unit(statement: ast.stmt, collection: Collection) -> Iterator[Unit]:
    match statement:
        case ast.Expr(value=ast.Constant()):
            return
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield _function(statement, collection)
        case ast.ClassDef():
            yield from _class(statement, (), collection)
        case ast.Import() | ast.ImportFrom():
            yield Unit("helper", (), (statement,), _defined([statement]))
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
            defines = _defined([statement])
            is_open = not defines or any(_is_hook(name) for name in defines)
            yield Unit("open" if is_open else "helper", (), (statement,), defines)
        case ast.If(test=test) if _is_main_guard(test):
            return
        case _:
            yield Unit("open", (), (statement,), _defined([statement]))


def _function(function: ast.FunctionDef | ast.AsyncFunctionDef, collection: Collection) -> Unit:
    name, hidden = function.name, parameters_of(function)
    decorators = {last_name(decorator) for decorator in function.decorator_list}
    if _is_hook(name) or ("fixture" in decorators and _is_autouse(function)):
        return Unit("open", (), (function,), frozenset((name,)), hidden=hidden)
    if "fixture" not in decorators and collection.is_test_function(name):
        return Unit("test", (name,), (function,), frozenset((name,)), hidden=hidden)
    return Unit("helper", (), (function,), frozenset((name,)) | _fixture_name(function), hidden=hidden)


def _class(node: ast.ClassDef, outer: tuple[str, ...], collection: Collection) -> Iterator[Unit]:
    path = (*outer, node.name)
    defines = frozenset((path[0],))
    tests = [one for one in node.body if _is_test_method(one, collection)]
    if not collection.is_test_class(node.name) or _not_collected(node) or not (tests or node.bases or outer):
        # A TestCase of unittest is collected whatever its name; whether this is one cannot be told here.
        kind: Kind = "open" if node.bases and any(_is_test_method(one, None) for one in node.body) else "helper"
        yield Unit("test" if outer else kind, outer, (node,), defines)
        return
    rest: list[ast.AST] = [*node.decorator_list, *node.bases, *node.keywords]
    for member in node.body:
        if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and member in tests:
            yield Unit("test", (*path, member.name), (member,), defines, hidden=parameters_of(member))
        elif isinstance(member, ast.ClassDef):
            yield from _class(member, path, collection)
        elif not (isinstance(member, ast.Expr) and isinstance(member.value, ast.Constant)):
            rest.append(member)
    yield Unit("test", path, tuple(rest), defines)


def _is_test_method(member: ast.stmt, collection: Collection | None) -> bool:
    if not isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    if "fixture" in {last_name(decorator) for decorator in member.decorator_list}:
        return False
    return collection.is_test_function(member.name) if collection else member.name.startswith("test")


def _not_collected(node: ast.ClassDef) -> bool:
    """pytest passes over a class with a constructor or ``__test__``; naming it would be an error."""
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and member.name in ("__init__", "__new__"):
            return True
        if isinstance(member, ast.Assign) and "__test__" in _defined([member]):
            return True
    return False


def _is_hook(name: str) -> bool:
    return name.startswith(_HOOKS) or name in _HOOK_NAMES


def _is_autouse(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        isinstance(decorator, ast.Call)
        and any(word.arg == "autouse" or word.arg is None for word in decorator.keywords)
        for decorator in function.decorator_list
    )


def _fixture_name(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """``@pytest.fixture(name="other")``: the name by which tests ask for it."""
    return frozenset(
        word.value.value
        for decorator in function.decorator_list
        if isinstance(decorator, ast.Call) and last_name(decorator) == "fixture"
        for word in decorator.keywords
        if word.arg == "name" and isinstance(word.value, ast.Constant) and isinstance(word.value.value, str)
    )


def _is_main_guard(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def last_name(node: ast.expr) -> str:
    """The last part of what a decorator or a call names: ``fixture`` for ``@pytest.fixture(scope=…)``."""
    target = node.func if isinstance(node, ast.Call) else node
    return target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""


def parameters_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The names of all parameters of a function."""
    return frozenset(node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg))


def _defined(statements: Iterable[ast.AST]) -> frozenset[str]:
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


def _used(unit: Unit) -> frozenset[str]:
    found: set[str] = set()
    for top in unit.syntax:
        for node in ast.walk(top):
            match node:
                case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name) | ast.arg(arg=name):
                    found.add(name)
                case ast.Constant(value=str(text)) if len(text) < 200:
                    # usefixtures("name"), getattr(module, "NAME"), parametrize("a, b", indirect=…)
                    found.update(word.strip() for word in text.split(",") if word.strip().isidentifier())
                case ast.alias(name=name):
                    found.update(name.split("."))
                case ast.keyword(arg=str(name)):
                    found.add(name)
    return frozenset(found)
