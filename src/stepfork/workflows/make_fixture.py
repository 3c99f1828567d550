"""A finished recording becomes a fixture: assemble → redact → normalize → check → contracts → store.

Read top-down in `make_fixture` and `keep_fixture`. A watched command, a block of code in this process and a file of
spans all come through here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec

from stepfork.capture.assemble import assemble
from stepfork.capture.check import check_trace
from stepfork.config.project import Settings
from stepfork.contracts.draft import draft
from stepfork.contracts.json_form import contract_to_json, verification_to_json
from stepfork.contracts.verification import Outcome, Verification
from stepfork.contracts.verify import verify
from stepfork.errors import NotFoundError, StepforkError, StoreError
from stepfork.listener.watch import Recording
from stepfork.normalize.known import Context
from stepfork.normalize.normalize import normalize_parts
from stepfork.normalize.request_key import RunKeys
from stepfork.redact.finding import Finding
from stepfork.redact.redactor import redact_run, redact_text
from stepfork.redact.secrets import Secrets
from stepfork.store.bundle import check_bundle_path, write_bundle
from stepfork.store.drafts import remove_draft, write_draft
from stepfork.store.names import check_name
from stepfork.store.store import Store
from stepfork.trace.body import JsonValue
from stepfork.trace.finding import TraceFinding
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import StepError, Trace
from stepfork.workflows.draft_test import Drafted, path_of_test, write_drafted_test
from stepfork.workflows.run_problems import hints_of, problems_of
from stepfork.workflows.surroundings import surroundings


@dataclass(frozen=True)
class FixtureRequest:
    """What is to become of a run.

    `environ` and `cwd` are where it runs: their secrets and folders are taken out of it. `output` names a bundle
    instead of the store. `expect_fail`: the run is an incident, and some contract must fail on it; `may_be_fixed`: a
    refresh of one, which the agent may have got over. `require_spans`: without any span there is no fixture.
    `replaces` is the manifest that must still be there when the fixture is written, b"" where none must be, None where
    that is not asked. `settings` are the project's. `draft_test`: a fixture that holds gets a test, unless it has one.
    """

    name: str
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: Path = field(default_factory=Path.cwd)
    output: Path | None = None
    expect_fail: bool = False
    may_be_fixed: bool = False
    require_spans: bool = False
    replaces: bytes | None = field(default=None, repr=False)
    settings: Settings = field(default_factory=Settings)
    draft_test: bool = True

    @property
    def tests(self) -> str | None:
        """The folder of its test, from the one that holds the store; None where none is drafted."""
        return self.settings.tests if self.draft_test and self.output is None else None


@dataclass(frozen=True)
class Told:
    """What a program said itself of its run: it wins over what was seen of it. With an `error` there is no output."""

    agent: str | None = None
    output: JsonValue | msgspec.UnsetType = msgspec.UNSET
    error: StepError | None = None


@dataclass(frozen=True)
class CaptureResult:
    """What a capture found.

    `fixture` is None where the run cannot be one and `problems` say why; `verification` says what holds of it. `fixed`:
    it was an incident, and every contract holds now. `path` is where it was kept, None before that, `draft` where the
    redacted draft of a run that is no fixture lies, `test` the test that goes with it. `notices` are hints that fail
    nothing. `files` and `size` (bytes) count what the fixture reaches, `new_files` those that were not there with these
    bytes; `seconds` is how long the run took; `signal` ended it. `store` is the folder that holds the fixture, None for
    a bundle. `reused` counts the calls that a recording answered, None where none was asked.
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
    files: int = 0
    size: int = 0
    new_files: int = 0
    store: Path | None = None
    signal: int | None = None
    reused: int | None = None

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
    def redacted(self) -> dict[str, int]:
        """How often each rule was used."""
        return dict(sorted(Counter(finding.rule for finding in self.redactions).items()))


def check_request(request: FixtureRequest, store: Store) -> None:
    """Everything that could refuse the fixture, asked before anything runs: a paid run is never lost to it.

    Raises UsageError or StoreError."""
    check_name(request.name)
    if request.output is not None:
        check_bundle_path(request.output)
        return
    store.check_writable(request.name)
    if request.tests is not None:
        path_of_test(store, request.name, request.tests)


Request = TypeVar("Request", bound=FixtureRequest)


def as_of_now(request: Request, store: Store) -> Request:
    """`request`, to replace the manifest that there is now or none: what another writer makes meanwhile stays."""
    if request.output is not None:
        return request
    try:
        return replace(request, replaces=store.manifest(request.name))
    except NotFoundError:
        return replace(request, replaces=b"")


def make_fixture(
    request: FixtureRequest, recording: Recording, source: Source, secrets: Secrets, told: Told | None = None
) -> CaptureResult:
    """What a recording becomes: a fixture, or the problems that keep it from being one. `keep_fixture` writes it.

    `secrets` are collected by the caller: the `.env` file is read before the run, which must not be lost to it. The
    calls are taken out of `recording`: a run of half a gigabyte stands here once."""
    context = surroundings(request.environ, request.cwd, recording)
    source = msgspec.structs.replace(source, flags=flags_of(request))
    redacted, redactions = redact_run(_assembled(request, recording, source, context, told or Told()), secrets)
    source, exchanges, trace = redacted.source, list(redacted.exchanges), redacted.trace
    del redacted
    run = normalize_parts(source, exchanges, trace, context)
    problems = tuple(
        redact_text(problem, secrets) for problem in problems_of(recording, run, require_spans=request.require_spans)
    )
    found = CaptureResult(
        name=request.name,
        fixture=None,
        path=None,
        run=run,
        seconds=(recording.ended_ns - recording.started_ns) / 1e9,
        spans=len(recording.spans),
        redactions=redactions,
        findings=check_trace(run.trace, run.exchanges),
        problems=problems,
        notices=tuple(redact_text(notice, secrets) for notice in (*hints_of(run), *recording.notices)),
        signal=recording.interrupted,
    )
    return found if problems else _judged(request, found, secrets)


def _assembled(request: FixtureRequest, recording: Recording, source: Source, context: Context, told: Told) -> Run:
    """The run as it was: nothing of it has been redacted."""
    recorded = recording.take()
    keys = RunKeys([seen.exchange for seen in recorded], context, request.settings.key_rules)
    made = assemble(recorded, recording.spans, key=keys)
    return Run(source=source, trace=_retold(made.trace, told), exchanges=made.exchanges)


def _judged(request: FixtureRequest, made: CaptureResult, secrets: Secrets) -> CaptureResult:
    """The fixture of a run: the run, the contracts that it suggests, and what a look at them says."""
    run = made.run
    contracts = draft(run, expect_fail=request.expect_fail)
    verification = verify(run, contracts, made.findings, expect_fail=request.expect_fail)
    healthy = verify(run, contracts, made.findings, expect_fail=False) if request.may_be_fixed else verification
    fixed = request.expect_fail and healthy.verified and not verification.expected_failures
    if fixed:  # it stands for a healthy run from now on, and keeps the bounds that the incident broke
        source = msgspec.structs.replace(run.source, flags=flags_of(replace(request, expect_fail=False)))
        run = msgspec.structs.replace(run, source=source)
        verification = healthy
    verification = _redacted(verification, secrets)
    fixture = Fixture(
        name=request.name,
        run=run,
        contracts=tuple(contract_to_json(contract) for contract in contracts),
        verification=verification_to_json(verification),
    )
    return replace(made, fixture=fixture, run=run, verification=verification, fixed=fixed)


def _redacted(verification: Verification, secrets: Secrets) -> Verification:
    """It is made of a redacted run; a name and a value that its sentences join may look like a secret all the same."""
    clean = partial(redact_text, secrets=secrets)
    return msgspec.structs.replace(
        verification,
        trace_check=tuple(
            msgspec.structs.replace(finding, text=clean(finding.text)) for finding in verification.trace_check
        ),
        contracts=tuple(
            msgspec.structs.replace(one, explanation=clean(one.explanation)) for one in verification.contracts
        ),
        causes=tuple(clean(cause) for cause in verification.causes),
    )


def keep_fixture(request: FixtureRequest, store: Store, made: CaptureResult) -> CaptureResult:
    """Write what was made: the fixture, or the draft of a run that is none. An older fixture of that name stays as it
    was then, and also where the new one cannot be written any more, which is a cause too."""
    if made.fixture is None:
        return _kept_draft(request, store, made)
    try:
        if request.output is not None:
            written = write_bundle(request.output, made.fixture)
        else:
            written = store.write(made.fixture, expected=request.replaces)
    except StepforkError as error:  # what could be written before the run cannot any more
        return keep_fixture(request, store, replace(made, fixture=None, problems=(str(error),)))
    made = replace(
        made,
        path=written.path,
        files=written.files,
        size=written.bytes,
        new_files=written.new_objects + written.new_manifest,
    )
    if request.output is not None:
        return made
    try:
        remove_draft(store, request.name)
    except StoreError as error:
        made = replace(made, notices=(*made.notices, f"an older draft is still there: {error}"))
    return _with_test(request, store, replace(made, store=store.root))


def _with_test(request: FixtureRequest, store: Store, made: CaptureResult) -> CaptureResult:
    fixture, verification = made.fixture, made.verification
    if request.tests is None or fixture is None or verification is None or not verification.verified:
        return made
    served = tuple(tool for route in request.settings.routes for tool in route.tools)
    try:
        test = write_drafted_test(store, fixture, verification, folder=request.tests, served=served)
    except StepforkError as error:  # the fixture is kept by now
        return replace(made, notices=(*made.notices, str(error)))
    return replace(made, test=test)


def _kept_draft(request: FixtureRequest, store: Store, made: CaptureResult) -> CaptureResult:
    try:
        return replace(made, draft=write_draft(store, request.name, made.run, made.problems))
    except StepforkError as error:  # a full disk, say: what the run was is told all the same
        return replace(made, problems=(*made.problems, f"no draft could be kept: {error}"))


def _retold(trace: Trace, told: Told) -> Trace:
    trace = msgspec.structs.replace(trace, agent=told.agent or trace.agent)
    if told.error is not None:
        return msgspec.structs.replace(trace, status="error", error=told.error, output=msgspec.UNSET)
    return trace if told.output is msgspec.UNSET else msgspec.structs.replace(trace, output=told.output)


EXPECT_FAIL, REQUIRE_SPANS = "--expect-fail", "--require-spans"
FLAGS = frozenset({EXPECT_FAIL, REQUIRE_SPANS})
"""The options that a fixture remembers (`Source.flags`), and that a refresh repeats."""


def flags_of(request: FixtureRequest) -> tuple[str, ...]:
    """The options to be repeated, in the order of their names."""
    given = {EXPECT_FAIL: request.expect_fail, REQUIRE_SPANS: request.require_spans}
    return tuple(flag for flag in sorted(given) if given[flag])
