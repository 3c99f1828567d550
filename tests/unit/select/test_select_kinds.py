"""Kinds of references that an oracle once found missed, or selected for too much, each in few words."""

from __future__ import annotations

import pytest

from stepfork.select.collection import Collection
from stepfork.select.matcher import Matcher
from stepfork.select.module import Carrier, parse, references_in, users_in
from stepfork.select.units import Reference

CHANGED = ("refund", "refund-de", "billing/late")
OTHER = "\n\ndef test_other(): ...\n"
WHY = (Reference("refund", ""),)


def selected(source: str, carrier: Carrier | None = None) -> list[str]:
    module = parse((source + OTHER).encode())
    assert module is not None
    if carrier is not None:
        return ["::".join(node) for node in users_in(module, [carrier], Collection())[0].nodes]
    return ["::".join(node) for node in references_in(module, Matcher(CHANGED), Collection()).nodes]


@pytest.mark.parametrize(
    "body",
    [
        "for n in 'ship refund'.split(): load(n)",
        "for n in 'ship,refund'.split(','): load(n)",
        "for n in '''\n ship\n refund\n'''.splitlines(): load(n.strip())",
        "load(' refund '.strip())",
        "load('refund=1'.partition('=')[0])",
        "for n in shlex.split('ship refund'): load(n)",
        "form = 'refund-{}'\n    load(form.format(x))",
        "load('refund-{language}'.format_map(x))",
        "load(Template('refund-$language').substitute(x))",
        "load(Template('refund-${language}').substitute(x))",
        "for a in ['refund']:\n        for b in ['de']: load(f'{a}-{b}')",
        "load('-'.join(parts('refund', 'de')))",
        "load('%s/%s' % ('billing', late('late')))",
        "glue = '-'\n    load(glue.join(['refund', x]))",
        "for p in glob('.stepfork/fixtures/**/*.json'): load(p)",
    ],
)
def test_names_that_are_cut_out_or_put_together(body: str) -> None:
    assert selected(f"def test_it():\n    {body}\n") == ["test_it"]


@pytest.mark.parametrize(
    "body",
    [
        "assert 'the refund came late'",
        "load(f'{a}-{b}')",
        "load('-'.join(x))",
        "load('refunds-{}'.format(x))",
        "Path('.stepfork/fixtures').joinpath('ship.json')",
        "Path('.stepfork/fixtures', 'ship.json')",
        "for n in 'ship refund-fr'.split(): load(n)",
    ],
)
def test_what_only_resembles_them(body: str) -> None:
    assert selected(f"def test_it():\n    {body}\n") == []


def test_names_of_parameters_are_no_references() -> None:
    assert selected("@pytest.mark.parametrize('refund', ['ship'])\ndef test_it(refund): ...\n") == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("A = load('refund')\n\ndef test_it():\n    use(A)\n", ["", "test_it"]),
        ("A = Path('fixtures/refund.json')\n\ndef test_it():\n    use(A)\n", ["test_it"]),
        ("A = [pytest.param('refund')]\n\ndef test_it():\n    use(A)\n", ["test_it"]),
        ("class Row:\n    name: str\n\nA = [Row('refund')]\n\ndef test_it():\n    use(A)\n", ["test_it"]),
        (
            "class Row:\n    def __init__(self, n): load(n)\n\nA = [Row('refund')]\n\ndef test_it():\n    use(A)\n",
            ["", "test_it"],
        ),
        ("A = partial(load, 'refund')\n\ndef test_it():\n    use(A)\n", ["test_it"]),
        ("A = lambda: load('refund')\n\ndef test_it():\n    use(A)\n", ["test_it"]),
        ("@pytest.mark.parametrize('a', [load('refund')])\ndef test_it(a): ...\n", ["", "test_it"]),
        ("def test_it(a=load('refund')): ...\n", ["", "test_it"]),
        ("@uses('refund')\ndef test_it(a): ...\n", ["test_it"]),
        ("@pytest.mark.parametrize('a', rows())\ndef test_it(a):\n    load('refund')\n", ["test_it"]),
        ("class TestIt:\n    a = load('refund')\n\n    def test_it(self): ...\n", ["", "TestIt"]),
    ],
)
def test_what_runs_on_import_selects_the_file_beside_those_who_use_it(source: str, expected: list[str]) -> None:
    assert selected(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "from unittest import TestCase as T\n\nclass Case(T):\n    def test_a(self): load('refund')\n",
            ["Case::test_a"],
        ),
        ("class A(unittest.TestCase):\n    n = 'refund'\n    def test_a(self): ...\n", ["A"]),
        ("class A(unittest.TestCase): ...\n\nclass B(A):\n    def test_b(self): load('refund')\n", ["B::test_b"]),
        ("class A(unittest.TestCase):\n    n = 'refund'\n", [""]),
        ("class TestA(Elsewhere):\n    n = 'refund'\n", [""]),
        (
            "class Base:\n    def __init__(self): ...\n\nclass TestA(Base):\n    def test_a(self): load('refund')\n",
            [""],
        ),
    ],
)
def test_classes_are_named_where_pytest_certainly_collects_them(source: str, expected: list[str]) -> None:
    assert selected(source) == expected


@pytest.mark.parametrize(
    ("source", "carrier", "expected"),
    [
        ("from shared import *\n", Carrier("shared", {"test_a": WHY}, frozenset({"test_a"})), [""]),
        ("from shared import TestA\n", Carrier("shared", {"TestA": WHY}, frozenset({"TestA"})), [""]),
        ("from shared import *\n\ndef test_it(): use(A)\n", Carrier("shared", {"A": WHY}), ["test_it"]),
        ("def test_it(request): request.getfixturevalue(f'case_{n}')\n", Carrier("c", {"case_one": WHY}), ["test_it"]),
        ("def test_it(): load(getattr(names, 'CASE_' + n))\n", Carrier("names", {"CASE_1": WHY}), ["test_it"]),
        ("def test_it(request): request.getfixturevalue(f'other_{n}')\n", Carrier("c", {"case_one": WHY}), []),
        ("from other import *\n", Carrier("shared", {"test_a": WHY}, frozenset({"test_a"})), []),
        (
            "from shared import B\n\ndef test_it(): use(B)\n",
            Carrier("shared", {"A": WHY}, on_import=WHY),
            ["", "test_it"],
        ),
        ("def test_it():\n    import shared\n", Carrier("shared", {}, on_import=WHY), ["test_it"]),
        ("from shared import A\n\ndef test_it(x): load(A + x)\n", Carrier("shared", {}, parts={"A": WHY}), ["test_it"]),
    ],
)
def test_what_other_modules_bring_in(source: str, carrier: Carrier, expected: list[str]) -> None:
    assert selected(source, carrier) == expected


def test_part_of_a_name_that_passes_through_a_module_is_passed_on() -> None:
    module = parse(b"from shared import A as B\n")
    assert module is not None
    said = users_in(module, [Carrier("shared", {}, parts={"A": WHY})], Collection())[0]
    assert said.parts == {"B": WHY}
    assert said.leads_on


@pytest.mark.parametrize(
    "source",
    [
        "from stepfork.testing import inspect_fixture\n\ndef test_it(): list(map(inspect_fixture, names()))\n",
        "from stepfork.testing import playback\n\nopen_it = playback\n\ndef test_it(): open_it(name())\n",
        "from stepfork.testing import playback as play\n\ndef test_it(): play(name())\n",
        "by = pytest.mark.stepfork\n\n@by(name())\ndef test_it(): ...\n",
    ],
)
def test_a_loader_that_is_passed_on_may_open_any(source: str) -> None:
    assert "test_it" in selected("import stepfork\n" + source)
