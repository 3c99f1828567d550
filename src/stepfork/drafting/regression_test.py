"""A recorded run as a pytest module that runs the entrypoint again: one fixed template, filled with literals.

What a trace or an expectation holds never becomes code: values are JSON literals, paths are text, and the entrypoint is
a text that is resolved when the test runs. ``score`` reads the same names back from the syntax tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from stepfork.drafting.drafted_test import word_of
from stepfork.drafting.literals import WIDTH, assigned, path_called, string
from stepfork.drafting.ways import Root
from stepfork.trace.body import JsonValue

MAX_DEPTH = 100
"""Levels of nesting that a literal is written with. Python reads 200 brackets at most."""

Mode = Literal["frozen", "live"]


class RegressionTest(msgspec.Struct, frozen=True):
    """What a test is written of. ``name`` is the trace's, ``trace`` the way to it from the root, with forward slashes;
    an ``expectation`` that is UNSET leaves the recorded output to compare with."""

    name: str
    root: Root
    trace: str
    entrypoint: str
    expectation: JsonValue | msgspec.UnsetType = msgspec.UNSET
    trajectory: JsonValue = None
    mode: Mode = "frozen"
    allow_live_tools: tuple[str, ...] = ()


def regression_test(test: RegressionTest) -> str:
    """The module's source."""
    return "\n".join([*_head(test), "", *_literals(test), "", "", *_function(test), ""])


def _head(test: RegressionTest) -> Iterator[str]:
    about = "what it must come to" if test.expectation is not msgspec.UNSET else "it must come to what it came to"
    yield f'"""A recorded run, replayed: {about}.'
    yield ""
    yield "Written by stepfork export, from a fixed template. The entrypoint runs; its tools and model"
    if test.mode == "frozen":
        yield "calls are answered from the recording, and a call that was not recorded fails the test."
    else:
        yield "calls are answered from the recording, but for ALLOW_LIVE_TOOLS, which really run."
    yield '"""'
    yield ""
    yield "from pathlib import Path"
    yield ""
    yield "from stepfork.export.runtime import run_regression_case"


def _literals(test: RegressionTest) -> Iterator[str]:
    yield from _root(test.root)
    yield from _trace(test.trace)
    yield from assigned("ENTRYPOINT = ", test.entrypoint)
    has = test.expectation is not msgspec.UNSET
    yield from _value("EXPECTATION", test.expectation if has else None)
    yield f"HAS_EXPECTATION = {has}"
    yield from _value("TRAJECTORY_EXPECTATION", test.trajectory)
    if test.mode == "live":
        yield 'MODE = "live"'
        yield "# Reviewed: the tools that this test really runs, with what they do to the world."
        yield from assigned(
            f"ALLOW_LIVE_TOOLS{'' if test.allow_live_tools else ': list[str]'} = ", test.allow_live_tools
        )


def _root(root: Root) -> Iterator[str]:
    above = f"parents[{root.depth}]" if root.depth else "parent"
    line = f"ROOT = Path(__file__).resolve().{above}"
    if root.below:
        line += f" / {string(root.below)}"
    yield line if len(line.encode()) <= WIDTH else f"{line}  # fmt: skip"


def _trace(way: str) -> Iterator[str]:
    line = f"TRACE_PATH = ROOT / {string(way)}"
    if len(line.encode()) <= WIDTH:
        yield line
    else:  # with its comma a formatter leaves this as it is
        yield from path_called("TRACE_PATH = ROOT.joinpath", way)


def _value(name: str, value: JsonValue) -> Iterator[str]:
    yield from assigned(f"{name}{_annotation(value)} = ", value)


def _annotation(value: JsonValue) -> str:
    """What a type checker has to be told: it cannot guess what an empty list or object is one of."""
    if not _has_empty(value):
        return ""
    return ": dict[str, object]" if isinstance(value, dict) else ": list[object]"


def _has_empty(value: JsonValue) -> bool:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict | list | tuple):
            if not node:
                return True
            waiting += node.values() if isinstance(node, dict) else node
    return False


def _function(test: RegressionTest) -> Iterator[str]:
    yield f"def test_stepfork_regression_{_word(test.name)}() -> None:"
    yield "    run_regression_case("
    yield "        trace_path=TRACE_PATH,"
    yield "        entrypoint=ENTRYPOINT,"
    yield "        expectation=EXPECTATION,"
    yield "        has_expectation=HAS_EXPECTATION,"
    yield "        trajectory=TRAJECTORY_EXPECTATION,"
    yield "        root=ROOT,"
    if test.mode == "live":
        yield "        mode=MODE,"
        yield "        allow_live_tools=ALLOW_LIVE_TOOLS,"
    yield "    )"


def _word(name: str) -> str:
    """The name as a part of the function's: short enough that its line is not cut, in scripts of two columns too."""
    made, columns = "", WIDTH - len("def test_stepfork_regression_() -> None:")
    for char in word_of(name):
        columns -= 1 if char.isascii() else 2
        if columns < 0:
            break
        made += char
    return made.strip("_") or "trace"
