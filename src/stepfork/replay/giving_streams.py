"""The events of a recorded stream with everything given back, without reading each event anew.

A stream of thousands of events says the same few placeholders in each. Where their values are spelled in JSON as they
are, they can be put into the raw text, whatever depth of JSON text they stand at; which numbers of an event are times
is a matter of its structure, and most events of a stream have the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from stepfork.normalize import rules
from stepfork.normalize.fields import envelope_marks
from stepfork.normalize.placeholders import LOOK_ALIKE, as_placeholder, unescape
from stepfork.redact.phone_forms import NUMBER
from stepfork.rewrite.json_text import json_tokens

Give = Callable[["re.Match[str]"], "str | None"]
"""What stands for a placeholder where it was found; None to leave it as it is."""
Number = Callable[[int | float, str], int | float]
"""What stands for a time that is a number, in the member of that name."""

NUMBER_ENDS = f":{NUMBER}}}}}"
"""How a placeholder ends that stands for a number in JSON, whose quotes go with it."""
_UNSAFE = re.compile(r'["\\\x00-\x1f]')
_TIME = re.compile(rf'"({"|".join(sorted(rules.TIME_FIELDS))})"\s*:\s*(-?[0-9][0-9.eE+-]*)')
# What differs from event to event and holds no structure.
_TEXT = re.compile(r'("(?:content|text|delta|arguments|partial_json|thinking|reasoning)"\s*:\s*)"(?:[^"\\]|\\.)*"')
_ONE_DATA_LINE = re.compile(r"(?:(?!data)[a-z]*:[^\r\n]*\r?\n)*data: ?([^\r\n]*)\s*\Z")


class UnusualError(Exception):
    """A stream that has to be read event by event."""


class Events:
    """Gives back one stream. `number` is None where its numbers are data."""

    def __init__(self, give: Give, number: Number | None) -> None:
        self._give = give
        self._number = number
        self._values: dict[str, str] = {}
        self._marked: dict[str, list[bool]] = {}

    def rewritten(self, events: Sequence[str]) -> tuple[str, ...]:
        """The events with all given back. Raises UnusualError."""
        return tuple(self._event(event) for event in events)

    def _event(self, event: str) -> str:
        if self._number is not None and _TIME.search(event):
            event = self._with_times(event, self._number)
        return LOOK_ALIKE.sub(self._value, event) if "{{" in event else event

    def _value(self, match: re.Match[str]) -> str:
        text = match.group()
        value = self._values.get(text)
        if value is None:
            given = unescape(text) if as_placeholder(match) is None else self._give(match)
            value = text if given is None else given
            if _UNSAFE.search(value) or text.endswith(NUMBER_ENDS):
                raise UnusualError
            self._values[text] = value
        return value

    def _with_times(self, event: str, number: Number) -> str:
        skeleton = _TEXT.sub(r'\1""', event)
        marked = self._marked.get(skeleton)
        if marked is None:
            marked = self._marked[skeleton] = _marked(event)
        places = iter(marked)

        def one(match: re.Match[str]) -> str:
            if not next(places):
                return match.group()
            told = json.loads(match[2])
            given = number(told, match[1])
            return match.group() if given is told else f"{event[match.start() : match.start(2)]}{json.dumps(given)}"

        return _TIME.sub(one, event)


def _marked(event: str) -> list[bool]:
    """Of each number that could be a time whether it is one."""
    line = _ONE_DATA_LINE.match(event)
    try:
        value = json.loads(line[1]) if line else None
    except (ValueError, RecursionError):
        value = None
    if line is None or not isinstance(value, dict):
        raise UnusualError
    marks = envelope_marks(value)
    times = {
        line.start(1) + token.start
        for token in json_tokens(line[1])
        if token.kind == "number" and marks.get(token.path) == "time"
    }
    return [match.start(2) in times for match in _TIME.finditer(event)]
