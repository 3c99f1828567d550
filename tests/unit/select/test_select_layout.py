"""Where pytest's root is, what it collects, and what its node ids look like."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepfork.errors import ConfigError
from stepfork.select.collection import Collection
from stepfork.select.layout import Layout, find_layout


@pytest.mark.parametrize(
    ("files", "root"),
    [
        ({}, "services/agent"),
        ({"pyproject.toml": "[project]\nname = 'x'\n"}, ""),
        ({"services/pytest.ini": ""}, "services"),
        ({"services/agent/.pytest.ini": "", "pytest.ini": ""}, "services/agent"),
        ({"services/agent/pyproject.toml": "", "setup.cfg": "[tool:pytest]\n"}, ""),
        ({"services/agent/pyproject.toml": "[tool.pytest.ini_options]\n", "pytest.ini": ""}, "services/agent"),
        ({"services/tox.ini": "[tox]\n", "tox.ini": "[pytest]\n"}, ""),
        ({"services/setup.cfg": "[metadata]\nname = pytest\n"}, "services/agent"),
    ],
)
def test_the_root_is_where_pytest_finds_it(tmp_path: Path, files: dict[str, str], root: str) -> None:
    (tmp_path / "services/agent").mkdir(parents=True)
    for path, text in files.items():
        (tmp_path / path).write_text(text)
    assert find_layout(str(tmp_path), "services/agent").root == root


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\npython_files = ['check_*.py']\npython_functions = 'check spec_*'\n",
        ),
        ("pytest.ini", "[pytest]\npython_files = check_*.py\npython_functions =\n    check\n    spec_*\n"),
        ("setup.cfg", "[tool:pytest]\npython_files = check_*.py\npython_functions = check spec_*\n"),
        ("pytest.toml", "[pytest]\npython_files = ['check_*.py']\npython_functions = ['check', 'spec_*']\n"),
    ],
)
def test_patterns_of_the_project(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    layout = find_layout(str(tmp_path), "")
    assert layout.is_test("a/check_b.py")
    assert not layout.is_test("a/test_b.py")
    assert layout.collection.is_test_function("checks")
    assert layout.collection.is_test_function("spec_a")
    assert not layout.collection.is_test_function("test_a")
    assert layout.collection.is_test_class("TestA")
    assert layout.module_marks() == ["check_"]
    assert ":(top)*check_*.py" in layout.pathspecs()


@pytest.mark.parametrize(
    ("path", "test", "support"),
    [
        ("tests/test_a.py", True, False),
        ("a_test.py", True, False),
        ("src/deep/test_a.py", True, False),
        ("tests/helpers.py", False, True),
        ("conftest.py", False, True),
        ("src/conftest.py", False, True),
        ("checks/names.py", False, True),
        ("src/agent.py", False, False),
        ("tests/data.json", False, False),
        ("latest/x.py", False, False),
    ],
)
def test_kinds_of_files(path: str, test: bool, support: bool) -> None:
    layout = Layout("", Collection(testpaths=("checks", "tests")))
    assert (layout.is_test(path), layout.is_support(path)) == (test, support)
    inside = Layout("services/agent", Collection(testpaths=("checks",)))
    assert not inside.is_test(path)
    assert inside.is_test(f"services/agent/{path}") == test


@pytest.mark.parametrize(
    ("path", "node", "identity"),
    [
        ("tests/test_a.py", (), "tests/test_a.py"),
        ("tests/test_a.py", ("TestA", "test_b"), "tests/test_a.py::TestA::test_b"),
        ("-x/test_a.py", ("test_b",), "./-x/test_a.py::test_b"),
        ("@x/test_a.py", (), "./@x/test_a.py"),
        ("a [b]/test_a.py", ("test_b",), "."),
        ("tests/a::b/test_a.py", ("test_b",), "./tests"),
    ],
)
def test_node_ids_are_safe_to_pass_on(path: str, node: tuple[str, ...], identity: str) -> None:
    assert Layout("", Collection()).node_id(path, node) == identity


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("pyproject.toml", b"[tool.pytest\n"),
        ("pyproject.toml", b"pytest = '\xff'\n"),
        ("pytest.ini", b"pytest without a section\n"),
    ],
)
def test_an_unreadable_configuration_is_named(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ConfigError, match=name):
        find_layout(str(tmp_path), "")
