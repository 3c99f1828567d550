"""Date-times in text: which texts are one, whether a clock of this run can have said it, and how it was spelled."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from stepfork.normalize.placeholders import Placeholder
from stepfork.normalize.time_forms import found_in, fraction, moment_of, shape_of, spelled

USUAL = "YYYY-MM-DDThh:mm:ssZ"
"""The shape that a placeholder without one has."""

WINDOW = timedelta(hours=24)
"""A date-time this near to the capture was read off a clock; any other is data."""

_EPOCHS = {10: "epoch", 13: "epoch-ms", 16: "epoch-us", 19: "epoch-ns"}
_EPOCH_DIGITS = {shape: digits for digits, shape in _EPOCHS.items()}
_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = "[0-9]{2}:[0-9]{2}"
_ALONE = tuple(
    (re.compile(form), shape)
    for form, shape in (
        (_DATE, "YYYY-MM-DD"),
        (_CLOCK, "hh:mm"),
        (f"{_CLOCK}:[0-9]{{2}}", "hh:mm:ss"),
        (rf"{_CLOCK}:[0-9]{{2}}\.[0-9]{{1,9}}", "hh:mm:ss.ffffff"),
        (f"{_DATE} {_CLOCK}", "YYYY-MM-DD hh:mm"),
        (f"{_DATE}T{_CLOCK}", "YYYY-MM-DDThh:mm"),
        (r"[0-9]{10}\.[0-9]{1,9}", "epoch.ffffff"),
    )
)
"""What is a time only where somebody says so."""
_LONGEST = 64
_DIGIT = re.compile("[0-9]")
_FRACTION = re.compile("[.,]f+")
_PARTS = re.compile("[0-9]{2}[.,]([0-9]{1,9})")


class Moment:
    """A date-time found at `start` to `end` of a text; `when` is naive where the text names no offset."""

    __slots__ = ("_match", "end", "start", "when")

    def __init__(self, match: re.Match[str], when: datetime) -> None:
        self.start = match.start()
        self.end = match.end()
        self.when = when
        self._match = match

    @property
    def shape(self) -> str:
        """How it is spelled."""
        return shape_of(self._match)


def moments(text: str) -> Iterator[Moment]:
    """The date-times of a text, spelling by spelling; dates alone and times alone are none."""
    for match in found_in(text):
        when = moment_of(match)
        if when is not None:
            yield Moment(match, when)


def exact_moment(text: str) -> tuple[datetime, str, bool] | None:
    """The second that a text is in, the digits after it, and whether it tells the offset, so that two spellings of one
    moment are equal; None for a text that tells no part of a second."""
    found = next((m for m in moments(text) if m.start == 0 and m.end == len(text)), None)
    parts = _PARTS.search(text)
    if found is None or parts is None:
        return None
    is_told = found.when.tzinfo is not None
    when = found.when.astimezone(UTC) if is_told else found.when.replace(tzinfo=UTC)
    return when.replace(microsecond=0), parts[1].rstrip("0"), is_told


def whole_moment(text: str) -> str | None:
    """The shape of a text that is one date-time and nothing else (a number of seconds since 1970 too), or None."""
    if text.isascii() and text.isdigit():
        return _EPOCHS.get(len(text))
    return next((m.shape for m in moments(text) if m.start == 0 and m.end == len(text)), None)


def time_shape(text: str) -> str | None:
    """The same for a text of which a project says that it is a time: dates alone and times of day are ones too, and
    what is spelled otherwise has the usual shape. None for a text without a number."""
    shape = whole_moment(text)
    if shape is None and len(text) <= _LONGEST and _DIGIT.search(text):
        shape = next((shape for form, shape in _ALONE if form.fullmatch(text)), USUAL)
    return shape


def spell(shape: str, when: datetime) -> str:
    """`when` (UTC) as a date-time of a shape; the inverse of finding one, but for what a shape leaves out."""
    if shape in _EPOCH_DIGITS:
        return str(int(when.timestamp() * 1_000_000) * 1000)[: _EPOCH_DIGITS[shape]]
    if shape.startswith("epoch."):
        return f"{int(when.timestamp())}.{fraction(when, 6)}"
    return spelled(shape, when)


def same_form(one: str, other: str) -> bool:
    """Whether two shapes differ at most in the digits of a fraction (some languages leave them out where they are 0)
    and in what cannot be told apart on every day."""
    return one == other or _bare(one) == _bare(other)


def _bare(shape: str) -> str:
    return _FRACTION.sub("", shape).replace("MM/DD/", "DD/MM/")


def is_near(when: datetime, started_ns: int, ended_ns: int) -> bool:
    """Whether a clock could have said `when` during the capture, WINDOW around it included.

    A time without an offset is compared as if it were UTC: WINDOW is wider than any offset.
    """
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    seconds = (when - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
    margin = WINDOW.total_seconds()
    return started_ns / 1e9 - margin <= seconds <= ended_ns / 1e9 + margin


def is_clocks(text: str, started_ns: int, ended_ns: int) -> bool:
    """Whether a text is a date-time that a clock could have said during the run."""
    return any(is_near(found.when, started_ns, ended_ns) for found in moments(text))


def timestamp(number: int, shape: str) -> Placeholder:
    """The placeholder of a date-time."""
    return Placeholder("timestamp", number, None if shape == USUAL else shape)
