"""The result of a capture as one JSON document; its schema is ``stepfork/schemas/capture.schema.json``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stepfork.canonical.encode import dumps
from stepfork.cli.render.diff_json import diff_document
from stepfork.cli.session import shown_path
from stepfork.diff.fixture_diff import FixtureDiff
from stepfork.workflows.make_fixture import CaptureResult


def capture_document(result: CaptureResult, diff: FixtureDiff | None, clean: Callable[[str], str]) -> bytes:
    """Canonical JSON. ``verification`` is null until contracts were evaluated; ``causes``: why there is no fixture;
    ``notices``: hints that fail nothing.

    `clean` redacts the texts of the diff again."""
    document: dict[str, Any] = {
        "name": result.name,
        "captured": result.fixture is not None,
        "fixture": None if result.path is None else shown_path(result.path),
        "draft": None if result.draft is None else shown_path(result.draft),
        "causes": list(result.causes),
        "notices": list(result.notices),
        "exit_code": result.run.source.exit_code,
        "exchanges": len(result.run.exchanges),
        "steps": len(result.run.trace.steps),
        "origin": result.run.trace.origin,
        "findings": [{"code": finding.code, "text": finding.text} for finding in result.findings],
        "redacted": result.redacted,
        "verification": None,
    }
    if diff is not None:
        document["diff"] = diff_document(diff, clean=clean)
    return dumps(document)
