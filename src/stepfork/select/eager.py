"""What runs when a module is imported: calls of functions that nobody here knows, which may open a fixture then.

``LOADED = load("refund")`` at the top of a module fails every test of it when the fixture is gone, a table of names
fails only those that read it. A call counts as harmless where it is known to keep or rearrange what it is given.
"""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_KEEPING = """
    Path PurePath PosixPath PurePosixPath WindowsPath PureWindowsPath fspath join joinpath dirname basename abspath
    realpath resolve absolute expanduser relative_to as_posix with_suffix with_name with_stem glob rglob iterdir
    format format_map split rsplit splitlines partition rpartition strip lstrip rstrip replace removesuffix
    removeprefix lower upper title casefold encode decode Template substitute safe_substitute dedent compile escape
    dict list tuple set frozenset sorted reversed enumerate zip range len min max sum any all str int float bool
    bytes items keys values get copy chain from_iterable product combinations permutations OrderedDict defaultdict
    Counter deque namedtuple SimpleNamespace MappingProxyType
    partial field auto param getLogger TypeVar NewType cast NamedTuple Enum property staticmethod classmethod type
    getenv isinstance hasattr getattr super simplefilter filterwarnings
"""
_HARMLESS = frozenset(_KEEPING.split())
_BUILDS = ("__init__", "__new__", "__post_init__", "__init_subclass__")


def plain_classes(module: ast.Module) -> frozenset[str]:
    """The classes of a module that only keep what they are given: making one runs no code of the module's own."""
    return frozenset(
        node.name
        for node in module.body
        if isinstance(node, ast.ClassDef)
        and not any(isinstance(one, ast.FunctionDef) and one.name in _BUILDS for one in node.body)
    )


def runs_code(nodes: Iterable[ast.AST], harmless: frozenset[str]) -> bool:
    """Whether evaluating ``nodes`` (expressions or statements) calls a function that is not known.

    ``harmless`` are names of classes whose constructors are. Bodies of functions are not evaluated; their decorators
    and defaults are, but for the call that makes the decorator itself.
    """
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            pending += signature_of(node)
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.Call) and not _is_harmless(node.func, harmless):
            return True
        pending += ast.iter_child_nodes(node)
    return False


def signature_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    """What is evaluated when a function is defined: arguments of its decorators, and its defaults."""
    found = [*function.args.defaults, *(one for one in function.args.kw_defaults if one is not None)]
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call):
            found += [*decorator.args, *(word.value for word in decorator.keywords)]
    return found


def _is_harmless(function: ast.expr, harmless: frozenset[str]) -> bool:
    if isinstance(function, ast.Name):
        return function.id in _HARMLESS or function.id in harmless
    if isinstance(function, ast.Call):  # pytest.fixture(scope="module")(get)
        return _is_harmless(function.func, harmless)
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr in _HARMLESS:
        return True
    owner = function.value
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    return isinstance(owner, ast.Name) and owner.id in ("pytest", "logging", "typing", "enum", "dataclasses")
