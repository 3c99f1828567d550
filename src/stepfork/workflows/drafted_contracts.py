"""What the contracts of a test that was drafted say of a run that was recorded since. The test is read, never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from stepfork.contracts.chain import ExpectChain
from stepfork.contracts.spec import Contract, ToolCardinality
from stepfork.errors import StepforkError
from stepfork.providers.lines import clean_line
from stepfork.providers.tool_arguments import count_calls
from stepfork.trace.step import Trace

_LINKS = ("trajectory", "tool_called_before", "tool_cardinality", "output_matches_schema", "cost_under")
_TOLD = 3
"""Contracts that one line names."""


def contradicted(module: ast.Module, trace: Trace) -> Iterator[str]:
    """That the run does not keep what the test expects, where any of that is written as it was drafted: a chain of
    literals that `contracts` returns."""
    chain = _chain(module, trace)
    broken = [
        contract
        for contract, result in zip(chain.contracts, chain.results() if chain.contracts else (), strict=True)
        if result.status != "pass"
    ]
    if broken:
        told = ", and ".join(_says(contract, trace) for contract in broken[:_TOLD])
        more = f" (and {len(broken) - _TOLD} more)" if len(broken) > _TOLD else ""
        yield f"it says {clean_line(told, 300)}{more}; edit it if the run is right"


def _says(contract: Contract, trace: Trace) -> str:
    """Without a value of the run: those were redacted, and a sentence could make another one of them."""
    if isinstance(contract, ToolCardinality):
        counts = [count for _, count in count_calls(trace, contract.tool, contract.per).values]
        if max(counts, default=0) > contract.at_most:
            return f"at most {contract.at_most}, the run did {max(counts)}: {contract.tool} per {contract.per}"
    return f"otherwise than the run in {contract.id}"


def _chain(module: ast.Module, trace: Trace) -> ExpectChain:
    """Of the chain in the test those links that are literals."""
    chain = ExpectChain(trace)
    for name, call in reversed([*_calls(_returned(module))]):
        with suppress(ValueError, TypeError, SyntaxError, MemoryError, RecursionError, StepforkError):
            positional = [ast.literal_eval(argument) for argument in call.args]
            keywords: dict[str, Any] = {word.arg or "": ast.literal_eval(word.value) for word in call.keywords}
            chain = getattr(chain, name)(*positional, **keywords)
    return chain


def _returned(module: ast.Module) -> ast.expr | None:
    for statement in module.body:
        match statement:
            case ast.FunctionDef(name="contracts", body=[*_, ast.Return(value=value)]):
                return value
    return None


def _calls(value: ast.expr | None) -> Iterator[tuple[str, ast.Call]]:
    """The links of a chain that begins with ``expect(…)``, the last one first; none of any other expression."""
    found = []
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr in _LINKS:
            found.append((value.func.attr, value))
        value = value.func.value
    match value:
        case ast.Call(func=ast.Name(id="expect")):
            yield from found
