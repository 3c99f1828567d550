"""How a frozen replay went, as one JSON document; its schema is ``stepfork/schemas/frozen.schema.json``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stepfork.canonical.encode import dumps
from stepfork.cli.render.diff_clean import Clean
from stepfork.cli.render.frozen_text import headline

if TYPE_CHECKING:
    from stepfork.replay.frozen_faults import Fault
    from stepfork.workflows.frozen import FrozenResult


def frozen_document(result: FrozenResult, clean: Clean) -> bytes:
    """Canonical JSON. Strings are redacted again and whole; neither what the entrypoint returned nor what its calls
    were given is in it."""

    def sound(text: str) -> str:
        """Redacted, and without the lone surrogates that JSON cannot carry."""
        return clean(text).encode("utf-8", "surrogatepass").decode("utf-8", "replace")

    document: dict[str, Any] = {
        "name": result.name,
        "mode": result.mode,
        "passed": result.passed,
        "outcome": headline(result),
        "causes": [sound(cause) for cause in result.causes],
        "ending": None if result.ending is None else sound(result.ending),
        "recorded": result.recorded,
        "calls": [{"name": sound(call.name), "type": call.type, "failed": call.failed} for call in result.calls],
        "faults": [_fault(fault, sound) for fault in result.faults],
        "left": [{"call": call.number + 1, "name": sound(call.name)} for call in result.left],
        "substituted": {sound(name): count for name, count in result.substituted.items()},
        "ran": {sound(name): count for name, count in result.ran.items()},
        "exchanges": None if result.model is None else result.model.exchanges,
        "served": None if result.model is None else len(result.model.served),
        "same_output": result.same_output,
        "error": None if result.error is None else sound(type(result.error).__name__),
    }
    return dumps(document)


def _fault(fault: Fault, sound: Clean) -> dict[str, Any]:
    return {
        "kind": fault.kind,
        "text": sound(fault.text),
        "call": fault.call or None,
        "name": sound(fault.name),
        "expected": sound(fault.expected),
        "path": sound(fault.path),
        "recorded": sound(fault.recorded),
        "live": sound(fault.live),
    }
