"""The classes of a module as pytest sees them: which are collected, and which of their methods are tests."""

from __future__ import annotations

import ast

from stepfork.select.bindings import defined_by, last_name
from stepfork.select.eager import plain_classes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stepfork.select.collection import Collection

_CASES = ("TestCase", "IsolatedAsyncioTestCase")


class Surroundings:
    """What the module around a statement says of it: what is harmless to call, which classes are whose."""

    def __init__(self, module: ast.Module, collection: Collection) -> None:
        self.collection = collection
        self.harmless = plain_classes(module)
        self._classes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}
        self._unittest = frozenset(
            alias.asname or alias.name
            for node in module.body
            if isinstance(node, ast.ImportFrom) and node.module == "unittest"
            for alias in node.names
            if alias.name in _CASES
        )

    def is_unittest(self, node: ast.ClassDef) -> bool:
        """Whether a class is a ``TestCase``, certainly: pytest collects it whatever its name is."""
        return any(
            (isinstance(one, ast.Name) and one.id in self._unittest)
            or (isinstance(one, ast.Attribute) and one.attr in _CASES and getattr(one.value, "id", "") == "unittest")
            for base in self._line(node)
            for one in base.bases
        )

    def tests_of(self, node: ast.ClassDef) -> list[ast.stmt]:
        """The methods of a class itself that are tests."""
        own = None if self.is_unittest(node) else self.collection
        return [one for one in node.body if is_test_method(one, own)]

    def has_tests(self, node: ast.ClassDef) -> bool:
        """Whether a class has tests, its own or those of a base in this module."""
        return any(self.tests_of(base) for base in self._line(node))

    def is_collected(self, node: ast.ClassDef) -> bool:
        """Whether pytest looks into a class."""
        if self.is_unittest(node):
            return not any(isinstance(one, ast.Assign) and "__test__" in defined_by([one]) for one in node.body)
        return self.collection.is_test_class(node.name) and not any(_not_collected(one) for one in self._line(node))

    def _line(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """A class and the bases that this module has."""
        found = [node]
        for one in found:
            names = {base.id for base in one.bases if isinstance(base, ast.Name)}
            found += [self._classes[name] for name in names & self._classes.keys() if self._classes[name] not in found]
        return found


def is_test_method(member: ast.stmt, collection: Collection | None) -> bool:
    """Whether a member of a class is a test; ``collection`` is None where ``unittest`` says what is one."""
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
        if isinstance(member, ast.Assign) and "__test__" in defined_by([member]):
            return True
    return False
