"""A finished recording becomes a fixture: assemble → redact → normalize → check → contracts → store.

Read top-down in `make_fixture` and `keep_fixture`. A watched command, a block of code in this process and a file of
spans all come through here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import msgspec

from stepfork.capture.assemble import assemble
from stepfork.capture.check import check_trace
from stepfork.config.process import from_here
from stepfork.contracts.draft import draft
from stepfork.contracts.json_form import contract_to_json, verification_to_json
from stepfork.contracts.verification import Verification
from stepfork.contracts.verify import verify
from stepfork.errors import StepforkError, StoreError
from stepfork.listener.watch import Recording
from stepfork.normalize.explain import explain
from stepfork.normalize.known import Context
from stepfork.normalize.normalize import normalize_parts
from stepfork.normalize.request_key import RunKeys
from stepfork.redact.redactor import redact_run, redact_text
from stepfork.redact.secrets import Secrets
from stepfork.store.bundle import fill_bundle, write_bundle
from stepfork.store.claim import Claim
from stepfork.store.drafts import killed, remove_draft, write_draft
from stepfork.store.files import remove_empty
from stepfork.store.store import Store
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Trace
from stepfork.workflows.capture_result import CaptureResult
from stepfork.workflows.draft_test import write_drafted_test
from stepfork.workflows.fixture_request import FixtureRequest, Told, flags_of
from stepfork.workflows.run_problems import hints_of, problems_of
from stepfork.workflows.surroundings import surroundings


def make_fixture(
    request: FixtureRequest, recording: Recording, source: Source, secrets: Secrets, told: Told | None = None
) -> CaptureResult:
    """What a recording becomes: a fixture, or the problems that keep it from being one. `keep_fixture` writes it.

    `secrets` are collected by the caller: the `.env` file is read before the run, which must not be lost to it. The
    calls are taken out of `recording`: a run of half a gigabyte stands here once."""
    context = surroundings(request.environ, request.cwd, recording, request.settings)
    source = msgspec.structs.replace(source, flags=flags_of(request))
    redacted, redactions = redact_run(assembled(request, recording, source, context, told or Told()), secrets)
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
        explained=explain(run, request.settings.normalize) if request.explain else None,
    )
    if told is not None and told.error is not None and not told.went_on:  # a run that failed is kept as far as it came
        found = replace(found, problems=(), notices=(*problems, *found.notices))
    return found if found.problems else _judged(request, found, secrets)


def assembled(request: FixtureRequest, recording: Recording, source: Source, context: Context, told: Told) -> Run:
    """The run as it was: nothing of it has been redacted. The calls are taken out of `recording`."""
    recorded = recording.take()
    keys = RunKeys([seen.exchange for seen in recorded], context, request.settings.key_rules)
    made = assemble(recorded, recording.spans, recording.calls, key=keys)
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


def keep_fixture(
    request: FixtureRequest, store: Store, made: CaptureResult, claim: Claim | None = None
) -> CaptureResult:
    """Write what was made: the fixture, or the draft of a run that is none. An older fixture of that name stays as it
    was then, and also where the new one cannot be written any more, which is a cause too. `claim` holds the journal of
    the run, which goes once the run is kept elsewhere, and stays where it could not be kept."""
    kept = _kept(request, store, made, claim)
    if claim is not None and kept.path is None and kept.draft is None:
        claim.give_back()
    elif claim is not None:
        claim.remove()
        remove_empty(claim.path.parent, store.root)
    return kept


def _kept(request: FixtureRequest, store: Store, made: CaptureResult, claim: Claim | None) -> CaptureResult:
    if made.fixture is None:
        return _kept_draft(request, store, made, claim)
    try:
        if request.output is None:
            written = store.write(made.fixture, expected=request.replaces)
        elif claim is None or claim.path != request.output:
            written = write_bundle(request.output, made.fixture)
        else:
            written = fill_bundle(claim.path, made.fixture)
    except StepforkError as error:  # what could be written before the run cannot any more
        return _kept(request, store, replace(made, fixture=None, problems=(str(error),)), claim)
    made = replace(
        made,
        path=written.path,
        files=written.files,
        size=written.bytes,
        new_files=written.new_objects + written.new_manifest,
    )
    if request.output is not None:
        return made
    made = replace(made, notices=(*made.notices, *_of_killed(store, request.name)))
    try:
        remove_draft(store, request.name)
    except StoreError as error:
        made = replace(made, notices=(*made.notices, f"an older draft is still there: {error}"))
    return _with_test(request, store, replace(made, store=store.root))


def _of_killed(store: Store, name: str) -> tuple[str, ...]:
    """What is said of the journals of earlier recordings of that name, which go."""
    paths = ", ".join(store.shown(path) for path in killed(store, name))
    return (f"what a recording that did not end had left is removed: {paths}",) if paths else ()


def _with_test(request: FixtureRequest, store: Store, made: CaptureResult) -> CaptureResult:
    fixture, verification = made.fixture, made.verification
    if request.tests is None or fixture is None or verification is None or not verification.verified:
        return made
    served = tuple(tool for route in request.settings.routes for tool in route.tools)
    try:
        test = write_drafted_test(store, fixture, verification, folder=request.tests, served=served)
    except StepforkError as error:  # the fixture is kept by now
        return replace(made, untested=f"no test was drafted: {error}")
    except Exception as error:  # a fault of ours, which must not end the program that was recorded
        return replace(made, untested=f"no test was drafted: drafting it raised {type(error).__name__}")
    return replace(made, test=test)


def _kept_draft(request: FixtureRequest, store: Store, made: CaptureResult, claim: Claim | None) -> CaptureResult:
    earlier = [store.shown(path) for path in killed(store, request.name) if claim is None or path != claim.path]
    if earlier:
        told = f"a recording of that name did not end, stepfork show reads what there is: {', '.join(earlier)}"
        made = replace(made, notices=(*made.notices, told))
    try:
        return replace(made, draft=write_draft(store, request.name, made.run, made.problems, claim))
    except StepforkError as error:  # a full disk, say: what the run was is told all the same
        journal = "" if claim is None else f"; its journal is {from_here(claim.journal)}"
        return replace(made, problems=(*made.problems, f"no draft could be kept: {error}{journal}"))


def _retold(trace: Trace, told: Told) -> Trace:
    trace = msgspec.structs.replace(trace, agent=told.agent or trace.agent)
    if told.input is not msgspec.UNSET:
        trace = msgspec.structs.replace(trace, input=told.input)
    if told.error is not None:
        return msgspec.structs.replace(trace, status="error", error=told.error, output=msgspec.UNSET)
    return trace if told.output is msgspec.UNSET else msgspec.structs.replace(trace, output=told.output)
