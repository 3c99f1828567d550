"""The callable that a replay runs: every way in which it cannot be had is one line, and the right module is had."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepfork.errors import EntrypointError
from stepfork.workflows.entrypoint import Entrypoint, call_with_input, resolve_entrypoint


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of modules whose names nothing else has; they are forgotten afterwards."""
    before = set(sys.modules)
    (tmp_path / "zz_pack").mkdir()
    (tmp_path / "zz_pack" / "__init__.py").write_text("")
    (tmp_path / "zz_pack" / "agent.py").write_text(
        "class Agent:\n"
        "    @staticmethod\n"
        "    def run(task=None): return ['ran', task]\n"
        "    @property\n"
        "    def odd(self): raise RuntimeError\n"
        "def lazy(task):\n"
        "    import zz_later\n"
        "    return zz_later.VALUE\n"
        "async def alazy(task):\n"
        "    import zz_last\n"
        "    return zz_last.VALUE\n"
        "NUMBER = 3\n"
        "class Angry:\n"
        "    def __getattribute__(self, name): raise ZeroDivisionError\n"
        "angry = Angry()\n"
    )
    (tmp_path / "zz_later.py").write_text("VALUE = 'later'\n")
    (tmp_path / "zz_last.py").write_text("VALUE = 'last'\n")
    (tmp_path / "zz_exits.py").write_text("raise SystemExit(0)\n")
    (tmp_path / "zz_syntax.py").write_text("def broken(:\n")
    (tmp_path / "zz_lacks.py").write_text("import zz_not_there\n")
    (tmp_path / "zz_tells.py").write_text(
        "import os\nraise ValueError('no ' + os.environ['SHOP_API_KEY'] + '\\n\\x1b[31m')\n"
    )
    monkeypatch.setenv("SHOP_API_KEY", "x9" + "Kq27Lm" * 4)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith("zz_"):
            del sys.modules[name]


def test_nested_attributes_are_found_and_the_path_is_as_before(root: Path) -> None:
    before = list(sys.path)
    found = resolve_entrypoint("zz_pack.agent:Agent.run", root)
    assert found(1) == ["ran", 1]
    assert sys.path == before


def test_what_is_imported_while_it_runs_is_found_too(root: Path) -> None:
    for name, value in (("lazy", "later"), ("alazy", "last")):
        found = resolve_entrypoint(f"zz_pack.agent:{name}", root)
        assert call_with_input(found, {"x": 1}) == value
    assert str(root) not in sys.path


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("", "no name of a callable"),
        ("zz_pack.agent", "write it as package.module:function"),
        ("zz_pack.agent:", "no name of a callable"),
        (":run", "no name of a callable"),
        ("zz_pack..agent:run", "no name of a callable"),
        ("../zz_pack/agent.py:run", "no name of a callable"),
        ("zz_pack.agent:Agent.run()", "no name of a callable"),
        ("zz_pack.agent:lazy:more", "no name of a callable"),
        ("zz_pack.agent:nope", "zz_pack.agent has no 'nope'"),
        ("zz_pack.agent:Agent.nope", "zz_pack.agent.Agent has no 'nope'"),
        ("zz_pack.agent:angry.anything", "zz_pack.agent.angry has no 'anything'"),
        ("zz_pack.agent:NUMBER", "is an int, which cannot be called"),
        ("zz_nowhere.agent:run", "there is no module zz_nowhere"),
        ("zz_pack.nowhere:run", "there is no module zz_pack.nowhere"),
        ("zz_lacks:run", "its import raised ModuleNotFoundError: No module named 'zz_not_there'"),
        ("zz_exits:run", "its import raised SystemExit: 0"),
        ("zz_syntax:run", "its import raised SyntaxError"),
        ("zz_tells:run", "its import raised ValueError: no [redacted]"),
        ("zz_\x1b[31m:run", "no name of a callable"),
    ],
)
def test_what_cannot_be_had_is_told_in_one_line(root: Path, spec: str, says: str) -> None:
    with pytest.raises(EntrypointError) as told:
        resolve_entrypoint(spec, root)
    assert says in str(told.value)
    assert str(told.value).isprintable()
    assert told.value.exit_code == 2
    assert told.value.__cause__ is None
    assert "Kq27Lm" not in str(told.value)


def test_a_module_of_another_place_is_not_taken_for_the_one_that_was_named(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "zz_pack").mkdir(parents=True)
    (other / "zz_pack" / "__init__.py").write_text("")
    (other / "zz_pack" / "agent.py").write_text("def lazy(task): return 'the wrong one'\n")
    (other / "zz_pack" / "only_here.py").write_text("def run(): return 1\n")
    resolve_entrypoint("zz_pack.agent:lazy", root)
    for spec in ("zz_pack.agent:lazy", "zz_pack.only_here:run"):
        with pytest.raises(EntrypointError, match="is imported already, from "):
            resolve_entrypoint(spec, other)
    assert resolve_entrypoint("zz_pack.agent:lazy", root).function is not None


def test_what_is_installed_is_an_entrypoint_too(root: Path) -> None:
    assert call_with_input(resolve_entrypoint("os.path:basename", root), "a/b") == "b"


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ({"city": "Oslo"}, ((({"city": "Oslo"}),), {})),
        ([1, 2], (([1, 2],), {})),
        (None, ((None,), {})),
        ({"$py": "call", "args": [1, {"$py": "tuple", "value": [2]}], "kwargs": {"k": {"$py": "set", "value": [3]}}},
         ((1, (2,)), {"k": {3}})),
    ],
)  # fmt: skip
def test_the_recorded_input_is_given(given: object, value: object) -> None:
    assert call_with_input(lambda *args, **kwargs: (args, kwargs), given) == value


def test_a_function_without_parameters_gets_none() -> None:
    assert call_with_input(lambda: "ran", {"city": "Oslo"}) == "ran"
    assert call_with_input(lambda *, mark=1: mark, {"city": "Oslo"}) == 1


def test_each_call_is_given_a_copy() -> None:
    given = {"items": [1]}
    call_with_input(lambda task: task["items"].append(2), given)
    assert given == {"items": [1]}


def test_an_entrypoint_is_called_as_its_function() -> None:
    found = Entrypoint("x:y", lambda a, b=2: (a, b), Path())
    assert call_with_input(found, {"$py": "call", "args": [1], "kwargs": {"b": 3}}) == (1, 3)
    with pytest.raises(EntrypointError, match="x:y: cannot be called"):
        call_with_input(found, {"$py": "call", "args": [1, 2, 3], "kwargs": {}})
