"""Secrets in the query of an exchange's path: by the parameter's name, whatever the value's length."""

from __future__ import annotations

from stepfork.redact.marker import is_stand_in
from stepfork.redact.names import PASSWORD, STRONG, is_secret_parameter, strength
from stepfork.redact.own_names import NO_NAMES
from stepfork.redact.pattern import pattern
from stepfork.redact.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from stepfork.redact.own_names import OwnNames

RULE = "query parameter"
_ESCAPE = pattern(r"%([0-9A-Fa-f]{2})")
_PARAMETER = pattern(r"([^=&;?#]*)=([^&#]*)")


def _decoded(name: str) -> str:
    """A parameter's name without its escapes; ``api%5Fkey`` is one that an encoder may write."""
    return _ESCAPE.sub(lambda match: chr(int(match.group(1), 16)), name)


def query_secrets(text: str, start: int = 0, own: OwnNames = NO_NAMES) -> Iterator[Span]:
    """The secret values of the query that begins at `start` of `text`, percent-encoded or not; `own` are a project's
    own names."""
    for match in _PARAMETER.finditer(text, start):
        name, value = _decoded(match.group(1)), match.group(2)
        if own.covers((name,), value) or (
            value and not is_stand_in(value) and (is_secret_parameter(name) or strength(name) in (PASSWORD, STRONG))
        ):
            yield Span(*match.span(2), RULE)
