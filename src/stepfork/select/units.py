"""A Python module cut into units: the pieces between which references to fixtures are followed.

A *unit* is a test function, a test method, what else stands in a test class, or any other statement of the module.
What pytest makes of each is decided here, and where that is not certain the unit is *open*: reaching it means that
merely importing the module does.
"""

from __future__ import annotations

import ast
import re

from stepfork.git.record import Record
from stepfork.select.bindings import defined_by, last_name
from stepfork.select.classes import Surroundings, is_test_method
from stepfork.select.eager import runs_code, signature_of
from stepfork.select.shapes import HOLE, shape_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Literal

    from stepfork.select.collection import Collection

    #: A ``whole`` unit selects its file when it is reached, an ``open`` one also whoever imports the module.
    Kind = Literal["test", "helper", "whole", "open"]

_LOOKS_UP = re.compile(rb"get(fixturevalue|attr)\(")
_HOOKS = ("pytest_", "setup_module", "teardown_module", "setup_function", "teardown_function", "setUpModule")
_HOOK_NAMES = {"tearDownModule", "load_tests", "pytestmark", "setup", "teardown", "collect_ignore"}


#: Before the name of a module: what a unit uses that imports something, or everything, from it.
FROM, STAR = "from ", "* "
#: Before a name that stands in a text.
TEXT = '"'


class Reference(Record):
    """Why a node is selected: ``fixture`` is named (None: any may be), ``note`` is empty for a plain literal."""

    fixture: str | None
    note: str


class Unit:
    """A piece of a module: its syntax, the node (class and function names) it belongs to, what it defines and uses.

    ``hidden`` are its parameters, which are no constants inside it.
    """

    __slots__ = ("_computed", "_looks", "_uses", "defines", "hidden", "kind", "node", "references", "syntax", "text")

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
        self._computed: list[re.Pattern[str]] | None = None
        self._looks: bool | None = None

    def fresh(self) -> Unit:
        """The unit without its references, and with what it was found to use."""
        if self._uses is None:
            self._uses = _used(self)
        other = Unit(self.kind, self.node, self.syntax, self.defines, hidden=self.hidden)
        other.text, other._uses, other._computed, other._looks = self.text, self._uses, self._computed, self._looks
        return other

    def uses(self, name: str, *, in_texts: bool = True) -> bool:
        """Whether a name is mentioned: as a name, an attribute, an argument, or (``in_texts``) in a string of names,
        which counts in any case where something is looked up by its name."""
        if self._looks is None:
            self._looks = _LOOKS_UP.search(self.text) is not None
        if self._looks and any(one.fullmatch(name) for one in self._looked_up()):
            return True
        # An identifier beyond ASCII may be spelled in several ways, so the text says nothing of it.
        if name.isascii() and name.rpartition(" ")[2].encode() not in self.text:
            return False
        if self._uses is None:
            self._uses = _used(self)
        return name in self._uses or ((in_texts or self._looks) and TEXT + name in self._uses)

    def _looked_up(self) -> list[re.Pattern[str]]:
        """What is asked for by a name that is put together: ``getfixturevalue(f"case_{n}")``."""
        if self._computed is None:
            self._computed = [
                re.compile(".*".join(re.escape(piece) for piece in shape.split(HOLE)))
                for top in self.syntax
                for node in ast.walk(top)
                if isinstance(node, ast.Call) and last_name(node) in ("getfixturevalue", "getattr")
                for argument in node.args
                if HOLE in (shape := shape_of(argument, {})) and shape != HOLE
            ]
        return self._computed


def units_of(module: ast.Module, lines: Sequence[bytes], collection: Collection) -> list[Unit]:
    """The units of a module in source order, each with the lines that it stands on."""
    around = Surroundings(module, collection)
    units = [unit for statement in module.body for unit in _unit(statement, around)]
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


def _unit(statement: ast.stmt, around: Surroundings) -> Iterator[Unit]:
    match statement:
        case ast.Expr(value=ast.Constant()):
            return
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from _eager([statement], around)
            yield _function(statement, around.collection)
        case ast.ClassDef():
            yield from _class(statement, (), around)
        case ast.Import() | ast.ImportFrom():
            yield Unit("helper", (), (statement,), defined_by([statement]))
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
            defines = defined_by([statement])
            is_open = not defines or any(_is_hook(name) for name in defines) or runs_code([statement], around.harmless)
            yield Unit("open" if is_open else "helper", (), (statement,), defines)
        case ast.If(test=test) if _is_main_guard(test):
            return
        case _:
            yield Unit("open", (), (statement,), defined_by([statement]))


def _eager(statements: Iterable[ast.AST], around: Surroundings) -> Iterator[Unit]:
    """The parts of functions and classes that are evaluated on import, where they call what is not known."""
    for statement in statements:
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            if runs_code([statement], around.harmless):
                yield Unit("open", (), (statement,), frozenset())
        elif evaluated := [one for one in signature_of(statement) if runs_code([one], around.harmless)]:
            yield Unit("open", (), tuple(evaluated), frozenset())


def _function(function: ast.FunctionDef | ast.AsyncFunctionDef, collection: Collection) -> Unit:
    name, hidden = function.name, parameters_of(function)
    decorators = {last_name(decorator) for decorator in function.decorator_list}
    if _is_hook(name) or ("fixture" in decorators and _is_autouse(function)):
        return Unit("open", (), (function,), frozenset((name,)), hidden=hidden)
    if "fixture" not in decorators and collection.is_test_function(name):
        return Unit("test", (name,), (function,), frozenset((name,)), hidden=hidden)
    return Unit("helper", (), (function,), frozenset((name,)) | _fixture_name(function), hidden=hidden)


def _class(node: ast.ClassDef, outer: tuple[str, ...], around: Surroundings) -> Iterator[Unit]:
    path = (*outer, node.name)
    defines = frozenset((path[0],))
    tests = around.tests_of(node)
    plain = [one for one in node.body if not isinstance(one, ast.ClassDef)]
    decorated = [one for call in node.decorator_list if isinstance(call, ast.Call) for one in call.args]
    yield from _eager([*plain, *decorated, *(word.value for word in node.keywords)], around)
    if not around.is_collected(node) or not (around.has_tests(node) or node.bases or outer):
        # A TestCase of unittest is collected whatever its name; whether this is one cannot be told here.
        is_open = node.bases and any(is_test_method(one, None) for one in node.body)
        yield Unit("test" if outer else "open" if is_open else "helper", outer, (node,), defines)
        return
    if not around.has_tests(node):  # its base, which is elsewhere, may have some or none
        yield Unit("test" if outer else "whole", outer, (node,), defines)
        return
    rest: list[ast.AST] = [*node.decorator_list, *node.bases, *node.keywords]
    for member in node.body:
        if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and member in tests:
            yield Unit("test", (*path, member.name), (member,), defines, hidden=parameters_of(member))
        elif isinstance(member, ast.ClassDef):
            yield from _class(member, path, around)
        elif not (isinstance(member, ast.Expr) and isinstance(member.value, ast.Constant)):
            rest.append(member)
    yield Unit("test", path, tuple(rest), defines)


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


def parameters_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The names of all parameters of a function."""
    return frozenset(node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg))


def _used(unit: Unit) -> frozenset[str]:
    found: set[str] = set()
    for top in unit.syntax:
        for node in ast.walk(top):
            match node:
                case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name) | ast.arg(arg=name):
                    found.add(name)
                case ast.Constant(value=str(text)) if len(text) < 200:
                    # usefixtures("name"), getattr(module, "NAME"), parametrize("a, b", indirect=…)
                    found.update(TEXT + word.strip() for word in text.split(",") if word.strip().isidentifier())
                    if text.replace(".", "").isidentifier():  # import_module("package.helpers")
                        found.update(TEXT + word for word in text.split("."))
                case ast.alias(name=name):
                    found.update(name.split("."))
                case ast.ImportFrom(module=module, names=names):
                    found.update(FROM + part for part in (module or "").split("."))
                    if names[0].name == "*":
                        found.add(STAR + (module or "").rpartition(".")[2])
                case ast.keyword(arg=str(name)):
                    found.add(name)
    return frozenset(found)
