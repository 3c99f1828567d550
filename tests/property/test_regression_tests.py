"""Any trace, any expectation: an exported test parses, says exactly that, runs nothing else, and pleases its tools."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stepfork.drafting.regression_test import RegressionTest, regression_test
from stepfork.drafting.ways import Root
from stepfork.score.testfile import parse_test

TEXTS = st.text(max_size=150) | st.text("ab'\"\\\n\r {}#%éあ\u200d\u0301\u2028", max_size=150)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)
WORDS = st.text(st.characters(codec=None, exclude_characters="/\0"), min_size=1, max_size=80).filter(
    lambda word: word not in (".", "..")
)
PATHS = st.lists(WORDS, min_size=1, max_size=4).map("/".join)
TESTS = st.builds(
    RegressionTest,
    name=st.text(st.characters(codec=None), max_size=60),
    root=st.builds(Root, st.integers(0, 9), st.just("") | PATHS),
    trace=PATHS,
    entrypoint=st.sampled_from(["agent:run", "a.b.c:D.e", "größe:läuft"]),
    expectation=VALUES | st.just(msgspec.UNSET),
    trajectory=st.none() | st.dictionaries(TEXTS, VALUES, min_size=1, max_size=3),
    mode=st.sampled_from(["frozen", "live"]),
    allow_live_tools=st.lists(TEXTS, max_size=3).map(tuple),
)
FUNCTION = [ast.ImportFrom, ast.ImportFrom, ast.FunctionDef]


@settings(max_examples=150)
@given(TESTS)
@example(RegressionTest("n", Root(0, ""), "x", "a:b", {"quotes": "''' \"\"\" \\ {x} %s", "newline": "a\nb\r\nc"}))
def test_a_module_holds_its_values_exactly_and_nothing_else_that_runs(test: RegressionTest) -> None:
    source = regression_test(test).encode()
    assert b"\r" not in source
    module = ast.parse(source)
    assert isinstance(module.body[0], ast.Expr)
    assert isinstance(module.body[0].value, ast.Constant)
    kinds = [type(node) for node in module.body[1:] if not isinstance(node, ast.Assign | ast.AnnAssign)]
    assert kinds == FUNCTION
    values: dict[str, Any] = {}
    for node in module.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            assert isinstance(target, ast.Name)
            if target.id not in ("ROOT", "TRACE_PATH"):
                assert node.value is not None
                values[target.id] = ast.literal_eval(node.value)
    has = test.expectation is not msgspec.UNSET
    assert spelled(values["EXPECTATION"]) == spelled(test.expectation if has else None)
    assert values["HAS_EXPECTATION"] is has
    assert spelled(values["TRAJECTORY_EXPECTATION"]) == spelled(test.trajectory)
    assert values["ENTRYPOINT"] == test.entrypoint
    assert values.get("ALLOW_LIVE_TOOLS") == ([*test.allow_live_tools] if test.mode == "live" else None)


@settings(max_examples=100)
@given(TESTS)
def test_score_reads_the_same_from_the_module(test: RegressionTest) -> None:
    file = Path("/p", *"abcdefghi", "test_x.py")
    read = parse_test(regression_test(test).encode(), file, where="test_x.py")
    root = file.parents[test.root.depth].joinpath(test.root.below)
    assert (read.root, read.trace_path) == (root, root / test.trace)
    assert read.has_expectation == (test.expectation is not msgspec.UNSET)
    if read.has_expectation:
        assert spelled(read.expectation) == spelled(test.expectation)
    assert (read.trajectory is msgspec.UNSET) == (test.trajectory is None)


def spelled(value: Any) -> str:
    """Tells ``1`` from ``true`` and ``1.0``, and ``0.0`` from ``-0.0``."""
    return json.dumps(value)


def test_formatters_linters_and_type_checkers_leave_modules_alone(tmp_path: Path) -> None:
    number = count()

    @settings(max_examples=40)
    @given(TESTS)
    def write(test: RegressionTest) -> None:
        (tmp_path / f"test_{next(number)}.py").write_bytes(regression_test(test).encode())

    write()
    bin_folder = Path(sys.executable).parent
    for width in ("88", "120"):  # the usual formatters' own, and the widest that is usual
        words = ["format", "--isolated", "--no-cache", "--diff", "--line-length", width, tmp_path]
        done = subprocess.run([bin_folder / "ruff", *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    words = [
        "check",
        "--isolated",
        "--no-cache",
        "--select",
        "E,W,F,I,UP,B,C4,SIM,RET,ISC,PTH,D",
        "--ignore",
        "E501,D1,D2",
    ]
    done = subprocess.run([bin_folder / "ruff", *words, tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    stubs = signatures(tmp_path / "stubs")
    words = ["--strict", "--no-incremental", "--config-file=", *sorted(tmp_path.glob("*.py"))]
    done = subprocess.run(
        [bin_folder / "mypy", *words], capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(stubs)}
    )
    assert done.returncode == 0, done.stdout + done.stderr


def signatures(folder: Path) -> Path:
    """The module that tests import as a stub: a type checker reads its signature, and not all that it needs."""
    from stepfork.export import runtime

    module = ast.parse(Path(runtime.__file__).read_bytes())
    (function,) = [node for node in module.body if isinstance(node, ast.FunctionDef) and node.name[0] != "_"]
    function.body = [ast.Expr(ast.Constant(...))]
    imports = [node for node in module.body if isinstance(node, ast.ImportFrom | ast.Import)]
    own = [
        node for node in imports if not (isinstance(node, ast.ImportFrom) and str(node.module).startswith("stepfork"))
    ]
    place = folder / "stepfork" / "export"
    place.mkdir(parents=True)
    (folder / "stepfork" / "__init__.pyi").touch()
    (place / "__init__.pyi").touch()
    (place / "runtime.pyi").write_text(ast.unparse(ast.Module([*own, function], [])))
    return folder
