"""What validate found as one JSON document; its schema is ``stepfork/schemas/validate.schema.json``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stepfork.canonical.encode import dumps
from stepfork.trace.body import JsonValue
from stepfork.workflows.validate import Validated


def validate_bytes(checked: Sequence[Validated], hide: Callable[[str], str], *, partial: bool) -> bytes:
    """Canonical JSON of all that was found; `hide` redacts what is quoted."""
    return dumps({"partial": partial, "fixtures": [_fixture(one, hide) for one in checked]})


def _fixture(one: Validated, hide: Callable[[str], str]) -> JsonValue:
    differing = [
        {"kind": found.code, "path": hide(one.path), "text": hide(found.text), "fix": hide(found.advice)}
        for found in one.differing
    ]
    return {
        "word": hide(one.word.encode("utf-8", "backslashreplace").decode()),
        "name": hide(one.name) if one.name else None,
        "path": hide(one.path) if one.path else None,
        "state": one.state,
        "problem": None if one.problem is None else hide(one.problem),
        "causes": [hide(cause) for cause in one.causes],
        "steps": one.steps,
        "exchanges": one.exchanges,
        "calls": one.calls,
        "ended": one.ended,
        "findings": [
            *(
                {"kind": found.kind, "path": hide(found.path), "text": hide(found.what), "fix": hide(found.fix)}
                for found in one.findings
            ),
            *differing,
        ],
    }
