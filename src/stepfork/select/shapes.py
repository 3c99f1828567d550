"""What text a Python expression may have: its constant parts, and holes where the value is not known.

A *shape* is a string in which `HOLE` stands for any text. ``f"refund-{lang}"`` has the shape ``refund-HOLE``,
``Path(".stepfork") / "fixtures" / name`` has ``.stepfork/fixtures/HOLE``. An expression that is no text, or none
that can be told, is a hole alone.
"""

from __future__ import annotations

import ast
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

HOLE = "\0"
_HOLES = re.compile("\0{2,}")
_PERCENT = re.compile(r"%(?:\([^)]*\))?[-#0 +]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[a-zA-Z]")
_BRACES = re.compile(r"\{[^{}]*\}")
_DOLLAR = re.compile(r"\$(?:\{\w+\}|\w+)")
_JOINERS = {"join", "joinpath"}
_PATHS = {"Path", "PurePath", "PosixPath", "PurePosixPath", "WindowsPath", "PureWindowsPath", "local", "fspath", "str"}
_MAX = 4096


def shape_of(node: ast.expr, names: Mapping[str, str]) -> str:
    """The shape of ``node``; ``names`` gives the shapes of the names that are known to be constant."""
    return _HOLES.sub(HOLE, _shape(node, names, 0))[:_MAX]


def with_holes(text: str) -> str:
    """A text with holes where ``format``, ``%`` or a template would put something."""
    if "{" not in text and "%" not in text and "$" not in text:
        return text
    return _HOLES.sub(HOLE, _PERCENT.sub(HOLE, _BRACES.sub(HOLE, _DOLLAR.sub(HOLE, text))))


def is_composite(node: ast.AST) -> bool:
    """Whether a node builds text out of parts, so that its parts alone are not what it names."""
    if isinstance(node, ast.JoinedStr):
        return True
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add | ast.Div | ast.Mod)
    if isinstance(node, ast.Call):
        name = _called(node)
        if name == "format":
            return isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Constant)
        return name in _JOINERS or name in _PATHS
    return False


def _shape(node: ast.expr, names: Mapping[str, str], depth: int) -> str:
    if depth > 60:
        return HOLE
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Constant(value=bytes(data)):
            return data.decode("utf-8", "replace")
        case ast.Name(id=name):
            return names.get(name, HOLE)
        case ast.JoinedStr(values=values):
            return "".join(_shape(value, names, depth + 1) for value in values)
        case ast.FormattedValue(value=value, format_spec=None):
            return _shape(value, names, depth + 1)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _shape(left, names, depth + 1) + _shape(right, names, depth + 1)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _slash([_shape(left, names, depth + 1), _shape(right, names, depth + 1)])
        case ast.BinOp(left=left, op=ast.Mod()):
            return _PERCENT.sub(HOLE, _shape(left, names, depth + 1)).replace("%%", "%")
        case ast.Call():
            return _call(node, names, depth + 1)
    return HOLE


def _call(node: ast.Call, names: Mapping[str, str], depth: int) -> str:
    name = _called(node)
    parts = [_shape(argument, names, depth) for argument in node.args]
    if name == "format" and isinstance(node.func, ast.Attribute):
        return _BRACES.sub(HOLE, _shape(node.func.value, names, depth))
    if name == "join" and isinstance(node.func, ast.Attribute):
        glue = _shape(node.func.value, names, depth)
        if len(node.args) == 1 and glue != HOLE:
            if isinstance(node.args[0], ast.List | ast.Tuple):
                return glue.join(_shape(item, names, depth) for item in node.args[0].elts)
            return HOLE + glue + HOLE
        return _slash(parts)
    if name == "joinpath" and isinstance(node.func, ast.Attribute):
        return _slash([_shape(node.func.value, names, depth), *parts])
    if name in _PATHS and parts:
        return _slash(parts)
    return HOLE


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _slash(parts: Iterable[str]) -> str:
    found = ""
    for part in parts:
        found = part if not found or part.startswith("/") else found.rstrip("/") + "/" + part
    return found


def constants_of(body: Sequence[ast.AST], known: Mapping[str, str], hidden: Iterable[str] = ()) -> dict[str, str]:
    """The names in ``body`` that are bound once, to text without a hole, and nowhere else, beside those ``known``.

    ``hidden`` are names bound in another way (parameters): they are no constants here, whatever they are outside.
    """
    values: dict[str, ast.expr] = {}
    counts: dict[str, int] = {}
    nodes = [node for statement in body for node in ast.walk(statement)] if known or _assigns_text(body) else []
    for node in nodes:
        for name in _bound(node):
            counts[name] = counts.get(name, 0) + 1
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                values[name] = value
    found = dict(known)
    for name in (*counts, *hidden):
        found.pop(name, None)
    for name, value in values.items():  # in the order of the source: a constant may be made of those above it
        if counts.get(name) == 1 and HOLE not in (shape := shape_of(value, found)) and shape:
            found[name] = shape
    return found


class Bindings:
    """What a module binds to each of its names, wherever that is; looked for once, and only if asked."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._values: dict[str, list[ast.expr]] | None = None
        self._stores: dict[str, int] = {}

    def values_of(self, name: str) -> Sequence[ast.expr]:
        """All that is assigned to a name; nothing where it is bound in another way too (a loop, a deletion)."""
        if self._values is None:
            self._values = {}
            for node in ast.walk(self._tree):
                self._take(node, self._values)
        values = self._values.get(name, ())
        return values if len(values) == self._stores.get(name, 0) else ()

    def _take(self, node: ast.AST, values: dict[str, list[ast.expr]]) -> None:
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                self._stores[node.id] = self._stores.get(node.id, 0) + 1
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    values.setdefault(target.id, []).append(node.value)


def _assigns_text(body: Iterable[ast.AST]) -> bool:
    """Whether any statement gives text to a name: where none does, nothing need be counted."""
    pending = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Assign | ast.AnnAssign):
            if node.value is not None and HOLE not in shape_of(node.value, {}):
                return True
        elif isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            pending += ast.iter_child_nodes(node)
    return False


_BINDERS = (
    *(ast.Name, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.arg, ast.alias, ast.ExceptHandler),
    *(ast.MatchAs, ast.MatchStar, ast.Global, ast.Nonlocal),
)


def _bound(node: ast.AST) -> Iterable[str]:
    if not isinstance(node, _BINDERS):
        return
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.arg(arg=name):
            yield name
        case ast.alias(name=name, asname=asname):
            yield asname or name.partition(".")[0]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from names
            yield from names
