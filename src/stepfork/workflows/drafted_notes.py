"""What stands between a drafted test and its fixture: one line each, with what to do."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

from stepfork.redact.marker import MARKER
from stepfork.trace.fixture import Fixture
from stepfork.workflows.drafted_contracts import contradicted
from stepfork.workflows.namesakes import namesake


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
    """Another test file of that name below `within`. `root` is the folder that it is told from."""
    other = namesake(path, within)
    if other is not None:
        shown = other.relative_to(root.resolve()).as_posix()
        yield f"{shown} has the same name: give pytest --import-mode=importlib, or rename one of the two"


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
