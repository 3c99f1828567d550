"""How an entrypoint is written: ``package.module:function``. Nothing is imported here."""

from __future__ import annotations

import keyword

from stepfork.errors import UsageError


def check_entrypoint(text: str) -> None:
    """Raise UsageError for what is not the dotted name of a module, a colon, and that of a callable in it."""
    module, colon, function = text.partition(":")
    parts = [*module.split("."), *function.split(".")]
    if not colon or not all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
        raise UsageError(
            f"--entrypoint {text[:80]!r} is not MODULE:FUNCTION", fix="write such as examples.booking_agent:run_agent"
        )
