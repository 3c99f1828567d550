"""How programs spell a moment: forms to find, and the shapes that they leave.

A shape is the date-time with its digits replaced: ``YYYY-MM-DDThh:mm:ss.ffffff+hh:mm``. It keeps what a program that
parses the text depends on (order, separators, whether there is a fraction, how an offset is written) and nothing that a
clock or a machine decides: a fraction has 3, 6 or 9 digits (languages leave trailing zeros out), an offset no value, a
zone is UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LONG_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_LONG_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

# Names of groups say what a piece is: Y, M, D, h, m, s, f (of a second), z (offset), p (AM or PM), the rest in words;
# `zone` is an abbreviation or UTC, `more` is left out of the shape.
_PIECES = {
    "Y": "[0-9]{4}",
    "M": "[0-9]{2}",
    "M1": "[0-9]{1,2}",
    "Mon": "|".join(_MONTHS),
    "Month": "|".join(_LONG_MONTHS),
    "D": "[0-9]{2}",
    "D1": "[0-9]{1,2}",
    "Dp": "[ 0-9]?[0-9]",
    "Day": "|".join(_DAYS),
    "Weekday": "|".join(_LONG_DAYS),
    "h": "[0-9]{2}",
    "h1": "[0-9]{1,2}",
    "m": "[0-9]{2}",
    "m1": "[0-9]{1,2}",
    "s": "[0-9]{2}",
    "s1": "[0-9]{1,2}",
    "f": "[0-9]{1,9}",
    "us": "[0-9]{1,6}",
    "z": "Z|[+-][0-9]{2}(?::?[0-9]{2})?",
    "offset": "[+-][0-9]{4}",
    "gmt": "GMT|UTC|[+-][0-9]{4}",
    "zone": "[A-Z]{3,5}",
    "p": "[AP]M",
}
_TOKENS = {
    "Y": "YYYY", "M": "MM", "M1": "M", "Mon": "Mmm", "Month": "Mmmm", "D": "DD", "D1": "D", "Dp": "DD", "Day": "Www",
    "Weekday": "Wwww", "h": "hh", "h1": "h", "m": "mm", "m1": "m", "s": "ss", "s1": "s", "us": "ffffff", "p": "AM",
    "zone": "UTC", "more": "",
}  # fmt: skip
_BEFORE, _AFTER = "(?<![0-9A-Za-z])", "(?![0-9A-Za-z])"


def _form(spelling: str, before: str = _BEFORE, after: str = _AFTER) -> re.Pattern[str]:
    """The pattern of a spelling in which <name> stands for a piece."""
    return re.compile(
        before + re.sub(r"(?<!P)<([A-Za-z]+1?)>", lambda name: f"(?P<{name[1]}>{_PIECES[name[1]]})", spelling) + after
    )


_ISO = _form(
    r"<Y>(?P<dash>[-/])<M>(?P=dash)<D>(?P<sep>[T ])<h>:<m>(?::<s>(?:[.,]<f>)?)?(?:<z>|(?P<gap> )<offset>)?"
    r"(?P<more>(?: [A-Z]{3,4})? m=[+-][0-9]+(?:[.][0-9]+)?)?",  # Go adds a zone and a monotonic clock
    before=_BEFORE + "(?<![0-9][-.])",
)
FORMS = (
    _ISO,
    _form("<Y><M><D>T<h><m><s>(?:[.]<f>)?(?P<z>Z)"),
    _form("(?:<Day>, )?<Dp> <Mon> <Y> <h>:<m>:<s> <gmt>"),
    _form("<Day> <Mon> <D1> <h>:<m>:<s> <Y> <offset>"),
    _form("<Day> <Mon> <Dp> <h>:<m>:<s>(?: <zone>)? <Y>"),
    _form(r"<Day> <Mon> <D> <Y> <h>:<m>:<s> GMT<offset>(?P<more> \([^()\n]{1,60}\))?", after=""),
    _form(r"(?:<Weekday>, )?<Month> <D1>, <Y>,?(?: at)? <h1>:<m>:<s>(?:[ \u202f]<p>)?(?: <zone>)?"),
    _form(r"<M1>/<D1>/<Y>,? <h1>:<m>:<s>[ \u202f]<p>"),
    _form("<D>/<M>/<Y>,? <h>:<m>:<s>"),
    _form("<M>/<D>/<Y>,? <h>:<m>:<s>"),
    _form(r"<D1>\.<M1>\.<Y>,? <h>:<m>:<s>", before=r"(?<![0-9A-Za-z.])"),
    _form("<D>/<Mon>/<Y>:<h>:<m>:<s> <offset>"),
    _form(r"<Y>, <M1>, <D1>, <h1>, <m1>(?:, <s1>(?:, <us>)?)?", before=r"(?<=datetime\()", after="(?=[,)])"),
)
"""Spellings with a date and a time of day. Hours and minutes alone count only in ISO 8601 with a ``T`` and an offset,
which people who book a table do not write."""

# What every form has, looked for in one sweep each: the rarest character first.
HINTS = (
    re.compile(r":(?<=[0-9]T[0-9][0-9]:)[0-9]{2}"),
    re.compile(r":(?<=[0-9,t] [0-9][0-9]:)[0-9]{2}:"),
    re.compile("T[0-9]{6}[.Z]"),
    re.compile(r":(?<=[0-9,t] [0-9]:)[0-9]{2}:"),
    re.compile(r"/[A-Z][a-z]{2}/[0-9]{4}:"),
    re.compile(r"datetime\("),
)
_TOKEN = re.compile(
    r"\+hh(?::?mm)?|YYYY|Mmmm|Mmm|MM|M(?![A-Za-z])|Wwww|Www|DD|D(?![A-Za-z])|hh|h(?![A-Za-z])|mm|m(?![A-Za-z])|ss"
    r"|s(?![A-Za-z])|f{3,9}|GMT|UTC|\bAM"
)


def found_in(text: str) -> Iterator[re.Match[str]]:
    """The matches of every form, form by form."""
    if any(hint.search(text) for hint in HINTS):
        for form in FORMS:
            yield from form.finditer(text)


def moment_of(match: re.Match[str]) -> datetime | None:
    """What a match says, naive where it names no offset; None where there is no such time, or it is none."""
    found = match.groupdict()
    offset = found.get("offset") or found.get("gmt") or found.get("z")
    if found.get("sep") and found["s"] is None and not (offset and found["sep"] == "T"):
        return None
    try:
        hour = int(found.get("h") or found["h1"])
        if found.get("p"):
            hour = hour % 12 + (12 if found["p"] == "PM" else 0)
        when = datetime(  # noqa: DTZ001 (the offset follows)
            int(found["Y"]),
            _month(found),
            int(found.get("D") or found.get("D1") or found["Dp"]),
            hour,
            int(found.get("m") or found["m1"]),
            min(int(found.get("s") or found.get("s1") or 0), 59),
        )
        return when.replace(tzinfo=UTC) - _offset(offset) if offset else when
    except (ValueError, OverflowError):
        return None


def shape_of(match: re.Match[str]) -> str:
    """The shape of a match."""
    text, shape, cursor = match.group(), "", match.start()
    spans = sorted((*match.span(name), name) for name, value in match.groupdict().items() if value is not None)
    for start, end, name in spans:
        token = _token(name, match[name])
        if token is not None:
            shape += text[cursor - match.start() : start - match.start()] + token
            cursor = end
    return (shape + text[cursor - match.start() :]).replace("\u202f", " ")


def spelled(shape: str, when: datetime) -> str:
    """`when` (UTC) in a shape; the inverse of finding one, but for what a shape leaves out."""
    hour = (when.hour - 1) % 12 + 1 if "AM" in shape else when.hour
    # The library of C pads with a space; who writes the year before the time of day with a zero.
    day = f"{when.day:2d}" if "Mmm DD hh" in shape else f"{when.day:02d}"
    parts = {
        "YYYY": f"{when.year:04d}",
        "MM": f"{when.month:02d}",
        "M": str(when.month),
        "Mmm": _MONTHS[when.month - 1],
        "Mmmm": _LONG_MONTHS[when.month - 1],
        "Www": _DAYS[when.weekday()],
        "Wwww": _LONG_DAYS[when.weekday()],
        "DD": day,
        "D": str(when.day),
        "hh": f"{hour:02d}",
        "h": str(hour),
        "mm": f"{when.minute:02d}",
        "m": str(when.minute),
        "ss": f"{when.second:02d}",
        "s": str(when.second),
        "AM": "AM" if when.hour < 12 else "PM",
        "GMT": "GMT",
        "UTC": "UTC",
    }

    def part(token: re.Match[str]) -> str:
        text = token[0]
        if text[0] == "+":
            return text.replace("hh", "00").replace("mm", "00")
        return parts[text] if text in parts else fraction(when, len(text))

    return _TOKEN.sub(part, shape)


def fraction(when: datetime, digits: int) -> str:
    """The fraction of a second in so many digits."""
    return f"{when.microsecond:06d}000"[:digits]


def _token(name: str, text: str) -> str | None:
    """What stands in a shape for a piece, None where the piece itself does."""
    if name == "f":
        return "f" * (-(-len(text) // 3) * 3)
    if name in ("z", "offset", "gmt"):
        if text[0] not in "+-":
            return text
        digits = re.sub("[0-9]{2}", "hh", "+" + text[1:], count=1)
        return re.sub("[0-9]{2}", "mm", digits)
    return _TOKENS.get(name)


def _month(found: dict[str, str | None]) -> int:
    if name := found.get("Mon"):
        return _MONTHS.index(name) + 1
    if name := found.get("Month"):
        return _LONG_MONTHS.index(name) + 1
    return int(found.get("M") or found.get("M1") or 0)


def _offset(zone: str) -> timedelta:
    if zone[0] not in "+-":
        return timedelta()
    digits = zone[1:].replace(":", "").ljust(4, "0")
    size = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -size if zone[0] == "-" else size
