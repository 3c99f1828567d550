"""Which contracts of a fixture fail that held, or hold because less is asked; which were repaired."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from stepfork.diff.run_breaks import Break, shown_by
from stepfork.providers.shapes import dict_of, list_of
from stepfork.providers.tool_arguments import count_calls, identity
from stepfork.providers.tool_arguments import shown as value_shown
from stepfork.trace.fixture import Fixture


class Verdicts(msgspec.Struct, frozen=True):
    """What a fixture says of its contracts: each by its id, and of those that were evaluated whether they failed, with
    the explanation."""

    contracts: dict[str, dict[str, Any]]
    failed: dict[str, bool]
    told: dict[str, str]
    outcome: str


def verdicts_of(fixture: Fixture) -> Verdicts:
    """The verdicts of one side; what has no id is left out."""
    listed = [one for one in fixture.contracts if isinstance(one, dict) and isinstance(one.get("id"), str)]
    verification = dict_of(fixture.verification)
    results = [dict_of(one) for one in list_of(verification.get("contracts"))]
    named = {str(one["id"]): one for one in results if isinstance(one.get("id"), str)}
    return Verdicts(
        {str(one["id"]): one for one in listed},
        {name: one.get("status") != "pass" for name, one in named.items()},
        {name: str(one.get("explanation", "")) for name, one in named.items()},
        str(verification.get("outcome", "")),
    )


def repaired_tools(old: Verdicts, new: Verdicts) -> frozenset[str]:
    """The tools of contracts that failed and hold now, with no less asked."""
    tools: set[str] = set()
    for name, failed in old.failed.items():
        if (
            failed
            and new.failed.get(name) is False
            and not _is_weaker(old.contracts.get(name), new.contracts.get(name))
        ):
            contract = new.contracts.get(name, {})
            named = [contract.get(member) for member in ("tool", "first", "then")]
            tools.update(tool for tool in (*named, *list_of(contract.get("tools"))) if isinstance(tool, str))
    return frozenset(tools)


def verdict_breaks(old: Fixture, new: Fixture) -> Iterator[Break]:
    """What no longer holds of the contracts, each once."""
    before, after = verdicts_of(old), verdicts_of(new)
    found = False
    for name, contract in after.contracts.items():
        earlier = before.contracts.get(name)
        worse = _worse(contract, old, new)
        weaker = _is_weaker(earlier, contract)
        fails = after.failed.get(name) is True
        failed = before.failed.get(name)
        shows = shown_by("contracts", f"contract {name}"), shown_by("verification")
        if weaker and not fails:
            found = True
            yield Break(
                "contract-weakened", worse or _weaker(earlier, contract), shows, f"contract {name}", "contracts"
            )
        elif fails and (worse if contract.get("kind") == "tool_cardinality" else failed is False):
            found = True
            yield Break("contract-failing", worse or after.told[name], shows, f"contract {name}", "contracts")
    repaired = True in before.failed.values() and True not in after.failed.values()
    if not (found or repaired) and after.outcome == "not_verified" and before.outcome not in ("not_verified", ""):
        shown = (shown_by("verification"),)
        yield Break("not-verified", "the run is no longer verified", shown, "verification", "verification")


def _is_weaker(old: dict[str, Any] | None, new: dict[str, Any] | None) -> bool:
    """Whether a contract lets a tool be called more often."""
    bounds = [None if one is None else one.get("at_most") for one in (old, new)]
    return all(isinstance(one, int) for one in bounds) and bounds[1] > bounds[0]  # type: ignore[operator]


def _weaker(old: dict[str, Any] | None, new: dict[str, Any]) -> str:
    most = f"{new.get('at_most')}× for each {new.get('per')}, was {dict_of(old).get('at_most')}×"
    return f"{new.get('tool')} may be called {most}"


def _worse(contract: dict[str, Any], old: Fixture, new: Fixture) -> str:
    """``issue_refund 1× → 2× for order_id=O-1042``: the value for which a tool is called more often than it was for
    any; empty where there is none."""
    tool, per = contract.get("tool"), contract.get("per")
    if not isinstance(tool, str) or not isinstance(per, str):
        return ""
    before, after = (count_calls(side.run.trace, tool, per) for side in (old, new))
    known = {identity(value): count for value, count in before.values}
    most = max(known.values(), default=0)
    for value, count in after.values:
        if count > max(most, 1):
            return f"{tool} {known.get(identity(value), most)}× → {count}× for {per}={value_shown(value)}"
    return ""
