"""What doctor found as one JSON document; its schema is ``stepfork/schemas/doctor.schema.json``."""

from __future__ import annotations

import signal
from typing import Any

from stepfork.canonical.encode import dumps
from stepfork.config.normalize import volatile_lines
from stepfork.diff.unstable import Unstable
from stepfork.workflows.doctor import Diagnosis, Ran, Twice


def doctor_bytes(found: Diagnosis) -> bytes:
    """Canonical JSON of the document."""
    return dumps(
        {
            "well": found.well,
            "checks": [
                {"name": check.name, "state": check.state, "text": check.text, "fix": check.fix}
                for check in found.checks
            ],
            "runs": None if found.twice is None else _twice(found.twice),
        }
    )


def _twice(twice: Twice) -> dict[str, Any]:
    return {
        "command": list(twice.command),
        "each": [_ran(run) for run in twice.runs],
        "differences": [_difference(item) for item in twice.differences],
        "parted": twice.parted,
        "config": "".join(f"{line}\n" for line in volatile_lines(twice.rules)),
        "interrupted": None if twice.signal is None else signal.Signals(twice.signal).name,
    }


def _ran(run: Ran) -> dict[str, Any]:
    return {
        "calls": run.calls,
        "spans": run.spans,
        "steps": run.steps,
        "exit_code": run.exit_code,
        "problems": list(run.problems),
        "findings": [{"code": finding.code, "text": finding.text} for finding in run.findings],
    }


def _difference(item: Unstable) -> dict[str, Any]:
    return {
        "exchange": item.exchange,
        "place": item.place,
        "old": item.old,
        "new": item.new,
        "kind": item.kind,
        "rule": None if item.rule is None else {"tool": item.rule.tool, "pointer": item.rule.pointer},
        "advice": item.advice,
        "accepted": item.accepted,
    }
