"""Assignments in a `.env` file to names that hold secrets, whatever the value looks like."""

from __future__ import annotations

from stepfork.redact.known import MIN_LENGTH
from stepfork.redact.marker import is_stand_in
from stepfork.redact.named import is_variable_secret
from stepfork.redact.pattern import pattern
from stepfork.redact.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from stepfork.redact.secrets import Secrets

RULE = "secret variable"
_VARIABLE = pattern(
    r"""(?m)^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(?:"([^"]*)"|'([^']*)'|([^\r\n]*))"""
)


def variable_secrets(text: str, secrets: Secrets) -> Iterator[Span]:
    """The values of variables that no other rule finds."""
    for match in _VARIABLE.finditer(text):
        group = match.lastindex or 4
        start, end = match.span(group)
        value = match.group(group)
        if group == 4:
            value = value.partition(" #")[0]
            start += len(value) - len(value.lstrip())
            value = value.strip()
            end = start + len(value)
        own = secrets.matcher.names.covers((match.group(1),), value)
        if not own and not is_variable_secret(match.group(1), value):
            continue
        convinces = len(value) >= MIN_LENGTH and not is_stand_in(value) and any(map(str.isdigit, value))
        if (own or convinces) and not secrets.matcher.find(match.group()):
            yield Span(start, end, RULE)
