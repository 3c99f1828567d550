"""Which tests of a module name a fixture, for every form in which tests do."""

from __future__ import annotations

import re

import pytest

from stepfork.select.collection import Collection
from stepfork.select.matcher import Matcher, search_pattern
from stepfork.select.module import Carrier, parse, references_in, users_in
from stepfork.select.units import Reference

CHANGED = ("refund", "refund-de", "billing/late")


def nodes(source: str, *, names: tuple[str, ...] = CHANGED) -> list[str]:
    module = parse(source.encode())
    assert module is not None
    return ["::".join(node) for node in references_in(module, Matcher(names), Collection()).nodes]


@pytest.mark.parametrize(
    "expression",
    [
        "'refund'",
        "b'refund'",
        "'fixtures/refund'",
        "'.stepfork/fixtures/refund.json'",
        "'./.stepfork/fixtures/refund.json'",
        "'../agent/.stepfork/fixtures/billing/late.json'",
        "r'.stepfork\\fixtures\\refund.json'",
        "'HEAD~3:refund'",
        "'refund.json'",
        "Path('.stepfork') / 'fixtures' / 'refund.json'",
        "Path('.stepfork', 'fixtures', 'refund.json')",
        "ROOT / '.stepfork' / 'fixtures' / 'refund.json'",
        "ROOT.joinpath('fixtures', 'billing', 'late.json')",
        "os.path.join(FIXTURES, 'billing', 'late.json')",
        "'-'.join(['refund', language])",
        "'-'.join(('refund', 'de'))",
        "f'refund-{language}'",
        "f'{kind}-de'",
        "'refund-%s' % language",
        "'refund-{}'.format(language)",
        "'refund-' + language",
        "'ref' + 'und'",
        "['refund'] + other",
        "{'name': ['refund']}",
        "'stepfork replay refund -- python agent.py'",
        "'stepfork replay --fixture=refund -- python agent.py'",
        "['stepfork', 'diff', 'main:refund', 'refund']",
        "'.stepfork/fixtures/*.json'",
        "glob('fixtures/refund*')",
        "Path('.stepfork/fixtures').iterdir()",
        "f'.stepfork/fixtures/{name}.json'",
        "Path('.stepfork', 'fixtures', name)",
        "'refund' if slow else 'ship'",
        "(lambda: 'refund')()",
        "load(name='refund')",
        "f'{load(\"refund\")}'",
    ],
)
def test_a_test_that_names_a_fixture_in_this_form_is_selected(expression: str) -> None:
    assert nodes(f"def test_yes():\n    x = {expression}\n\ndef test_no():\n    pass\n") == ["test_yes"]


@pytest.mark.parametrize(
    "expression",
    [
        "'refund-2'",
        "'re-refund'",
        "'refunds'",
        "'Refund'",
        "'refund me'",
        "'late'",
        "'billing'",
        "'data/refund.json'",
        "f'{a}'",
        "f'{a}-{b}'",
        "f'ship-{a}'",
        "'fixtures/ship.json'",
        "'.stepfork/objects/ab/cd.json'",
        "Path('fixtures') / 'ship.json'",
        "'stepfork replay ship'",
        "refund",
        "a + b",
        "1 + 2",
        "'%s' % a",
        "{'refunds': 1}",
    ],
)
def test_a_test_that_names_something_else_is_not(expression: str) -> None:
    assert nodes(f"def test_no():\n    x = {expression}\n") == []


def test_docstrings_and_comments_name_nothing() -> None:
    source = (
        '"""refund"""\n# refund\n\ndef test_no():\n    """refund"""\n\n'
        'class TestNo:\n    "refund"\n\n    def test_no(self):\n        "refund"\n'
    )
    assert nodes(source) == []


GRANULARITY = {
    "two functions": ("def test_a():\n    'x', 'refund'\n\ndef test_b():\n    'x', 'ship'\n", ["test_a"]),
    "async": ("async def test_a():\n    await load('refund')\n", ["test_a"]),
    "method": (
        "class TestA:\n    def test_a(self):\n        load('refund')\n\n    def test_b(self): ...\n",
        ["TestA::test_a"],
    ),
    "class attribute": ("class TestA:\n    name = 'refund'\n\n    def test_a(self): ...\n", ["TestA"]),
    "setup method": (
        "class TestA:\n    def setup_method(self):\n        load('refund')\n\n    def test_a(self): ...\n",
        ["TestA"],
    ),
    "nested class": (
        "class TestA:\n    class TestB:\n        def test_a(self):\n            load('refund')\n\n"
        "    def test_b(self): ...\n",
        ["TestA::TestB::test_a"],
    ),
    "decorator": (
        "@pytest.mark.parametrize('name', ['ship', 'refund'])\ndef test_a(name): ...\n\ndef test_b(): ...\n",
        ["test_a"],
    ),
    "module constant": ("NAME = 'refund'\n\ndef test_a():\n    load(NAME)\n\ndef test_b(): ...\n", ["test_a"]),
    "annotated constant": ("NAME: str = 'refund'\n\ndef test_a():\n    load(NAME)\n\ndef test_b(): ...\n", ["test_a"]),
    "constant of a constant": (
        "A = 'ref'\nB = A + 'und'\n\ndef test_a():\n    load(B)\n\ndef test_b(): ...\n",
        ["test_a"],
    ),
    "prefix constant": ("A = 'refund'\n\ndef test_a():\n    load(f'{A}-de')\n", ["test_a"]),
    "folder constant": (
        "STORE = Path('.stepfork')\nHOME = STORE / 'fixtures'\n\ndef test_a():\n    load(HOME / 'refund.json')\n\n"
        "def test_b():\n    load(HOME / 'ship.json')\n\ndef test_c():\n    HOME.iterdir()\n",
        ["test_a", "test_c"],
    ),
    "list": (
        "NAMES = ['refund', 'ship']\n\n@parametrize('n', NAMES)\ndef test_a(n): ...\n\ndef test_b(): ...\n",
        ["test_a"],
    ),
    "helper": ("def run():\n    return load('refund')\n\ndef test_a():\n    run()\n\ndef test_b(): ...\n", ["test_a"]),
    "chain": (
        "A = ['refund']\n\ndef one():\n    return A\n\n"
        "def two():\n    return one()\n\ndef test_a():\n    two()\n\ndef test_b(): ...\n",
        ["test_a"],
    ),
    "pytest fixture": (
        "@pytest.fixture\ndef replay():\n    return load('refund')\n\ndef test_a(replay): ...\n\ndef test_b(): ...\n",
        ["test_a"],
    ),
    "named pytest fixture": (
        "@pytest.fixture(name='replay')\ndef _make():\n    return load('refund')\n\n"
        "def test_a(replay): ...\n\ndef test_b(): ...\n",
        ["test_a"],
    ),
    "usefixtures": (
        "@pytest.fixture\ndef replay():\n    load('refund')\n\n"
        "@pytest.mark.usefixtures('x', 'replay')\ndef test_a(): ...\n\ndef test_b(): ...\n",
        ["test_a"],
    ),
    "a fixture called like a test": (
        "@pytest.fixture\ndef test_data():\n    return load('refund')\n\ndef test_a(test_data): ...\n",
        ["test_a"],
    ),
    "autouse": ("@pytest.fixture(autouse=True)\ndef replay():\n    load('refund')\n\ndef test_a(): ...\n", [""]),
    "module mark": (
        "@pytest.fixture\ndef replay():\n    load('refund')\n\n"
        "pytestmark = usefixtures('replay')\n\ndef test_a(): ...\n",
        [""],
    ),
    "hook": ("def setup_module():\n    load('refund')\n\ndef test_a(): ...\n", [""]),
    "call on import": ("register('refund')\n\ndef test_a(): ...\n", [""]),
    "tests made in a loop": ("for name in ['refund']:\n    globals()[f'test_{name}'] = make(name)\n", [""]),
    "tests under a condition": ("if LINUX:\n    def test_a():\n        load('refund')\n", [""]),
    "constant that nothing uses": ("NAME = 'refund'\n\ndef test_a(): ...\n", [""]),
    "reflection": (
        "NAME = 'refund'\n\ndef test_a():\n    globals()['NA' + 'ME']\n\ndef test_b():\n    NAME\n",
        ["", "test_b"],
    ),
    "unittest": (
        "class RefundCase(unittest.TestCase):\n    def test_a(self):\n        load('refund')\n",
        ["RefundCase::test_a"],
    ),
    "a TestCase of one's own": (
        "class RefundCase(OurCase):\n    def test_a(self):\n        load('refund')\n",
        [""],
    ),
    "a class that pytest passes over": (
        "class TestData:\n    def __init__(self):\n        self.x = 'refund'\n\n"
        "    def test_like(self): ...\n\ndef test_a():\n    TestData()\n",
        ["test_a"],
    ),
    "subclass": (
        "class TestBase:\n    def test_a(self):\n        load('refund')\n\n"
        "class TestChild(TestBase):\n    x = 1\n\ndef test_b(): ...\n",
        ["TestBase::test_a", "TestChild"],
    ),
    "mixin": (
        "class Mixin:\n    def test_a(self):\n        load('refund')\n\n"
        "class TestChild(Mixin):\n    pass\n\nclass TestOther: ...\n",
        ["TestChild"],
    ),
    "rebound constant": ("A = 'refund'\nA = A + 'x'\n\ndef test_a():\n    load(A)\n\ndef test_b(): ...\n", ["test_a"]),
    "constant in another script": ("ИМЯ = 'refund'\n\ndef test_a():\n    load(ИМЯ + '-de')\n", ["test_a"]),
    "shadowed constant": ("A = 'refund'\n\ndef test_a(A):\n    load(A + '-de')\n", ["test_a"]),
    "run as a program": ("def test_a(): ...\n\nif __name__ == '__main__':\n    load('refund')\n", []),
    "local constant": ("def test_a():\n    home = '.stepfork/fixtures'\n    load(f'{home}/ship.json')\n", []),
    "local folder in use": ("def test_a():\n    home = '.stepfork/fixtures'\n    os.listdir(home)\n", ["test_a"]),
}


@pytest.mark.parametrize("case", GRANULARITY)
def test_granularity(case: str) -> None:
    source, expected = GRANULARITY[case]
    assert nodes(source) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("def test_a():\n    playback(choose())\n", ["test_a"]),
        ("def test_a():\n    playback('ship')\n", []),
        ("@parametrize('n', ['ship'])\ndef test_a(n):\n    playback(n)\n", []),
        ("@parametrize('n', os.listdir('x'))\ndef test_a(n):\n    playback(n)\n", ["test_a"]),
        ("@parametrize('n', [n for n in x])\ndef test_a(n):\n    playback(n)\n", ["test_a"]),
        ("def run(name):\n    return playback(name)\n\ndef test_a():\n    run('ship')\n", []),
    ],
)
def test_a_name_that_cannot_be_told_selects_the_test_and_says_so(body: str, expected: list[str]) -> None:
    module = parse(f"from stepfork import playback\n\n{body}".encode())
    assert module is not None
    said = references_in(module, Matcher(CHANGED), Collection())
    assert ["::".join(node) for node in said.nodes] == expected
    assert all("cannot be told" in reference.note for why in said.nodes.values() for reference in why)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from stepfork.testing import replay_run\ndef test_a():\n    replay_run(choose(), cwd='.')\n", ["test_a"]),
        ("from stepfork.testing import inspect_fixture as see\ndef test_a():\n    see(choose())\n", ["test_a"]),
        ("from stepfork.testing import inspect_fixture\ndef test_a():\n    inspect_fixture('ship')\n", []),
        (
            "import stepfork.testing\ndef test_a():\n    stepfork.testing.inspect_fixture(fixture=choose())\n",
            ["test_a"],
        ),
        ("from stepfork import testing as t\ndef test_a():\n    t.inspect_fixture(choose())\n", ["test_a"]),
        ("from other import testing as t\ndef test_a():\n    t.inspect_fixture(choose())\n", []),
        ("import pytest\n@pytest.mark.stepfork(choose())\ndef test_a(): ...\n", ["test_a"]),
        ("import pytest\n@pytest.mark.stepfork('refund')\ndef test_a(): ...\n", ["test_a"]),
        ("import pytest\n@pytest.mark.stepfork('ship')\ndef test_a(): ...\n", []),
        ("from pytest import mark\n@mark.stepfork(choose())\ndef test_a(): ...\n", ["test_a"]),
        ("import pytest\npytestmark = pytest.mark.stepfork('refund')\ndef test_a(): ...\n", [""]),
    ],
)
def test_the_names_that_stepfork_gives_tests(source: str, expected: list[str]) -> None:
    assert nodes(source) == expected


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        ("FIXTURE = ROOT / '.stepfork/fixtures/ship.json'", []),
        ("FIXTURE = ROOT / '.stepfork/fixtures/refund.json'", ["test_a"]),
        ("FIXTURE = ROOT.joinpath('.stepfork/fixtures/refund.json')", ["test_a"]),
        ("FIXTURE: Path = ROOT / 'fixtures' / f'{kind}.json'", ["test_a"]),
        ("FIXTURE = choose()", ["test_a"]),
        ("FIXTURE = ROOT / 'fixtures/ship.json'\nFIXTURE = choose()", ["test_a"]),
        ("for FIXTURE in choose(): ...", ["test_a"]),
        ("from paths import FIXTURE", ["test_a"]),
    ],
)
def test_a_path_below_a_folder_that_is_computed_is_known_where_it_stands(bound: str, expected: list[str]) -> None:
    source = "from stepfork.testing import replay_run\nROOT = Path(__file__).parents[2]\n"
    test = "def test_a():\n    replay_run(FIXTURE, command=COMMAND, cwd=ROOT)\n\ndef test_b(): ...\n"
    assert nodes(f"{source}{bound}\n{test}") == expected


def test_what_is_computed_is_said() -> None:
    module = parse(b"def test_a(x):\n    load(f'refund-{x}')\n")
    assert module is not None
    said = references_in(module, Matcher(CHANGED), Collection())
    assert said.nodes == {("test_a",): (Reference("refund-de", '"refund-…" may name it'),)}


def test_lines_that_match_nothing_are_passed_over_but_constants_are_not() -> None:
    constants = "ИМЯ = 'refund'\nB = 'refund'\n\n"
    source = constants + "def test_a():\n    load(ИМЯ)\n\ndef test_b():\n    load(B)\n\ndef test_c(): ...\n"
    module = parse(source.encode())
    assert module is not None
    matcher = Matcher(CHANGED)
    lines = re.compile(search_pattern(matcher, ()).encode(), re.MULTILINE)
    said = references_in(module, matcher, Collection(), lines=lines)
    assert list(said.nodes) == [("test_a",), ("test_b",)]


def test_names_from_other_modules_are_followed() -> None:
    module = parse(b"from names import REFUND as R\n\ndef test_a():\n    load(R)\n\ndef test_b(): ...\n")
    assert module is not None
    carrier = Carrier("names", {"REFUND": (Reference("refund", ""),)})
    said = users_in(module, [carrier], Collection())[0]
    assert list(said.nodes) == [("test_a",)]
    assert "R" in said.carried


@pytest.mark.parametrize("source", [b"def test_(:", b"\0", b"\xff\xfe", b"(" * 5000, b"x = " + b"-" * 100_000 + b"1"])
def test_what_is_no_python_is_none(source: bytes) -> None:
    assert parse(source) is None


def test_odd_escapes_and_deep_expressions_are_no_trouble() -> None:
    assert nodes("def test_a():\n    '\\d', 'refund'\n") == ["test_a"]
    chain = " + ".join(["'x'"] * 300 + ["load('refund')"])
    assert nodes(f"def test_a():\n    {chain}\n") == ["test_a"]


def test_a_module_is_read_once_for_all_that_it_uses_of_others() -> None:
    """What one of them leads to is not mixed with what another does."""
    module = parse(b"from a import A\nfrom b import B\n\ndef test_a(): use(A)\n\ndef test_b(): use(B)\n")
    assert module is not None
    carriers = [Carrier(name.lower(), {name: (Reference(name, ""),)}) for name in "AB"]
    first, second = users_in(module, carriers, Collection())
    assert (list(first.nodes), list(second.nodes)) == ([("test_a",)], [("test_b",)])
    assert second.nodes["test_b",] == (Reference("B", ""),)
