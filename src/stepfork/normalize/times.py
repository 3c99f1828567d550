"""Date-times in text: which texts are one, whether a clock of this run can have said it, and how it was spelled.

A shape is the date-time with its digits replaced: ``YYYY-MM-DDThh:mm:ss.ffffff+hh:mm``. It keeps what a program that
parses the text depends on (the separator, whether there is a fraction, how an offset is written) and nothing that a
clock decides: a fraction has 3, 6 or 9 digits (languages leave trailing zeros out), an offset no value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from stepfork.normalize.placeholders import Placeholder

USUAL = "YYYY-MM-DDThh:mm:ssZ"
"""The shape that a placeholder without one has."""

WINDOW = timedelta(hours=24)
"""A date-time this near to the capture was read off a clock; any other is data."""

_MONTH_ORDER = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTHS = {name: index for index, name in enumerate(_MONTH_ORDER, 1)}
_DAY_NAMES = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_MONTH_NAMES = "|".join(_MONTHS)

# Hours and minutes alone count only with a "T" and an offset, which people who book a table do not write.
_ISO = re.compile(
    r"(?<![0-9A-Za-z])(?<![0-9][-.])(?P<y>[0-9]{4})-(?P<mo>[0-9]{2})-(?P<d>[0-9]{2})(?P<sep>[T ])"
    r"(?P<h>[0-9]{2}):(?P<mi>[0-9]{2})(?::(?P<s>[0-9]{2})(?:(?P<mark>[.,])(?P<f>[0-9]{1,9}))?)?"
    r"(?P<z>Z|[+-][0-9]{2}(?::?[0-9]{2})?)?(?![0-9A-Za-z])"
)
_BASIC = re.compile(
    r"(?<![0-9A-Za-z])(?P<y>[0-9]{4})(?P<mo>[0-9]{2})(?P<d>[0-9]{2})T"
    r"(?P<h>[0-9]{2})(?P<mi>[0-9]{2})(?P<s>[0-9]{2})(?P<z>Z)(?![0-9A-Za-z])"
)
_RFC1123 = re.compile(
    rf"(?<![0-9A-Za-z])(?:{_DAY_NAMES}), (?P<d>[0-9]{{2}}) (?P<mo>{_MONTH_NAMES}) (?P<y>[0-9]{{4}}) "
    r"(?P<h>[0-9]{2}):(?P<mi>[0-9]{2}):(?P<s>[0-9]{2}) (?P<z>GMT|UTC|[+-][0-9]{4})(?![0-9A-Za-z])"
)
_CTIME = re.compile(
    rf"(?<![0-9A-Za-z])(?:{_DAY_NAMES}) (?P<mo>{_MONTH_NAMES}) (?P<d>[ 0-9][0-9]) "
    r"(?P<h>[0-9]{2}):(?P<mi>[0-9]{2}):(?P<s>[0-9]{2}) (?P<y>[0-9]{4})(?![0-9A-Za-z])"
)
_SPELLINGS = (_ISO, _BASIC, _RFC1123, _CTIME)
# Each begins with its rarest character, which is looked for in one sweep.
_HINTS = (re.compile(r":(?<=[0-9][T ][0-9][0-9]:)[0-9]{2}"), re.compile("T[0-9]{6}Z"))
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
_FIELD = re.compile("YYYY|Mmm|Www|MM|DD|hh|mm|ss|f{1,9}")
_FRACTION = re.compile("[.,]f+")


class Moment:
    """A date-time found at `start` to `end` of a text; `when` is naive where the text names no offset."""

    __slots__ = ("end", "shape", "start", "when")

    def __init__(self, start: int, end: int, when: datetime, shape: str) -> None:
        self.start = start
        self.end = end
        self.when = when
        self.shape = shape


def moments(text: str) -> Iterator[Moment]:
    """The date-times of a text, spelling by spelling; dates alone and times alone are none."""
    if not any(hint.search(text) for hint in _HINTS):
        return
    for pattern in _SPELLINGS:
        for match in pattern.finditer(text):
            when = _when(match)
            if when is not None:
                yield Moment(match.start(), match.end(), when, _shape(pattern, match))


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
        return f"{int(when.timestamp())}.{_fraction(when, 6)}"
    day = f"{when.day:2d}" if shape.startswith("Www Mmm") else f"{when.day:02d}"
    parts = {
        "YYYY": f"{when.year:04d}",
        "Mmm": _MONTH_ORDER[when.month - 1],
        "Www": _DAY_NAMES.split("|")[when.weekday()],
        "MM": f"{when.month:02d}",
        "DD": day,
        "hh": f"{when.hour:02d}",
        "mm": f"{when.minute:02d}",
        "ss": f"{when.second:02d}",
    }
    body, plus, zone = shape.partition("+")
    made = _FIELD.sub(lambda field: parts.get(field[0]) or _fraction(when, len(field[0])), body)
    return made + plus + zone.replace("hh", "00").replace("mm", "00")


def same_form(one: str, other: str) -> bool:
    """Whether two shapes differ at most in the digits of a fraction: some languages leave them out where they are 0."""
    return one == other or _FRACTION.sub("", one) == _FRACTION.sub("", other)


def _fraction(when: datetime, digits: int) -> str:
    return f"{when.microsecond:06d}000"[:digits]


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
    found = next(moments(text), None)
    return found is not None and is_near(found.when, started_ns, ended_ns)


def timestamp(number: int, shape: str) -> Placeholder:
    """The placeholder of a date-time."""
    return Placeholder("timestamp", number, None if shape == USUAL else shape)


def _when(match: re.Match[str]) -> datetime | None:
    found = match.groupdict()
    zone = found.get("z")
    if found.get("s") is None and not (zone and found.get("sep") == "T"):
        return None
    month = _MONTHS.get(found["mo"]) or int(found["mo"])
    try:
        when = datetime(  # noqa: DTZ001 (the offset follows)
            int(found["y"]), month, int(found["d"]), int(found["h"]), int(found["mi"]), min(int(found["s"] or 0), 59)
        )
        return when.replace(tzinfo=UTC) - _offset(zone) if zone else when
    except (ValueError, OverflowError):
        return None


def _offset(zone: str) -> timedelta:
    if zone[0] not in "+-":
        return timedelta()
    digits = zone[1:].replace(":", "").ljust(4, "0")
    size = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -size if zone[0] == "-" else size


def _shape(pattern: re.Pattern[str], match: re.Match[str]) -> str:
    zone = (
        re.sub("[0-9]{2}", "hh", match["z"].replace("-", "+"), count=1)
        if "z" in match.groupdict() and match["z"]
        else ""
    )
    zone = re.sub("[0-9]{2}", "mm", zone)
    if pattern is _BASIC:
        return "YYYYMMDDThhmmssZ"
    if pattern is _RFC1123:
        return f"Www, DD Mmm YYYY hh:mm:ss {zone}"
    if pattern is _CTIME:
        return "Www Mmm DD hh:mm:ss YYYY"
    fraction = match["f"]
    digits = "" if fraction is None else match["mark"] + "f" * (-(-len(fraction) // 3) * 3)
    seconds = "" if match["s"] is None else ":ss"
    return f"YYYY-MM-DD{match['sep']}hh:mm{seconds}{digits}{zone}"
