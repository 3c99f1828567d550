"""Any name and any values make a module that parses, says exactly those values, and that no formatter would change."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.contracts.spec import Contract, CostUnder, OutputSchema, ToolCalledBefore, ToolCardinality, Trajectory
from stepfork.drafting.drafted_test import Draft, drafted_test

TEXTS = st.text(st.characters(codec=None), max_size=150) | st.text("ab'\"\\\n {}#éあ\u200d\u0301\ud800", max_size=150)
WORDS = st.lists(TEXTS, max_size=5).map(tuple)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=6,
)
CONTRACTS = st.one_of(
    st.builds(Trajectory, WORDS, st.sampled_from(["exact", "superset", "subset", "unordered"]), TEXTS),
    st.builds(ToolCalledBefore, TEXTS, TEXTS, TEXTS),
    st.builds(ToolCardinality, TEXTS, TEXTS, st.integers(0, 1000), TEXTS),
    st.builds(OutputSchema, VALUES, TEXTS),
    st.builds(CostUnder, st.floats(0, 1e9, allow_nan=False), TEXTS),
)
NAMES = st.text(st.characters(categories=["L", "M", "N"]), min_size=1, max_size=60) | st.text(
    "aB1_-./", min_size=1, max_size=190
)
DRAFTS = st.builds(
    Draft,
    name=NAMES,
    manifest=NAMES.map(lambda name: f".stepfork/fixtures/{name}.json"),
    depth=st.integers(0, 9),
    contracts=st.lists(CONTRACTS, min_size=1, max_size=4).map(tuple),
    command=WORDS,
    cwd=st.sampled_from([".", "..", "services/shop"]) | NAMES,
    executes=WORDS,
    failures=st.sampled_from([(), ("a",)]),
)


@settings(max_examples=50)
@given(DRAFTS)
def test_a_drafted_module_says_what_it_was_given(draft: Draft) -> None:
    module = ast.parse(drafted_test(draft).encode())
    names = dict(_assigned(module))
    assert _last_text(names["FIXTURE"]) == draft.manifest
    if draft.command:
        assert ast.literal_eval(names["COMMAND"]) == list(draft.command)
        assert ast.literal_eval(names["EXECUTES"]) == list(draft.executes)
        assert draft.cwd == "." or _last_text(names["RUN_DIR"]) == draft.cwd
    assert repr([_said(link) for link in _chain(module)]) == repr([_meant(one) for one in draft.contracts])


def test_a_formatter_leaves_drafted_modules_as_they_are(tmp_path: Path) -> None:
    number = count()

    @settings(max_examples=40)
    @given(DRAFTS)
    def write(draft: Draft) -> None:
        (tmp_path / f"test_{next(number)}.py").write_bytes(drafted_test(draft).encode())

    write()
    ruff = [Path(sys.executable).with_name("ruff")]
    for width in ("88", "120"):  # the usual formatters' own, and the widest that is usual
        words = ["format", "--isolated", "--no-cache", "--diff", "--line-length", width, tmp_path]
        done = subprocess.run([*ruff, *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    words = ["check", "--isolated", "--no-cache", "--select", "E,W,F,I,UP,B,C4,SIM,RET,ISC,PTH", "--ignore", "E501"]
    done = subprocess.run([*ruff, *words, tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def _assigned(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for statement in module.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                yield name, value


def _last_text(node: ast.expr) -> Any:
    part = node.right if isinstance(node, ast.BinOp) else node.args[-1] if isinstance(node, ast.Call) else node
    return ast.literal_eval(part)


def _chain(module: ast.Module) -> list[ast.Call]:
    (function,) = (node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == "contracts")
    (statement,) = function.body
    assert isinstance(statement, ast.Return)
    links: list[ast.Call] = []
    node = statement.value
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        links.insert(0, node)
        node = node.func.value
    assert ast.unparse(node) == "expect(trace)"
    return links


def _said(link: ast.Call) -> tuple[Any, ...]:
    assert isinstance(link.func, ast.Attribute)
    words = [ast.literal_eval(argument) for argument in link.args]
    return (link.func.attr, *words, *((word.arg, ast.literal_eval(word.value)) for word in link.keywords))


def _meant(contract: Contract) -> tuple[Any, ...]:
    match contract:
        case Trajectory(tools=tools, mode=mode):
            return "trajectory", list(tools), ("mode", mode)
        case ToolCalledBefore(first=first, then=then):
            return "tool_called_before", first, then
        case ToolCardinality(tool=tool, per=per, at_most=at_most):
            return "tool_cardinality", tool, ("per", per), ("at_most", at_most)
        case OutputSchema(schema=schema):
            return "output_matches_schema", schema
        case CostUnder(usd=usd):
            return "cost_under", usd
