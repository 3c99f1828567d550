"""A generated test, read and never run: what it replays, and what it expects.

The file is parsed, its literals are read back, and nothing in it is imported or executed; so a test that somebody else
wrote can be judged before it is trusted. What cannot be read for certain is refused (exit 2), never guessed at.
"""

from __future__ import annotations

import ast
import stat
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from stepfork.errors import NotFoundError, StoreError, UsageError
from stepfork.score.bindings import bindings, calls, check_calls
from stepfork.score.literal import literal
from stepfork.score.path_shape import path_of
from stepfork.trace.body import JsonValue

MAX_BYTES = 4 << 20
"""Of a test file. A syntax tree takes about a hundred times as much memory as its source."""


@dataclass(frozen=True)
class TestFile:
    """The literals of a generated test. ``expectation`` and ``trajectory`` are JSON values, UNSET where the test has
    none: a JSON ``null`` is an expectation. ``trace_path`` may be there or not; ``root`` is where the entrypoint's
    module is looked for."""

    __test__ = False  # for pytest, which would collect it by its name

    path: Path
    trace_path: Path
    root: Path
    entrypoint: str
    has_expectation: bool
    expectation: JsonValue | msgspec.UnsetType
    trajectory: JsonValue | msgspec.UnsetType
    mode: str


def read_test(path: Path, *, bundle: Path | None = None, shown: str | None = None) -> TestFile:
    """The test at `path`; `bundle` stands in for the recording that it names, `shown` is how messages call it.

    Raises NotFoundError where there is no such file, StoreError where it cannot be read, UsageError for anything else
    than a test that ``stepfork export`` wrote (edited by hand or not).
    """
    where = shown or path.as_posix()
    return parse_test(read_source(path, where), path, bundle=bundle, where=where)


def read_source(path: Path, where: str) -> bytes:
    """The bytes of a test file. Raises as `read_test` does."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise UsageError("is not a file", where=where, fix="name the file of one test")
        if found.st_size > MAX_BYTES:
            raise UsageError(f"is larger than {MAX_BYTES >> 20} MiB", where=where, fix="this is no test to review")
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError("there is no such test", where=where) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "the name holds a NUL character"
        raise StoreError(f"cannot be read ({reason})", where=where) from None


def parse_test(source: bytes, path: Path, *, bundle: Path | None = None, where: str) -> TestFile:
    """`read_test` of a file that was read already."""
    module = _parsed(source, where)
    found = bindings(module, where)
    if "TRACE_PATH" not in found and not any(calls(module)):
        raise UsageError("is no test that stepfork export wrote", where=where, fix="name one that it wrote")
    for name in ("ENTRYPOINT", "EXPECTATION", "HAS_EXPECTATION", *(() if bundle else ("TRACE_PATH",))):
        if name not in found:
            raise UsageError(f"assigns no {name}", where=where, fix="export the test again")
    check_calls(module, found, where)
    root = path_of(found["ROOT"], "ROOT", path, None, where=where) if "ROOT" in found else path.resolve().parent
    has_expectation = _typed(bool, found, "HAS_EXPECTATION", where)
    trajectory = (
        literal(found["TRAJECTORY_EXPECTATION"], "TRAJECTORY_EXPECTATION", where)
        if ("TRAJECTORY_EXPECTATION" in found)
        else None
    )
    expectation = literal(found["EXPECTATION"], "EXPECTATION", where)
    return TestFile(
        path,
        bundle or path_of(found["TRACE_PATH"], "TRACE_PATH", path, root, where=where),
        root,
        _typed(str, found, "ENTRYPOINT", where),
        has_expectation,
        expectation if has_expectation else msgspec.UNSET,
        msgspec.UNSET if trajectory is None else trajectory,
        _typed(str, found, "MODE", where) if "MODE" in found else "frozen",
    )


_T = TypeVar("_T", bool, str)


def _typed(kind: type[_T], found: dict[str, ast.expr], name: str, where: str) -> _T:
    value = literal(found[name], name, where)
    if type(value) is not kind:
        wanted = "True or False" if kind is bool else "a text"
        raise UsageError(f"{name} is not {wanted}", where=f"{where}:{found[name].lineno}", fix="export the test again")
    return value


def _parsed(source: bytes, where: str) -> ast.Module:
    try:
        source.decode("utf-8-sig")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python says of odd escapes is the business of who runs the file
            return ast.parse(source)
    except UnicodeDecodeError as error:
        raise UsageError(f"is not UTF-8 (byte {error.start})", where=where, fix="save it as UTF-8") from None
    except SyntaxError as error:
        raise UsageError("is not valid Python", where=f"{where}:{error.lineno or 1}", fix="mend its syntax") from None
    except (ValueError, RecursionError, MemoryError):
        raise UsageError("cannot be parsed as Python", where=where, fix="export the test again") from None
