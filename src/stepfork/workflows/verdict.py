"""What a fixture says of its contracts, held against what they say now."""

from __future__ import annotations

from stepfork.capture.check import check_trace
from stepfork.contracts.json_form import contracts_from_json, verification_from_json
from stepfork.contracts.verification import Verification
from stepfork.contracts.verify import recheck
from stepfork.trace.finding import TraceFinding
from stepfork.trace.fixture import Fixture


def findings_of(fixture: Fixture, *, where: str) -> tuple[Verification | None, tuple[TraceFinding, ...]]:
    """What the manifest says, None where its contracts were never evaluated, and what is found of the fixture: of its
    trace now and by its capture, and that the verdict is another one by now.

    Raises ManifestError where a contract cannot be evaluated, or the verdict cannot be read."""
    contracts = contracts_from_json(fixture.contracts, where=where)
    verification = verification_from_json(fixture.verification, where=where)
    findings = check_trace(fixture.run.trace, fixture.run.exchanges)
    if verification is None:
        return None, findings
    findings += tuple(finding for finding in verification.trace_check if finding not in findings)
    differing = recheck(fixture.run, contracts, findings, verification)
    return verification, findings if differing is None else (*findings, differing)
