"""A fixture and its contracts as a pytest module that people review, edit and keep."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Literal

import msgspec

from stepfork.contracts.spec import (
    Contract,
    CostUnder,
    OutputSchema,
    ToolCalledBefore,
    ToolCardinality,
    Trajectory,
)
from stepfork.drafting.literals import WIDTH, assigned, called, string, wrapped
from stepfork.trace.body import JsonValue

_LONGEST = 34
"""Characters of the fixture's name in the test function's: with the rest of its line they make one that is not cut."""


class Draft(msgspec.Struct, frozen=True):
    """What a test is drafted from.

    ``manifest`` is the fixture's path from the folder that holds the store, ``depth`` the number of folders that the
    test stands below that one, ``cwd`` where the command ran, from there too; all with forward slashes. Without a
    ``command`` the test looks at the recorded run. ``failures`` are the ids of contracts that an incident is expected
    to fail. ``executes`` are the tools that a replay runs for real, ``answers`` those that it does not run.
    """

    name: str
    manifest: str
    depth: int
    contracts: tuple[Contract, ...]
    command: tuple[str, ...] = ()
    cwd: str = "."
    executes: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


def word_of(name: str) -> str:
    """A fixture's name as a part of a Python identifier and of a file's name: lower case, other characters ``_``."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).lower())
    return "".join(char if f"_{char}".isidentifier() else "_" for char in plain)


def drafted_test(draft: Draft) -> str:
    """The module's source: literals to review, the contracts, one test. The fixture is read when the test runs."""
    return "\n".join([*_head(draft), "", "", *_contracts(draft), "", "", *_test(draft), ""])


def _head(draft: Draft) -> Iterator[str]:
    yield from _docstring(draft)
    yield ""
    yield "from pathlib import Path"
    yield ""
    used = {"again": "evaluate, expect, replay_run", "incident": "expect, inspect_fixture"}
    names = used.get(_kind(draft), "evaluate, expect, inspect_fixture")
    yield f"from stepfork.testing import ExpectChain, Trace, {names}"
    yield ""
    yield f"ROOT = Path(__file__).parents[{draft.depth}]  # the folder that holds the fixtures' store"
    yield from _path("FIXTURE", draft.manifest)
    if draft.command:
        yield from ["RUN_DIR = ROOT"] if draft.cwd == "." else _path("RUN_DIR", draft.cwd)
        yield "# Reviewed: the only command that this test runs."
        yield from assigned("COMMAND = ", draft.command)
        yield "# Reviewed: the tools that this command really runs, with what they do to the world."
        if draft.answers:
            told = ", ".join(draft.answers)
            yield from wrapped(f"Instrumented, so the fixture answers and they do not run: {told}.", indent=0)
        yield from assigned("EXECUTES = " if draft.executes else "EXECUTES: list[str] = ", draft.executes)
    elif draft.failures:
        yield "# What the recording makes of each contract: the incident fails those that are to catch it."
        statuses = {one.id: "hard_fail" if one.id in draft.failures else "pass" for one in draft.contracts}
        yield from assigned("STATUSES = ", statuses)


def _docstring(draft: Draft) -> Iterator[str]:
    about = {
        "again": "the agent runs again, offline, answered from its recording",
        "incident": "its recording still shows the incident",
        "recorded": "its recording satisfies the contracts",
    }[_kind(draft)]
    first = f'"""{draft.name}: {about}.'
    yield first if len(first) <= WIDTH else f'"""Of one fixture: {about}.'
    yield ""
    if draft.command:
        yield "Drafted by stepfork, never overwritten: edit it into what you rely on. What runs is"
        yield "COMMAND; a fixture that was recorded from another command is refused."
        if draft.failures:
            yield ""
            yield "Drafted from an incident, which failed what is to catch it. The agent fails too until it"
            yield "is fixed; a fixed one asks what that recording cannot answer, so it is recorded anew:"
            yield "stepfork capture --refresh with the fixture's name."
    else:
        yield "Drafted by stepfork, never overwritten: edit it into what you rely on. The agent is not"
        yield "run, because the fixture has no command whose model calls were recorded."
    yield '"""'


def _path(name: str, below: str) -> Iterator[str]:
    line = f"{name} = ROOT / {string(below)}"
    if len(line.encode()) <= WIDTH:
        yield line
    else:
        yield from called(f"{name} = ROOT.joinpath", [("", below)])


def _contracts(draft: Draft) -> Iterator[str]:
    yield "def contracts(trace: Trace) -> ExpectChain:"
    yield "    return ("
    yield "        expect(trace)"
    for contract in draft.contracts:
        says = f"{contract.id}: {_says(contract)}" if contract.id else _says(contract)
        yield from wrapped(says + (" (the incident failed this)" if contract.id in draft.failures else ""), indent=8)
        yield from called(*_call(contract), indent=8)
    yield "    )"


def _says(contract: Contract) -> str:
    """The contract in words."""
    match contract:
        case Trajectory(mode=mode):
            return {
                "superset": "each of these is called",
                "subset": "none but these is called",
                "exact": "these are called, in this order",
                "unordered": "these are called, in any order",
            }[mode]
        case ToolCalledBefore():
            return "by their first calls"
        case ToolCardinality(tool=tool, per=per, at_most=at_most):
            return f"{tool} at most {_times(at_most)} per {per}"
        case OutputSchema():
            return "the output has these members, of these types"
        case CostUnder():
            return "what a run may cost, in US dollars"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _call(contract: Contract) -> tuple[str, list[tuple[str, JsonValue]]]:
    """The method of the chain, and its arguments."""
    match contract:
        case Trajectory(tools=tools, mode=mode):
            return ".trajectory", [("", tools), ("mode=", mode)]
        case ToolCalledBefore(first=first, then=then):
            return ".tool_called_before", [("", first), ("", then)]
        case ToolCardinality(tool=tool, per=per, at_most=at_most):
            return ".tool_cardinality", [("", tool), ("per=", per), ("at_most=", at_most)]
        case OutputSchema(schema=schema):
            return ".output_matches_schema", [("", schema)]
        case CostUnder(usd=usd):
            return ".cost_under", [("", usd)]


def _test(draft: Draft) -> Iterator[str]:
    word = word_of(draft.name)[:_LONGEST].strip("_") or "fixture"
    match _kind(draft):
        case "again":
            yield f"def test_{word}_new_run_consistent_with_recording() -> None:"
            yield "    trace = replay_run(FIXTURE, command=COMMAND, cwd=RUN_DIR, executes=EXECUTES)"
            yield "    evaluate(contracts(trace))"
        case "recorded":
            yield f"def test_{word}_recording_satisfies_contracts() -> None:"
            yield "    evaluate(contracts(inspect_fixture(FIXTURE).trace))"
        case "incident":
            yield f"def test_{word}_recording_shows_the_incident() -> None:"
            yield "    results = contracts(inspect_fixture(FIXTURE).trace).results()"
            yield "    assert {result.id: result.status for result in results} == STATUSES"


def _kind(draft: Draft) -> Literal["again", "recorded", "incident"]:
    if draft.command:
        return "again"
    return "incident" if draft.failures else "recorded"
