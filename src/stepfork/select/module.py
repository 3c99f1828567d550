"""The tests of one Python module that name a fixture, at the finest granularity that is certain.

The module is cut into *units*: a test function, a test method, what else stands in a test class, and every other
statement of the module. A unit that names a fixture carries the names that it defines: a constant, a helper function,
a pytest fixture. Units that use one of those are reached too, and so on; the tests among the units reached are
selected. Where that stays uncertain (code that runs on import, a name that nothing here uses), the whole file is.
"""

from __future__ import annotations

import ast
import re

from stepfork.git.record import Record
from stepfork.select.matcher import LOADERS
from stepfork.select.shapes import HOLE, constants_of, is_composite, shape_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Literal

    from stepfork.select.layout import Collection
    from stepfork.select.matcher import Matcher

    Kind = Literal["test", "helper", "open"]


_HOOKS = ("pytest_", "setup_module", "teardown_module", "setup_function", "teardown_function", "setUpModule")
_HOOK_NAMES = {"tearDownModule", "load_tests", "pytestmark", "setup", "teardown", "collect_ignore"}
_REFLECTION = {"globals", "exec", "eval", "vars", "locals", "getmembers"}


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


class ModuleReferences(Record):
    """What a module says. ``nodes``: the tests selected (``()`` is the file) with reasons, in source order.

    ``carried``: the names through which other modules may reach the reference; ``runs_on_import``: merely importing
    the module reaches it.
    """

    nodes: dict[tuple[str, ...], tuple[Reference, ...]]
    carried: dict[str, tuple[Reference, ...]]
    runs_on_import: bool


class Module(Record):
    """A module as it was read: its syntax tree and its lines."""

    tree: ast.Module
    lines: tuple[bytes, ...]


def parse(source: bytes) -> Module | None:
    """The module, or None for what is no Python that this interpreter understands."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in someone's test is not ours to report
            return Module(ast.parse(source), tuple(source.splitlines()))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def references_in(
    module: Module,
    matcher: Matcher,
    collection: Collection,
    *,
    lines: re.Pattern[bytes] | None = None,
    symbols: Mapping[str, Sequence[Reference]] | None = None,
) -> ModuleReferences:
    """Who in the module names a fixture of ``matcher``, or uses one of ``symbols`` that another module carries.

    ``lines`` spares work: a line that it does not match names no fixture, unless it uses a constant.
    """
    units = [unit for statement in module.tree.body for unit in _unit(statement, collection)]
    _note_references(module, units, matcher, lines)
    for unit in units if symbols else ():
        for symbol, why in (symbols or {}).items():
            if unit.uses(symbol):
                unit.references.extend(why)
    return _spread(units)


def _spread(units: list[Unit]) -> ModuleReferences:
    nodes: dict[tuple[str, ...], dict[Reference, None]] = {}
    carried: dict[str, dict[Reference, None]] = {}
    on_import = False
    starts = [unit for unit in units if unit.references]
    reflects = any(unit.uses(word) for word in _REFLECTION for unit in units) if starts else False
    for start in starts:
        reached = _reached(start, units)
        names = frozenset().union(*(unit.defines for unit in reached))
        certain = any(unit.kind == "test" for unit in reached) and not reflects
        is_open = any(unit.kind == "open" for unit in reached)
        on_import = on_import or is_open
        for unit in reached:
            if unit.kind == "test":
                nodes.setdefault(unit.node, {}).update(dict.fromkeys(start.references))
        if is_open or not certain:
            nodes.setdefault((), {}).update(dict.fromkeys(start.references))
        for name in names:
            carried.setdefault(name, {}).update(dict.fromkeys(start.references))
    order = {unit.node: index for index, unit in reversed(list(enumerate(units)))}
    return ModuleReferences(
        {node: tuple(nodes[node]) for node in sorted(nodes, key=lambda node: order.get(node, -1) if node else -1)},
        {name: tuple(why) for name, why in carried.items()},
        on_import,
    )


def _reached(start: Unit, units: list[Unit]) -> list[Unit]:
    reached = {id(start): start}
    followed: set[str] = set()
    pending = [start]
    while pending:
        for name in pending.pop().defines - followed:
            followed.add(name)
            for unit in units:
                if id(unit) not in reached and unit.uses(name):
                    reached[id(unit)] = unit
                    pending.append(unit)
    return list(reached.values())


# --- cutting a module into units ---------------------------------------------------------------------------------


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
    name, hidden = function.name, _parameters(function)
    decorators = {_last_name(decorator) for decorator in function.decorator_list}
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
            yield Unit("test", (*path, member.name), (member,), defines, hidden=_parameters(member))
        elif isinstance(member, ast.ClassDef):
            yield from _class(member, path, collection)
        elif not (isinstance(member, ast.Expr) and isinstance(member.value, ast.Constant)):
            rest.append(member)
    yield Unit("test", path, tuple(rest), defines)


def _is_test_method(member: ast.stmt, collection: Collection | None) -> bool:
    if not isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    if "fixture" in {_last_name(decorator) for decorator in member.decorator_list}:
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
        if isinstance(decorator, ast.Call) and _last_name(decorator) == "fixture"
        for word in decorator.keywords
        if word.arg == "name" and isinstance(word.value, ast.Constant) and isinstance(word.value.value, str)
    )


def _is_main_guard(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _last_name(node: ast.expr) -> str:
    target = node.func if isinstance(node, ast.Call) else node
    return target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
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


# --- what a unit names -------------------------------------------------------------------------------------------


def _note_references(module: Module, units: list[Unit], matcher: Matcher, lines: re.Pattern[bytes] | None) -> None:
    module_names = constants_of(module.tree.body, {})
    constants = (
        re.compile(rb"\b(" + "|".join(map(re.escape, module_names)).encode() + rb")\b") if module_names else None
    )
    loaders = _loaders(module)
    for unit in units:
        unit.text = text = _text(unit, module.lines)
        if lines is not None and not lines.search(text) and not (constants and constants.search(text)):
            continue
        names = constants_of(unit.syntax, module_names, unit.hidden)
        found: dict[Reference, None] = {}
        for top in unit.syntax:
            _visit(top, names, matcher, loaders, found)
        unit.references.extend(found)


def _text(unit: Unit, lines: Sequence[bytes]) -> bytes:
    """The lines that a unit stands on, decorators included."""
    parts: list[bytes] = []
    for node in unit.syntax:
        first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", None) or len(lines)
        decorators = getattr(node, "decorator_list", ())
        parts.extend(lines[min([first, *(one.lineno for one in decorators)]) - 1 : last])
    return b"\n".join(parts)


def _visit(
    top: ast.AST, names: Mapping[str, str], matcher: Matcher, loaders: frozenset[str], found: dict[Reference, None]
) -> None:
    pending: list[tuple[ast.AST, bool]] = [(top, False)]
    while pending:
        node, is_part = pending.pop()
        composite = is_composite(node)
        if isinstance(node, ast.expr) and not is_part and (composite or _is_value(node)):
            _note(node, names, matcher, found)
        if isinstance(node, ast.Call) and _loads_unknown(node, names, loaders, top, matcher):
            found[Reference(None, f"{_last_name(node)}() is given a name that cannot be told")] = None
        skip: ast.AST | None = None
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id in names and matcher.reads_folder(names[target.id]):
                skip = node.value  # a constant that holds the folder: what is made of it counts, where it is used
        passes = composite or (is_part and isinstance(node, ast.FormattedValue | ast.List | ast.Tuple))
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                continue  # a docstring
            if child is not skip:
                pending.append((child, passes and _is_text_part(node, child)))


def _is_value(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))


def _is_text_part(node: ast.AST, child: ast.AST) -> bool:
    """Whether a child adds its text to its composite parent, rather than being computed inside it."""
    if isinstance(node, ast.BinOp) and child is not node.left and isinstance(node.op, ast.Mod):
        return False
    if isinstance(child, ast.List | ast.Tuple):
        return isinstance(node, ast.Call) and _last_name(node) == "join"
    return isinstance(child, ast.Constant | ast.Name | ast.FormattedValue) or is_composite(child)


def _note(node: ast.expr, names: Mapping[str, str], matcher: Matcher, found: dict[Reference, None]) -> None:
    shape = names.get(node.id, HOLE) if isinstance(node, ast.Name) else shape_of(node, names)
    if shape == HOLE:
        return
    for hit in matcher.hits(shape):
        note = "" if hit.sure else f"{_shown(shape)} may name it"
        found[Reference(hit.name, note)] = None
    if matcher.reads_folder(shape):
        found[Reference(None, f"{_shown(shape)} is the folder of all fixtures")] = None


def _shown(shape: str) -> str:
    return '"' + shape.replace(HOLE, "…")[:60] + '"'


def _loaders(module: Module) -> frozenset[str]:
    """The functions of stepfork that take a fixture, as this module calls them."""
    if not any(b"stepfork" in line for line in module.lines):
        return frozenset()
    return frozenset(
        alias.asname or alias.name
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "stepfork"
        for alias in node.names
        if alias.name in LOADERS
    )


def _loads_unknown(
    call: ast.Call, names: Mapping[str, str], loaders: frozenset[str], top: ast.AST, matcher: Matcher
) -> bool:
    function = call.func
    if isinstance(function, ast.Attribute):
        if function.attr not in LOADERS or not isinstance(function.value, ast.Name) or function.value.id != "stepfork":
            return False
    elif not isinstance(function, ast.Name) or function.id not in loaders:
        return False
    if matcher.any_path or not call.args:
        return matcher.any_path
    argument = call.args[0]
    if isinstance(argument, ast.Name) and _is_given(argument.id, top):
        return False
    return shape_of(argument, names).strip(HOLE) == ""


def _is_given(name: str, top: ast.AST) -> bool:
    """Whether a name is a parameter whose values stand elsewhere as literals: at the callers, or in parametrize."""
    if not isinstance(top, ast.FunctionDef | ast.AsyncFunctionDef) or name not in _parameters(top):
        return False
    for decorator in top.decorator_list:
        if isinstance(decorator, ast.Call) and _last_name(decorator) == "parametrize" and len(decorator.args) > 1:
            first = decorator.args[0]
            mentioned = any(isinstance(n, ast.Constant) and name in str(n.value) for n in ast.walk(first))
            if mentioned and any(
                isinstance(n, ast.Call | ast.ListComp | ast.GeneratorExp) and _last_name_of(n) not in ("param", "")
                for n in ast.walk(decorator.args[1])
            ):
                return False
    return True


def _last_name_of(node: ast.AST) -> str:
    return _last_name(node) if isinstance(node, ast.Call) else "comprehension"
