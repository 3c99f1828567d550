"""What about a trace speaks against relying on it, as a value."""

from __future__ import annotations

import msgspec


class TraceFinding(msgspec.Struct, frozen=True, omit_defaults=True):
    """A finding: a stable ``code``, one line of ``text``, and the index of the step that it is about, if one.

    Codes: ``no_genai_spans``, ``no_steps``, ``unpaired_call``, ``calls_without_spans``, ``spans_without_exchanges``,
    ``error_status``, ``bad_attribute``, ``span_conflict``.
    """

    code: str
    text: str
    step: int | None = None
