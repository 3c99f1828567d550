"""Selection against an oracle that runs the tests: whoever asks for a changed fixture must be selected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from types import ModuleType

from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.select.changed import FixtureChange, FixtureChanges
from stepfork.select.collection import Collection
from stepfork.select.layout import Layout
from stepfork.select.selection import Selection, select_tests

NAMES = ("refund", "refund-2", "refund-de", "ship", "ship-de", "billing/late", "x")


class Files:
    """Sources in memory."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def search(self, *patterns: str) -> Sequence[str]:
        expression = re.compile("|".join(patterns).encode(), re.MULTILINE)
        return sorted(path for path, text in self.files.items() if expression.search(text.encode()))

    def search_data(self, *patterns: str) -> Sequence[str]:
        return ()

    def under(self, folder: str) -> Sequence[str]:
        return sorted(path for path in self.files if not folder or path.startswith(folder + "/"))

    def read(self, path: str) -> bytes | None:
        text = self.files.get(path)
        return None if text is None else text.encode()

    def read_old(self, path: str) -> bytes | None:
        return self.read(path)

    def fixture_names(self) -> Iterable[str]:
        return NAMES


LITERAL_FORMS = (
    "load({name!r})",
    "load('.stepfork/fixtures/{name}.json')",
    "load('fixtures/{name}')",
    "load(*[{name!r}])",
    "[load(one) for one in ({name!r},)]",
)
COMPUTED_FORMS = (
    'load(f"{{{head!r}}}-{tail}") if {tail!r} else load({head!r})',
    "load({head!r} + {joint!r} + {tail!r})",
    "load('.stepfork/' + 'fixtures/' + {name!r} + '.json')",
    "load('%s' % {name!r})",
    "load('/'.join(['.stepfork', 'fixtures', {name!r}]))",
)
names = st.sampled_from(NAMES)


@st.composite
def expressions(draw: st.DrawFn, forms: tuple[str, ...]) -> str:
    name = draw(names)
    head, joint, tail = name.partition("-")
    return draw(st.sampled_from(forms)).format(name=name, head=head, joint=joint, tail=tail)


@st.composite
def modules(draw: st.DrawFn, *, literal: bool) -> str:
    """A test module; with ``literal`` fixtures are named inside test functions alone."""
    forms = LITERAL_FORMS if literal else LITERAL_FORMS + COMPUTED_FORMS
    lines: list[str] = []
    helpers: list[str] = []
    if not literal:
        for index in range(draw(st.integers(0, 3))):
            kind = draw(st.sampled_from(["constant", "list", "function", "calls"]))
            if kind == "constant":
                lines += [f"C{index} = {draw(names)!r}"]
                helpers.append(f"load(C{index})")
            elif kind == "list":
                lines += [f"C{index} = [{draw(names)!r}, {draw(names)!r}]"]
                helpers.append(f"[load(one) for one in C{index}]")
            elif kind == "function":
                lines += [f"def c{index}():", f"    {draw(expressions(forms))}"]
                helpers.append(f"c{index}()")
            elif helpers:
                lines += [f"def c{index}():", f"    {draw(st.sampled_from(helpers))}"]
                helpers.append(f"c{index}()")
    for index in range(draw(st.integers(1, 4))):
        in_class = draw(st.booleans())
        indent = "    " if in_class else ""
        if in_class:
            lines.append(f"class Test{index}:")
            if not literal and draw(st.booleans()):
                lines += [f"    name = {draw(names)!r}"]
        body = draw(st.lists(expressions(forms), max_size=2)) or ["pass"]
        if helpers and draw(st.booleans()):
            body.append(draw(st.sampled_from(helpers)))
        if in_class and not literal and lines[-1].startswith("    name"):
            body.append("load(self.name)")
        lines.append(f"{indent}def test_{index}({'self' if in_class else ''}):")
        lines += [f"{indent}    {statement}" for statement in body]
    return "\n".join(lines) + "\n"


def who_loads(path: str, source: str, wanted: set[str]) -> set[str]:
    """Run every test of a module; the ids of those that load a wanted fixture."""
    loaded: set[str] = set()

    def load(name: str) -> None:
        loaded.add(name.rpartition("fixtures/")[2].removesuffix(".json"))

    module = ModuleType("generated")
    module.__dict__["load"] = load
    exec(compile(source, path, "exec"), module.__dict__)
    found: set[str] = set()
    for name, value in list(vars(module).items()):
        tests = {}
        if name.startswith("test_"):
            tests[f"{path}::{name}"] = value
        elif name.startswith("Test"):
            instance = value()
            tests = {f"{path}::{name}::{one}": getattr(instance, one) for one in dir(value) if one.startswith("test_")}
        for identity, test in tests.items():
            loaded.clear()
            test()
            if loaded & wanted:
                found.add(identity)
    return found


def select(files: dict[str, str], changed: set[str]) -> Selection:
    changes = FixtureChanges(
        tuple(FixtureChange(name, "changed", f".stepfork/fixtures/{name}.json") for name in sorted(changed))
    )
    return select_tests(
        changes, [one.path for one in changes.fixtures], Layout("", Collection()), Files(files), folder=".stepfork"
    )


def covered(identity: str, selection: Selection) -> bool:
    return any(identity == test.id or identity.startswith(test.id + "::") for test in selection.tests)


@settings(max_examples=60, deadline=None)
@given(st.lists(modules(literal=False), min_size=1, max_size=3), st.sets(names, min_size=1, max_size=2))
def test_no_test_that_loads_a_changed_fixture_is_missed(sources: list[str], changed: set[str]) -> None:
    files = {f"tests/test_{index}.py": source for index, source in enumerate(sources)}
    selection = select(files, changed)
    assert selection.everything == ()
    for path, source in files.items():
        for identity in who_loads(path, source, changed):
            assert covered(identity, selection), identity


@settings(max_examples=60, deadline=None)
@given(st.lists(modules(literal=True), min_size=1, max_size=3), st.sets(names, min_size=1, max_size=2))
def test_with_literals_inside_functions_just_the_right_tests_are_selected(
    sources: list[str], changed: set[str]
) -> None:
    files = {f"tests/test_{index}.py": source for index, source in enumerate(sources)}
    truth = set().union(*(who_loads(path, source, changed) for path, source in files.items()))
    assert {test.id for test in select(files, changed).tests} == truth


@settings(max_examples=40, deadline=None)
@given(modules(literal=False), st.sets(names, min_size=1, max_size=2), st.booleans())
def test_names_taken_from_a_module_beside_the_tests(source: str, changed: set[str], through_conftest: bool) -> None:
    """The helpers of a generated module, moved to a module of their own and imported by name."""
    head, _, tests = source.partition("def test_0(")
    if "class" in head or not tests:
        return
    home = "tests/conftest.py" if through_conftest else "tests/helpers.py"
    module = home.removesuffix(".py").replace("/", ".")
    files = {home: head or "\n", "tests/test_moved.py": f"from {module} import *\n\ndef test_0({tests}"}
    selection = select(files, changed)
    for identity in who_loads("tests/test_moved.py", source, changed):
        assert covered(identity, selection), identity
