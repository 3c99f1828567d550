"""What a look at a fixture's contracts said, in words."""

from __future__ import annotations

from collections.abc import Iterator

from stepfork.cli.escape import escape
from stepfork.cli.render.columns import row
from stepfork.contracts.verification import Verification

NONE_DRAFTED = "none (no tool call, structured output or cost)"


def short_verdict(verification: Verification | None) -> str:
    """One or two words for a column."""
    if verification is None:
        return "not evaluated"
    if verification.verified and verification.expect_fail:
        return "incident"
    return verification.outcome.replace("_", " ")


def contract_lines(verification: Verification) -> Iterator[str]:
    """How many contracts hold, and each that does not."""
    if not verification.contracts:
        yield from row("contracts", NONE_DRAFTED)
        return
    yield from row("contracts", counted_contracts(verification))
    for one in verification.contracts:
        if one.status != "pass":
            yield f"    FAIL  {escape(one.id)}   {escape(one.explanation)}"


def counted_contracts(verification: Verification) -> str:
    """Such as ``5 pass, 1 fails as expected``."""
    failing = sum(one.status != "pass" for one in verification.contracts)
    passing = len(verification.contracts) - failing
    parts = [f"{passing} pass"] if passing else []
    if failing:
        expected = " as expected" if verification.verified else ""
        parts.append(f"{failing} {'fails' if failing == 1 else 'fail'}{expected}")
    return ", ".join(parts)
