"""Secrets of Kubernetes as YAML in a text: every value under ``data`` and ``stringData``, whatever its name."""

from __future__ import annotations

from stepfork.redact.judging import is_plausible
from stepfork.redact.names import PASSWORD
from stepfork.redact.pattern import pattern
from stepfork.redact.span import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

RULE = "named secret"
ANCHORS = ("kind: Secret",)
_REACH = 8000
"""Characters before and after the kind that may belong to the same manifest."""
_DATA = pattern(
    r"(?m)^(?P<indent>[ \t]*)(?:data|stringData):[ \t]*\r?\n(?P<block>(?:(?P=indent)[ \t]+\S.*(?:\r?\n|\Z))+)"
)
_VALUE = pattern(r"(?m)^[ \t]+[\w.-]+:[ \t]+[\"']?([^\s\"'|>&*{\[#][^\s\"']*)[\"']?[ \t]*\r?$")


def manifest_at(text: str, start: int, end: int) -> Iterator[Span]:
    """The values of the manifest whose kind stands at `start` to `end`."""
    if text[end : end + 1].isalnum():  # SecretStore, SecretList
        return
    nearest = max(0, start - _REACH)
    first = max(text.rfind("\n---", nearest, start), nearest)
    last = text.find("\n---", end, end + _REACH)
    last = min(len(text), end + _REACH) if last < 0 else last
    for found in _DATA.finditer(text, first, last):
        for value in _VALUE.finditer(text, *found.span("block")):
            if is_plausible(value.group(1), PASSWORD, is_bare=True):
                yield Span(*value.span(1), RULE)
