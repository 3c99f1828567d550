"""What a run of a test file comes to: passed, failed, or that nothing was evaluated, with the reason.

Passed is only what ran whole: each test that was collected, in all its phases, with nothing raised, skipped, expected
to fail or left out, and with exit statuses that say the same. Failed is a test that ran and found a difference. All
else is could_not_execute: whatever was not evaluated is not passed, and no regression either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from stepfork.workflows.run_results import Raised, Report, Results

Word = Literal["passed", "failed", "could_not_execute"]


class Counts(msgspec.Struct, frozen=True):
    """Tests by what became of them; ``errors`` are those whose setup or teardown failed, ``deselected`` and
    ``not_run`` those that were left out."""

    collected: int = 0
    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0
    xfailed: int = 0
    xpassed: int = 0
    deselected: int = 0
    not_run: int = 0


class Verdict(msgspec.Struct, frozen=True):
    """The verdict, a reason (one of `REASONS`; None where it passed), and what there is to say of it in one line."""

    verdict: Word
    reason: str | None = None
    detail: str | None = None
    counts: Counts = Counts()


REASONS = {
    "test_failed": "a test ran and failed",
    "test_missing": "there is no such test file",
    "not_a_test": "the file is no test that stepfork export wrote",
    "bundle_missing": "the recording is not there",
    "bundle_damaged": "the recording is not as it was written",
    "entrypoint_not_importable": "the entrypoint cannot be had",
    "not_replayable": "the test could not replay the recording",
    "test_error": "the test itself broke, so that it found no difference",
    "collection_error": "pytest could not import the test",
    "nothing_collected": "no test was collected, or none was left to run",
    "fixture_error": "a fixture failed before or after a test",
    "all_skipped": "every test was skipped, or expected to fail",
    "all_xfailed": "every test was expected to fail, and did",
    "some_skipped": "some tests did not run, or were expected to fail",
    "xpassed": "a test passed that is marked as expected to fail, so it could not have failed",
    "timeout": "the time limit was reached",
    "interrupted": "somebody or something interrupted it",
    "crashed": "the process ended before pytest did",
    "pytest_error": "pytest could not work, or contradicts itself",
    "changed_during_run": "the test, the recording or the entrypoint was changed while it ran",
}
"""What a reason means. ``test_failed`` belongs to failed, all others to could_not_execute."""

_BY_CLASS = {
    "EntrypointError": "entrypoint_not_importable",
    "NotFoundError": "bundle_missing",
    "StoreError": "bundle_damaged",
}
"""The reason of an error of ours that a test raised, by its class or one above it."""

_DIVERGED = frozenset({"ReplayError", "RecordedDependencyError"})
"""Errors of ours that say that the tested code did not do what was recorded: an answer, and it is no."""

_USAGE, _INTERNAL, _INTERRUPTED = 4, 3, 2
"""Exit statuses of pytest."""


def could_not(reason: str, detail: str | None = None, counts: Counts | None = None) -> Verdict:
    """Nothing was evaluated, or not all."""
    assert reason in REASONS
    return Verdict("could_not_execute", reason, detail, counts or Counts())


def judge(results: Results | None, exit_status: int) -> Verdict:
    """The verdict on a pytest that ended by itself. `exit_status` is the process's: 128 + N where signal N ended it."""
    if results is None:
        if exit_status in (_USAGE, _INTERNAL):
            return could_not("pytest_error", f"pytest ended with exit status {exit_status}; its messages say why")
        return could_not("crashed", f"the process ended with exit status {exit_status} and no results")
    counts = _counts(results)
    return (
        _not_collected(results, counts)
        or _failed(results, counts)
        or _not_run(counts)
        or _contradicted(results, counts, exit_status)
        or Verdict("passed", counts=counts)
    )


def _not_collected(results: Results, counts: Counts) -> Verdict | None:
    errors = [one for one in results.collecting if one.outcome == "failed"]
    if errors:
        return could_not("collection_error", errors[0].message, counts)
    if not counts.collected and results.exit_status != _INTERRUPTED:
        if results.collecting:
            return could_not("all_skipped", results.collecting[0].message, counts)
        return could_not("nothing_collected", "pytest found no test in it", counts)
    return None


def _failed(results: Results, counts: Counts) -> Verdict | None:
    """A difference that was found counts, whatever else happened."""
    raised = [one.raised for one in _failures(results.reports) if one.when == "call" and one.raised is not None]
    if any(one.difference or _DIVERGED.intersection(one.classes) for one in raised):
        return Verdict("failed", "test_failed", None, counts)
    if raised:
        return _broken(raised, counts)
    if results.exit_status == _INTERRUPTED or _is_unfinished(results.reports):
        return could_not("interrupted", "pytest was stopped before its end", counts)
    if counts.errors:
        return could_not("fixture_error", None, counts)
    return None


def _broken(raised: Sequence[Raised], counts: Counts) -> Verdict:
    """What was raised is no difference: our own errors say why; of others the class alone, which holds no payload."""
    ours = next((one for one in raised if one.classes), None)
    if ours is None:
        return could_not("test_error", f"it raised {raised[0].type[:80]}, which is no difference", counts)
    reason = next((_BY_CLASS[name] for name in ours.classes if name in _BY_CLASS), "not_replayable")
    return could_not(reason, ours.message, counts)


def _is_unfinished(reports: Sequence[Report]) -> bool:
    """Whether a test began and did not end: pytest was told to stop, with any exit status."""
    last = {report.test: report.when for report in reports}
    return any(when != "teardown" for when in last.values())


def _failures(reports: Sequence[Report]) -> Iterator[Report]:
    """Reports of what went wrong. A phase in which something was raised and which pytest calls passed was changed by
    somebody; one that failed with nothing raised is a strict xfail that passed."""
    for report in reports:
        raised = report.raised is not None and bool(report.raised.type)
        if raised and not report.xfail and report.outcome != "skipped":
            yield report


def _not_run(counts: Counts) -> Verdict | None:
    if counts.xpassed:
        return could_not("xpassed", None, counts)
    left_out = counts.skipped + counts.xfailed + counts.deselected + counts.not_run
    if not left_out:
        return None
    if counts.passed:
        return could_not("some_skipped", None, counts)
    if counts.skipped or counts.xfailed:
        return could_not("all_skipped" if counts.xfailed < left_out else "all_xfailed", None, counts)
    return could_not("nothing_collected", "every test was left out", counts)


def _contradicted(results: Results, counts: Counts, exit_status: int) -> Verdict | None:
    if any(report.raised is None for report in results.reports):
        return could_not("pytest_error", "a report was made by somebody else than pytest", counts)
    if exit_status != results.exit_status or exit_status != 0:
        said = f"pytest came to {results.exit_status} and its process to {exit_status}, though no test failed"
        return could_not("pytest_error", said, counts)
    return None


def _counts(results: Results) -> Counts:
    names = [*dict.fromkeys([*results.collected, *(report.test for report in results.reports)])]
    by_test: dict[str, list[Report]] = {name: [] for name in names}
    for report in results.reports:
        by_test[report.test].append(report)
    became = [_became(reports) for reports in by_test.values()]
    return Counts(
        collected=len(names),
        **{word: became.count(word) for word in ("passed", "failed", "errors", "skipped", "xfailed", "xpassed")},
        deselected=results.deselected,
        not_run=max(0, became.count("not_run") - results.deselected),
    )


def _became(reports: Sequence[Report]) -> str:
    """What became of one test, by the reports of its phases."""
    if any(report.when == "call" for report in _failures(reports)):
        return "failed"
    for report in reports:
        nothing_raised = report.raised is not None and not report.raised.type
        if report.outcome == "skipped":
            return "xfailed" if report.xfail else "skipped"
        if report.xfail or (report.outcome == "failed" and report.when == "call" and nothing_raised):
            return "xpassed"
        if report.outcome != "passed" or not nothing_raised:
            return "errors"
    phases = [report.when for report in reports]
    return "passed" if phases[:1] == ["setup"] and phases[-2:] == ["call", "teardown"] else "not_run"
