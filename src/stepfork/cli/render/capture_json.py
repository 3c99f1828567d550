"""The result of a capture as one JSON document; its schema is ``stepfork/schemas/capture.schema.json``."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

from stepfork.canonical.encode import dumps
from stepfork.cli.render.diff_json import diff_document
from stepfork.cli.render.placeholders_json import templated_json
from stepfork.cli.session import shown_path
from stepfork.diff.fixture_diff import FixtureDiff
from stepfork.workflows.capture_result import CaptureResult

Document = dict[str, Any]


def capture_bytes(result: CaptureResult) -> bytes:
    """Canonical JSON of `capture_document`."""
    return dumps(capture_document(result))


def capture_document(result: CaptureResult) -> Document:
    """What a capture found. ``causes``: why there is no fixture, or one that is not verified; ``notices``: hints that
    fail nothing; ``fixture`` is null where none was written."""
    verification, test = result.verification, result.test
    return {
        "name": result.name,
        "captured": result.fixture is not None,
        "outcome": result.outcome,
        "verified": result.outcome == "verified",
        "expect_fail": verification is not None and verification.expect_fail,
        "expected_failures": list(result.expected_failures),
        "contracts": [
            {"id": one.id, "status": one.status, "explanation": one.explanation}
            for one in (verification.contracts if verification is not None else ())
        ],
        "causes": list(result.causes),
        "notices": list(result.all_notices),
        "findings": [{"code": finding.code, "text": finding.text} for finding in result.findings],
        "fixture": None if result.path is None else shown_path(result.path),
        "draft": None if result.draft is None else shown_path(result.draft),
        "test": None
        if test is None
        else {"path": shown_path(test.path), "written": test.written, "executes": list(test.executes)},
        "reused": result.reused,
        "exit_code": result.run.source.exit_code,
        "interrupted": None if result.signal is None else signal.Signals(result.signal).name,
        "exchanges": len(result.run.exchanges),
        "steps": len(result.run.trace.steps),
        "origin": result.run.trace.origin,
        "redacted": result.redacted,
        "redactions": [{"rule": finding.rule, "path": finding.path} for finding in result.redactions],
        "templated": None if result.explained is None else templated_json(result.explained),
    }


def with_diff(document: Document, diff: FixtureDiff | None, clean: Callable[[str], str]) -> Document:
    """The document of a refresh: what changed in meaning, its texts redacted again by `clean`."""
    return document if diff is None else document | {"diff": diff_document(diff, clean=clean)}
