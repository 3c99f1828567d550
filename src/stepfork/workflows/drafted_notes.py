"""What stands between a drafted test and its fixture: one line each, with what to do."""

from __future__ import annotations

import ast
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

from stepfork.redact.marker import MARKER
from stepfork.trace.fixture import Fixture
from stepfork.workflows.drafted_contracts import contradicted


def differences(path: Path, fixture: Fixture, command: tuple[str, ...], executes: tuple[str, ...]) -> Iterator[str]:
    """Why the test that is there will not go with the fixture as it is now."""
    try:
        text = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        yield "the test's file cannot be read; a test of this fixture was not drafted"
        return
    if not re.search(rf"[\"'/]{re.escape(fixture.name)}(\.json)?[\"']", text):
        yield "that file does not mention this fixture, and is kept: rename the fixture to have a test drafted"
        return
    module = _read(text)
    literals = _literals(module)
    if command and "COMMAND" in literals and literals["COMMAND"] != list(command):
        yield "its COMMAND is not the command captured, so it refuses to run: look at both and edit it"
    listed = literals.get("EXECUTES")
    missing = [tool for tool in executes if isinstance(listed, list) and tool not in listed]
    if missing:
        yield f"its EXECUTES does not list {', '.join(missing)}, so it refuses to run: add what may run"
    if not isinstance(fixture.verification, dict) or not fixture.verification.get("expected_failures"):
        yield from contradicted(module, fixture.run.trace)
    yield from redacted(command)


def redacted(command: tuple[str, ...]) -> Iterator[str]:
    """Why a test will not run a command of which a part was redacted."""
    if any(MARKER in word for word in command):
        yield "the command was redacted, so the test refuses to run: capture it with the secret in the environment"


def namesakes(path: Path, root: Path, within: Path) -> Iterator[str]:
    """Another test file of that name below `within`, both outside of packages: pytest imports them as one module unless
    it is told to import by path. `root` is the folder whose configuration pytest reads."""
    if (path.parent / "__init__.py").exists():
        return
    other = next(_named(path, within), None)
    if other is None:
        return
    if not any(_imports_by_path(root / name) for name in ("pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg")):
        shown = other.relative_to(root).as_posix()
        yield f"{shown} has the same name: give pytest --import-mode=importlib, or rename one of the two"


def _named(path: Path, within: Path) -> Iterator[Path]:
    for folder, inner, files in os.walk(within):
        inner[:] = [name for name in inner if not name.startswith((".", "__")) and name != "node_modules"]
        if "pyvenv.cfg" in files:
            inner.clear()
        elif path.name in files and Path(folder) != path.parent and "__init__.py" not in files:
            yield Path(folder, path.name)


def _imports_by_path(configuration: Path) -> bool:
    try:
        return b"import-mode=importlib" in configuration.read_bytes()
    except OSError:
        return False


def _read(text: str) -> ast.Module:
    """The test's syntax; an empty module where it has none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in someone's test is not ours to report
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _literals(module: ast.Module) -> Mapping[str, object]:
    """The module's names that are bound to a literal at the top."""
    found: dict[str, object] = {}
    for statement in module.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                try:
                    found[name] = ast.literal_eval(value)
                except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                    continue
    return found
