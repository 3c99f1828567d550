"""The tests of one Python module that name a fixture, at the finest granularity that is certain.

A unit (see `units`) that names a fixture carries the names that it defines: a constant, a helper function,
a pytest fixture. Units that use one of those are reached too, and so on; the tests among the units reached are
selected. Where that stays uncertain (code that runs on import, a name that nothing here uses), the whole file is.
"""

from __future__ import annotations

import ast
import re

from stepfork.git.record import Record
from stepfork.select.bindings import last_name
from stepfork.select.matcher import LOADERS
from stepfork.select.shapes import HOLE, Bindings, constants_of, is_composite, shape_of, with_holes
from stepfork.select.texts import Spoken, cut_texts, texts_in, words_of
from stepfork.select.units import FROM, STAR, Reference, Unit, parameters_of, units_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from stepfork.select.collection import Collection
    from stepfork.select.matcher import Matcher


_LONG = 100
_REFLECTION = {"globals", "exec", "eval", "vars", "locals", "getmembers"}


class ModuleReferences(Record):
    """What a module says. ``nodes``: the tests selected (``()`` is the file) with reasons, in source order.

    ``carried``: the names through which other modules may reach the reference; ``gathers``: those of them that pytest
    finds in whichever module they are imported into (tests, fixtures for all); ``on_import``: why merely importing the
    module reaches it; ``parts``: names of what may be put together with more to the name of a fixture.
    """

    nodes: dict[tuple[str, ...], tuple[Reference, ...]]
    carried: dict[str, tuple[Reference, ...]]
    gathers: frozenset[str]
    on_import: tuple[Reference, ...]
    parts: dict[str, tuple[Reference, ...]]

    @property
    def leads_on(self) -> bool:
        """Whether another module may reach a fixture through this one."""
        return bool(self.carried or self.on_import or self.parts)


class Carrier(Record):
    """A module whose last name is ``stem``, as the modules that import it see it: see `ModuleReferences`."""

    stem: str
    symbols: Mapping[str, Sequence[Reference]]
    gathers: frozenset[str] = frozenset()
    on_import: tuple[Reference, ...] = ()
    parts: Mapping[str, Sequence[Reference]] = {}


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
) -> ModuleReferences:
    """Who in the module names a fixture of ``matcher``.

    ``lines`` spares work: a line that it does not match names no fixture, unless it uses a constant.
    """
    units = units_of(module.tree, module.lines, collection)
    _note_references(module, units, matcher, lines)
    return _spread(units, _parts(units, matcher))


def users_in(module: Module, carriers: Sequence[Carrier], collection: Collection) -> list[ModuleReferences]:
    """Who in the module uses what other modules have, for each of those; the module is read once for all of them."""
    units = units_of(module.tree, module.lines, collection)
    found: list[ModuleReferences] = []
    for carrier in carriers:
        fresh = [unit.fresh() for unit in units] if len(carriers) > 1 else units
        parts: dict[str, tuple[Reference, ...]] = {}
        for unit in fresh:
            parts.update(_take(unit, carrier))
        found.append(_spread(fresh, parts))
    return found


def _take(unit: Unit, carrier: Carrier) -> dict[str, tuple[Reference, ...]]:
    """Note what a unit uses of another module; the parts of names that it passes on."""
    taken = {name for name in carrier.symbols if unit.uses(name)}
    for name in taken:
        unit.references.extend(carrier.symbols[name])
    imports = isinstance(next(iter(unit.syntax), None), ast.Import | ast.ImportFrom)
    starred = imports and unit.uses(STAR + carrier.stem)
    if starred:
        unit.references.extend(one for why in carrier.symbols.values() for one in why)
        unit.defines |= carrier.symbols.keys()
    if imports and carrier.gathers and (starred or taken & carrier.gathers):
        unit.kind = "open"
    if carrier.on_import and (unit.uses(carrier.stem) or unit.uses(FROM + carrier.stem)):
        unit.references.extend(carrier.on_import)
        if imports:
            unit.kind = "open"
    passed: dict[str, tuple[Reference, ...]] = {}
    for name, why in carrier.parts.items():
        if starred:
            passed[name] = tuple(why)
        elif not unit.uses(name):
            continue
        elif any(is_composite(node) for top in unit.syntax for node in ast.walk(top)):
            unit.references.extend(why)
        else:
            passed.update((one, tuple(why)) for one in unit.defines)
    return passed


def _parts(units: list[Unit], matcher: Matcher) -> dict[str, tuple[Reference, ...]]:
    """Constants of the module whose text may be a part of a fixture's name."""
    found: dict[str, tuple[Reference, ...]] = {}
    for unit in units:
        if unit.node or not isinstance(next(iter(unit.syntax), None), ast.Assign | ast.AnnAssign):
            continue
        texts = {text for text in texts_in(unit.syntax) if len(text) < _LONG}
        why = [Reference(name, f'"{text}" may be a part of it') for text in texts for name in matcher.with_part(text)]
        if why:
            found.update((name, tuple(why)) for name in unit.defines)
    return found


def _spread(units: list[Unit], parts: dict[str, tuple[Reference, ...]]) -> ModuleReferences:
    nodes: dict[tuple[str, ...], dict[Reference, None]] = {}
    carried: dict[str, dict[Reference, None]] = {}
    gathers: set[str] = set()
    on_import: dict[Reference, None] = {}
    starts = [unit for unit in units if unit.references]
    reflects = any(unit.uses(word) for word in _REFLECTION for unit in units) if starts else False
    users: dict[str, list[Unit]] = {}
    for start in starts:
        why = dict.fromkeys(start.references)
        reached = _reached(start, units, users)
        names = frozenset().union(*(unit.defines for unit in reached))
        certain = any(unit.kind == "test" for unit in reached) and not reflects
        if any(unit.kind == "open" for unit in reached):
            on_import.update(why)
        for unit in reached:
            if unit.kind == "test":
                nodes.setdefault(unit.node, {}).update(why)
            if unit.kind in ("test", "open"):
                gathers |= unit.defines
        if not certain or any(unit.kind in ("open", "whole") for unit in reached):
            nodes.setdefault((), {}).update(why)
        for name in names:
            carried.setdefault(name, {}).update(why)
    order = {unit.node: index for index, unit in reversed(list(enumerate(units)))}
    return ModuleReferences(
        {node: tuple(nodes[node]) for node in sorted(nodes, key=lambda node: order.get(node, -1) if node else -1)},
        {name: tuple(why) for name, why in carried.items()},
        frozenset(gathers),
        tuple(on_import),
        {name: why for name, why in parts.items() if name not in carried},
    )


def _reached(start: Unit, units: list[Unit], users: dict[str, list[Unit]]) -> list[Unit]:
    """The units that use what ``start`` defines, over any number of steps. ``users`` has those of each name met."""
    reached = {id(start): start}
    followed: set[str] = set()
    pending = [start]
    while pending:
        used = pending.pop()
        for name in used.defines - followed:
            followed.add(name)
            if name not in users:
                # Nobody asks for a test by a text: that is something else of the same name.
                texts = used.kind != "test"
                users[name] = [unit for unit in units if unit.uses(name, in_texts=texts)]
            for unit in users[name]:
                if id(unit) not in reached:
                    reached[id(unit)] = unit
                    pending.append(unit)
    return list(reached.values())


class _Reading(Record):
    """What is known while a unit is read: constant ``names``, and the ``loaders`` of the module; what it ``binds``."""

    names: Mapping[str, str]
    matcher: Matcher
    loaders: frozenset[str]
    binds: Bindings
    spoken: Spoken


def _note_references(module: Module, units: list[Unit], matcher: Matcher, lines: re.Pattern[bytes] | None) -> None:
    module_names = constants_of(module.tree.body, {})
    words = [name.encode() for name in module_names]
    # An identifier beyond ASCII may be spelled in several ways, so its text says nothing.
    skips = lines is not None and all(name.isascii() for name in module_names)
    loaders = _loaders(module)
    spoken, binds = Spoken(module.tree, matcher), Bindings(module.tree)
    for unit in units:
        told = any(word in unit.text for word in words) or bool(lines and lines.search(unit.text))
        if skips and not told and not spoken.composable():
            continue
        names = constants_of(unit.syntax, module_names, unit.hidden)
        reading = _Reading(names, matcher, loaders, binds, spoken)
        found: dict[Reference, None] = {}
        for top in unit.syntax:
            _visit(top, reading, found)
        unit.references.extend(found)


def _visit(top: ast.AST, reading: _Reading, found: dict[Reference, None]) -> None:
    names, matcher = reading.names, reading.matcher
    pending: list[tuple[ast.AST, bool]] = [(top, False)]
    while pending:
        node, is_part = pending.pop()
        composite = is_composite(node)
        if isinstance(node, ast.expr) and not is_part and (composite or _is_value(node)):
            _note(node, reading, found)
        _note_calls(node, top, reading, found)
        skip: ast.AST | None = None
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id in names and matcher.reads_folder(names[target.id]):
                skip = node.value  # a constant that holds the folder: what is made of it counts, where it is used
        passes = composite or (is_part and isinstance(node, ast.FormattedValue | ast.List | ast.Tuple))
        if passes and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            skip = node.func  # Path("a").joinpath("b"): the text of the owner is a part too
            pending.append((node.func.value, _is_text_part(node, node.func.value)))
        if isinstance(node, ast.Call) and last_name(node) == "parametrize" and node.args:
            skip = node.args[0]  # names of parameters
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                continue  # a docstring
            if child is not skip:
                pending.append((child, passes and _is_text_part(node, child)))


def _note_calls(node: ast.AST, top: ast.AST, reading: _Reading, found: dict[Reference, None]) -> None:
    """What a call that takes a text apart, and one that opens a fixture, tell."""
    for text in cut_texts(node, reading.names):
        for word in words_of(text):
            found.update((Reference(hit.name, ""), None) for hit in reading.matcher.hits(word) if hit.sure)
    if isinstance(node, ast.Call) and _loads_unknown(node, top, reading):
        found[Reference(None, f"{last_name(node)}() is given a name that cannot be told")] = None
    for loader in _passed_on(node, reading):
        found[Reference(None, f"{loader} is passed on, and given names that cannot be told")] = None


def _is_value(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))


def _is_text_part(node: ast.AST, child: ast.AST) -> bool:
    """Whether a child adds its text to its composite parent, rather than being computed inside it."""
    if isinstance(node, ast.BinOp) and child is not node.left and isinstance(node.op, ast.Mod):
        return False
    if isinstance(child, ast.List | ast.Tuple):
        return isinstance(node, ast.Call) and last_name(node) == "join"
    return isinstance(child, ast.Constant | ast.Name | ast.FormattedValue) or is_composite(child)


def _note(node: ast.expr, reading: _Reading, found: dict[Reference, None]) -> None:
    matcher = reading.matcher
    shape = reading.names.get(node.id, HOLE) if isinstance(node, ast.Name) else shape_of(node, reading.names)
    if not any(char.isalnum() for char in shape):
        if is_composite(node):
            for name in reading.spoken.composed(shape):
                found[Reference(name, f"{_shown(shape)} may be put together to it")] = None
        return
    filled = with_holes(shape)
    for one in {shape, filled}:
        for hit in matcher.hits(one):
            note = "" if hit.sure else f"{_shown(one)} may name it"
            found[Reference(hit.name, note)] = None
    if matcher.reads_folder(shape) or matcher.reads_folder(filled):
        found[Reference(None, f"{_shown(shape)} is the folder of all fixtures")] = None


def _shown(shape: str) -> str:
    return '"' + shape.replace(HOLE, "…")[:60] + '"'


def _loaders(module: Module) -> frozenset[str]:
    """The functions of stepfork that take a fixture, as this module calls them, and the modules that have them."""
    if not any(b"stepfork" in line for line in module.lines):
        return frozenset()
    return frozenset(
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom | ast.Import)
        for alias in node.names
        if _is_own(node, alias)
    ) | {"stepfork"}


def _is_own(node: ast.ImportFrom | ast.Import, alias: ast.alias) -> bool:
    if isinstance(node, ast.Import):
        return alias.name.partition(".")[0] == "stepfork"
    own = (node.module or "").partition(".")[0] == "stepfork"
    return own and (alias.name in LOADERS or alias.name == "testing")


def _loads_unknown(call: ast.Call, top: ast.AST, reading: _Reading) -> bool:
    if not _is_loader(call.func, reading.loaders):
        return False
    given = [*call.args[:1], *(word.value for word in call.keywords if word.arg in ("fixture", "name"))]
    if reading.matcher.any_path or not given:
        return reading.matcher.any_path
    argument = given[0]
    if isinstance(argument, ast.Name) and (_is_given(argument.id, top) or _is_partly_known(argument.id, reading)):
        return False
    return shape_of(argument, reading.names).strip(HOLE) == ""


def _is_loader(function: ast.expr, loaders: frozenset[str]) -> bool:
    """Whether a call of this opens a fixture: one of ours, by its own name or that of its module, or our mark."""
    if isinstance(function, ast.Name):
        return function.id in loaders and function.id != "stepfork"
    if not isinstance(function, ast.Attribute):
        return False
    owner = function.value
    if function.attr == "stepfork":
        return (owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")) == "mark"
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    return function.attr in LOADERS and isinstance(owner, ast.Name) and owner.id in loaders


def _passed_on(node: ast.AST, reading: _Reading) -> list[str]:
    """The loaders that a node hands to somebody else or gives another name, instead of calling them."""
    if reading.matcher.any_path or not reading.loaders:
        return []
    if isinstance(node, ast.Call):
        given: list[ast.expr] = [*node.args, *(word.value for word in node.keywords)]
    elif isinstance(node, ast.Assign):
        given = [node.value]
    else:
        return []
    return [last_name(one) for one in given if not isinstance(one, ast.Call) and _is_loader(one, reading.loaders)]


def _is_partly_known(name: str, reading: _Reading) -> bool:
    """Whether all that the module binds to a name has a constant part, such as a path below a folder that is computed:
    what it may name is noted where it stands, and who uses the name is reached from there."""
    values = reading.binds.values_of(name)
    return bool(values) and all(shape_of(value, reading.names).strip(HOLE) for value in values)


def _is_given(name: str, top: ast.AST) -> bool:
    """Whether a name is a parameter whose values stand elsewhere as literals: at the callers, or in parametrize."""
    if not isinstance(top, ast.FunctionDef | ast.AsyncFunctionDef) or name not in parameters_of(top):
        return False
    for decorator in top.decorator_list:
        if isinstance(decorator, ast.Call) and last_name(decorator) == "parametrize" and len(decorator.args) > 1:
            first = decorator.args[0]
            mentioned = any(isinstance(n, ast.Constant) and name in str(n.value) for n in ast.walk(first))
            if mentioned and any(
                isinstance(n, ast.Call | ast.ListComp | ast.GeneratorExp) and _last_name_of(n) not in ("param", "")
                for n in ast.walk(decorator.args[1])
            ):
                return False
    return True


def _last_name_of(node: ast.AST) -> str:
    return last_name(node) if isinstance(node, ast.Call) else "comprehension"
