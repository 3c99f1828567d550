"""What a capture found of a run, as a value that every view is made of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from stepfork.contracts.verification import Outcome, Verification
from stepfork.normalize.reasons import Explained
from stepfork.redact.finding import Finding
from stepfork.trace.finding import TraceFinding
from stepfork.trace.fixture import Fixture, Run
from stepfork.workflows.draft_test import Drafted


@dataclass(frozen=True)
class CaptureResult:
    """What a capture found.

    `fixture` is None where the run cannot be one and `problems` say why; `verification` says what holds of it. `fixed`:
    it was an incident, and every contract holds now. `path` is where it was kept, None before that, `draft` where the
    redacted draft of a run that is no fixture lies, `test` the test that goes with it, `untested` why there should be
    one and is none. `notices` are hints that fail nothing. `files` and `size` (bytes) count what the fixture reaches,
    `new_files` those that were not there with these bytes; `seconds` is how long the run took; `signal` ended it.
    `store` is the folder that holds the fixture, None for a bundle. `reused` counts the calls that a recording
    answered, None where none was asked. `explained` says what was templated and why, None where nobody asked.
    """

    name: str
    fixture: Fixture | None
    path: Path | None
    run: Run
    seconds: float
    spans: int
    redactions: tuple[Finding, ...] = ()
    findings: tuple[TraceFinding, ...] = ()
    verification: Verification | None = None
    fixed: bool = False
    problems: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    draft: Path | None = None
    test: Drafted | None = None
    untested: str = ""
    files: int = 0
    size: int = 0
    new_files: int = 0
    store: Path | None = None
    signal: int | None = None
    reused: int | None = None
    explained: Explained | None = None

    @property
    def outcome(self) -> Outcome:
        """The verification's; a run that is no fixture is not verified."""
        return "not_verified" if self.fixture is None or self.verification is None else self.verification.outcome

    @property
    def expected_failures(self) -> tuple[str, ...]:
        """The ids of the contracts that an incident fails."""
        return self.verification.expected_failures if self.verification is not None else ()

    @property
    def causes(self) -> tuple[str, ...]:
        """Every reason why the run is no fixture, or one that is not verified, each with what to do."""
        return self.problems or (self.verification.causes if self.verification is not None else ())

    @property
    def all_notices(self) -> tuple[str, ...]:
        """The notices, and what is said in place of a test."""
        return (*self.notices, self.untested) if self.untested else self.notices

    @property
    def redacted(self) -> dict[str, int]:
        """How often each rule was used."""
        return dict(sorted(Counter(finding.rule for finding in self.redactions).items()))
