"""Every placeholder of a stored run, with its place and the reason that its place tells.

The walk is the normaliser's own, part by part with the same marks, so that a rule is written down once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from stepfork.normalize import rules
from stepfork.normalize.durations import without_length
from stepfork.normalize.fields import Mark, Path
from stepfork.normalize.known import KINDS
from stepfork.normalize.matching import Matcher
from stepfork.normalize.numbering import Times, ValueNumbers, field_of
from stepfork.normalize.own_marks import OwnMark, names_at
from stepfork.normalize.placeholders import BY_POSITION, LOOK_ALIKE, PERSONAL, Placeholder, as_placeholder
from stepfork.normalize.reasons import Reason
from stepfork.normalize.rewriter import PartRewriter
from stepfork.normalize.spans import TRACEPARENT
from stepfork.rewrite.place import Edit, Place
from stepfork.trace.body import JsonValue

CLAUDE_CODE = ("device", "account", "session")
"""The kinds of what Claude Code says of itself."""
ESCAPED = "literal"
_MOST = 1 << 32
"""Ids of trace contexts are numbered from 1: one that is not below this was left as data."""


_BELOW_TMP = re.compile(r"\{\{tmp\}\}[/\\](?:pytest-of-[^/\\]+[/\\])?\Z")
_KEYWORD = re.compile(r"id=['\"]\Z|(['\"])id\1: \1\Z")


class Sighting(msgspec.Struct, frozen=True):
    """A placeholder (or what became a constant) at a place.

    `identity` tells it from others of its kind, `shown` is how it stands there, with an id's prefix. `reason` is None
    where the place alone does not tell one; `prefix` is then what the rules for ids could go by.
    """

    kind: str
    identity: str
    shown: str
    place: Place
    reason: Reason | None = None
    prefix: str = ""
    is_name: bool = False


class SightingReader(PartRewriter):
    """Changes nothing, and tells `see` of each placeholder."""

    def __init__(
        self,
        matcher: Matcher,
        values: ValueNumbers,
        marks: Mapping[Path, Mark],
        times: Times | None = None,
        *,
        see: Callable[[Sighting], None],
    ) -> None:
        super().__init__(matcher, values, marks, times)
        self.see = see

    def text(self, text: str, place: Place) -> Sequence[Edit]:
        """No edits."""
        mark, reason = self._field(place, text)
        if mark == "padding" and not text:
            self.see(Sighting("padding", "", '""', place, reason))
        elif mark == "duration" and text == without_length(text):
            self.see(Sighting("duration", "", text, place, reason))
        elif "{{" in text or "00-" in text:
            self._read(text, place, reason)
        return ()

    def key(self, text: str, place: Place) -> Sequence[Edit]:
        """No edits."""
        if "{{" in text or "00-" in text:
            self._read(text, place.child(text), None, is_name=True)
        return ()

    def number(self, value: int | float, place: Place) -> JsonValue:
        """The number as it is."""
        mark, reason = self._field(place, value)
        if mark in ("time", "duration"):
            self.see(Sighting("time_number" if mark == "time" else mark, "", str(value), place, reason))
        elif mark == "id" and isinstance(value, int):
            self.see(Sighting("id", str(value), str(value), place, reason))
        return value

    def _field(self, place: Place, value: JsonValue) -> tuple[OwnMark | Mark | None, Reason | None]:
        """What the field at a place holds, and the rule that says so: the project's own come first."""
        own = self.own_mark(place)
        if own is not None and own != "literal":
            return own, Reason("own_field", f"{own}_fields {names_at(place)[-1]}")
        mark = None if own else self.field_mark(place, value)
        return mark, None if mark is None else field_reason(place)

    def _read(self, text: str, place: Place, field: Reason | None, *, is_name: bool = False) -> None:
        for match in LOOK_ALIKE.finditer(text):
            found = as_placeholder(match)
            if found is None:
                self.see(Sighting(ESCAPED, match.group(), match.group(), place, is_name=is_name))
                continue
            prefix = self._matcher.prefixes.before(text, match.start()) if found.kind == "id" else ""
            whole = match.end() == len(text) and match.start() == len(prefix)
            reason = (field if whole else None) or _reason(found, place, is_name=is_name)
            if reason is None and found.kind == "id":
                reason = _made_up(text[: match.start()], prefix)
            shown = prefix + match.group()
            self.see(Sighting(found.kind, _identity(found, place), shown, place, reason, prefix, is_name))
        for span in self._matcher.spans(text):
            shown = text[span.start : span.end]
            if span.kind == TRACEPARENT and int(shown, 16) < _MOST:  # numbered, not left as data
                self.see(Sighting("trace_context", shown, shown, place, Reason("trace_context"), is_name=is_name))


def field_reason(place: Place) -> Reason:
    """The field at a place, said by the part that it belongs to."""
    name = place.key or ""
    if place.part == ("trace",):
        return Reason("conversation" if place.path == ("conversation",) else "step_field", name)
    if "response" in place.part:
        return Reason("response_header" if place.path[:1] == ("headers",) else "response_field", name)
    is_rest = place.part[2:] == ("request", "body")
    return Reason("request_field" if is_rest else "message_field", name)


def _reason(found: Placeholder, place: Place, *, is_name: bool) -> Reason | None:
    """What tells at once why a placeholder stands there, None where a text could have more than one reason."""
    if found.kind == "id" and place.key in rules.UUID_FIELDS and not is_name:
        return Reason("framework_field", place.key or "")
    if found.kind in CLAUDE_CODE:
        return Reason("claude_code") if "user_id" in place.path else None
    if found.kind in KINDS:
        return Reason("today") if found.kind == "today" else Reason("known_value", found.kind)
    if found.kind in PERSONAL:
        return Reason("personal", "names" if found.kind == "name" else "personal")
    return {
        BY_POSITION: Reason("clock"),
        "email": Reason("address"),
        "boundary": Reason("boundary"),
        "fingerprint": field_reason(place),
    }.get(found.kind)


def _made_up(before: str, prefix: str) -> Reason | None:
    """What the text in front of an id tells: a folder's made-up name, a keyword of a printed value."""
    if _BELOW_TMP.search(before):
        return Reason("temporary_name")
    return Reason("printed") if not prefix and _KEYWORD.search(before) else None


def _identity(found: Placeholder, place: Place) -> str:
    """Times are numbered in each part anew; all else over the run."""
    return f"{place.part} {found.number}" if found.kind == BY_POSITION else str(found.number or "")


def spot(sighting: Sighting) -> object:
    """One for all that counts as one place: in a stream a field does, whichever events it stands in."""
    return sighting.kind, sighting.identity, sighting.place.part, field_of(sighting.place.path), sighting.is_name
