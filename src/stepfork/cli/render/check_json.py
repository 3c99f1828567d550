"""check-redaction as one JSON document: check-redaction.schema.json."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepfork.redact.finding import Finding
    from stepfork.redact.secrets import Secrets
    from stepfork.workflows.checked import Checked


def check_document(checked: Checked, secrets: Secrets, *, hashes: bool, fixed: Sequence[Finding] | None = None) -> str:
    """The document; with `hashes` each finding names its value by its BLAKE3. `fixed` are findings that are gone."""
    from stepfork.redact.redactor import redact_text

    def place(item: Finding) -> dict[str, str]:
        return {"file": redact_text(item.where, secrets), "path": item.path, "rule": item.rule}

    findings = [{**place(item), "blake3": item.digest} for item in checked.findings]
    return json.dumps(
        {
            "source": checked.source,
            "scanned": checked.scanned,
            "findings": findings if hashes else [place(item) for item in checked.places],
            **({} if fixed is None else {"fixed": [place(item) for item in fixed]}),
            "accepted": [{**place(item), "reason": reason} for item, reason in checked.accepted],
            "problems": [{"file": redact_text(name, secrets), "reason": reason} for name, reason in checked.problems],
            "notes": [{"file": redact_text(name, secrets), "kind": kind} for name, kind in checked.notes],
        },
        indent=2,
        ensure_ascii=True,
    )
