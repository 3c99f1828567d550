"""What a capture redacted and what it templated: rules and places, never a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from stepfork.cli.console import counted
from stepfork.cli.escape import escape
from stepfork.cli.render.columns import fold
from stepfork.cli.render.placeholders_text import kind_lines, templated
from stepfork.cli.render.places import place_words
from stepfork.normalize.reasons import Explained
from stepfork.redact.finding import Finding

_SHOWN = 12
"""Places of a rule that are listed; --json has them all."""
_WIDE = 30


def explain_lines(
    redactions: Sequence[Finding], explained: Explained, stream: TextIO | None, *, more: str = ""
) -> Iterator[str]:
    """Both lists, folded where `stream` is a terminal. `more` is the command that tells each placeholder."""
    yield ""
    yield f"{counted(len(redactions), 'place')} redacted" if redactions else "nothing redacted"
    yield from redaction_lines(redactions, stream)
    yield ""
    yield templated(explained)
    yield from kind_lines(explained, stream)
    if more:
        yield ""
        yield f"each placeholder, and where it stands: {more}"


def redaction_lines(redactions: Sequence[Finding], stream: TextIO | None) -> Iterator[str]:
    """Each rule with the places at which it found something."""
    rules: dict[str, list[str]] = {}
    for finding in sorted(redactions, key=lambda finding: finding.rule):
        rules.setdefault(finding.rule, []).append(finding.path)
    width = min(_WIDE, max((len(escape(rule)) for rule in rules), default=0))
    for rule, paths in rules.items():
        before = f"  {escape(rule).ljust(width)}  "
        for path in paths[:_SHOWN]:
            yield fold(before + escape(place_words(path)), stream, hanging=width + 4)
            before = " " * (width + 4)
        if len(paths) > _SHOWN:
            yield f"{before}and {len(paths) - _SHOWN:,} more places (--json has them all)"
