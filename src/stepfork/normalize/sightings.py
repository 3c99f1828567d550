"""Every placeholder of a stored run, with its place and the reason that its place tells.

The walk is the normaliser's own, part by part with the same marks, so that a rule is written down once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from stepfork.normalize import rules
from stepfork.normalize.fields import Mark, Path
from stepfork.normalize.known import KINDS
from stepfork.normalize.matching import TRACEPARENT, Matcher, Span
from stepfork.normalize.numbering import Times, ValueNumbers, field_of
from stepfork.normalize.placeholders import BY_POSITION, LOOK_ALIKE, Placeholder, as_placeholder
from stepfork.normalize.rewriter import PartRewriter
from stepfork.rewrite.place import Edit, Place
from stepfork.trace.body import JsonValue

CLAUDE_CODE = ("device", "account", "session")
"""The kinds of what Claude Code says of itself."""
NUMBERS: dict[Mark, str] = {"time": "time_number", "duration": "duration"}
"""What a number at a mark became, as a kind."""
ESCAPED = "literal"


class Reason(msgspec.Struct, frozen=True):
    """`rule` is one of reasons.RULES, `name` the field, header, prefix or setting that it speaks of."""

    rule: str
    name: str = ""


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
        mark = self._marks.get(place.path)
        if mark == "padding" and not text:
            self.see(Sighting("padding", "", '""', place, field_reason(place)))
        elif mark == "duration" and text == "0":
            self.see(Sighting("duration", "", text, place, field_reason(place)))
        elif "{{" in text or "00-" in text:
            self._read(text, place, mark)
        return ()

    def key(self, text: str, place: Place) -> Sequence[Edit]:
        """No edits."""
        if "{{" in text or "00-" in text:
            self._read(text, place.child(text), None, is_name=True)
        return ()

    def number(self, value: int | float, place: Place) -> JsonValue:
        """The number as it is."""
        mark = self._marks.get(place.path)
        if mark in NUMBERS:
            self.see(Sighting(NUMBERS[mark], "", str(value), place, field_reason(place)))
        return value

    def _read(self, text: str, place: Place, mark: Mark | None, *, is_name: bool = False) -> None:
        for match in LOOK_ALIKE.finditer(text):
            found = as_placeholder(match)
            if found is None:
                self.see(Sighting(ESCAPED, match.group(), match.group(), place, is_name=is_name))
                continue
            prefix = self._matcher.prefixes.before(text, match.start()) if found.kind == "id" else ""
            whole = match.end() == len(text) and match.start() == len(prefix)
            reason = _reason(found, place, mark if whole else None)
            if reason is None and found.kind == "id" and place.key in rules.UUID_FIELDS and not is_name:
                reason = Reason("framework_field", place.key or "")
            shown = prefix + match.group()
            self.see(Sighting(found.kind, _identity(found, place), shown, place, reason, prefix, is_name))
        for span in self._matcher.spans(text):
            if span.kind == TRACEPARENT:
                self.see(_trace_context(span, text, place, is_name=is_name))


def field_reason(place: Place) -> Reason:
    """The field at a place, said by the part that it belongs to."""
    name = place.key or ""
    if place.part == ("trace",):
        return Reason("conversation" if place.path == ("conversation",) else "step_field", name)
    if "response" in place.part:
        return Reason("response_header" if place.path[:1] == ("headers",) else "response_field", name)
    is_rest = place.part[2:] == ("request", "body")
    return Reason("request_field" if is_rest else "message_field", name)


def _reason(found: Placeholder, place: Place, mark: Mark | None) -> Reason | None:
    """What tells at once why a placeholder stands there, None where a text could have more than one reason."""
    if mark is not None:
        return field_reason(place)
    if found.kind in CLAUDE_CODE:
        return Reason("claude_code") if "user_id" in place.path else None
    if found.kind in KINDS:
        return Reason("today") if found.kind == "today" else Reason("known_value", found.kind)
    return {
        BY_POSITION: Reason("clock"),
        "email": Reason("address"),
        "boundary": Reason("boundary"),
        "fingerprint": field_reason(place),
    }.get(found.kind)


def _identity(found: Placeholder, place: Place) -> str:
    """Times are numbered in each part anew; all else over the run."""
    return f"{place.part} {found.number}" if found.kind == BY_POSITION else str(found.number or "")


def _trace_context(span: Span, text: str, place: Place, *, is_name: bool) -> Sighting:
    shown = text[span.start : span.end]
    return Sighting("trace_context", shown, shown, place, Reason("trace_context"), is_name=is_name)


def spot(sighting: Sighting) -> object:
    """One for all that counts as one place: in a stream a field does, whichever events it stands in."""
    return sighting.kind, sighting.identity, sighting.place.part, field_of(sighting.place.path), sighting.is_name
