"""Durations as text: which texts are one, and what is left of them."""

from __future__ import annotations

import re

_FORMS = (
    # ISO 8601
    (re.compile(r"[+-]?P(?=[0-9T])(?:[0-9]+(?:[.,][0-9]+)?[YMWD])*(?:T(?:[0-9]+(?:[.,][0-9]+)?[HMS])+)?"), "PT0S"),
    # hours and minutes, as Python and watches write them
    (re.compile(r"-?(?:[0-9]+ days?, )?[0-9]+:[0-9]{2}(?::[0-9]{2})?(?:[.,][0-9]+)?"), "0:00:00"),
    (re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?(?:[eE][+-]?[0-9]+)?"), "0"),
    # numbers with units, which change with the size in many languages: 980ms, 1.02s, 2 min 3 s
    (re.compile(r"[+-]?(?:[0-9]+(?:[.,][0-9]+)?\s?[A-Za-zµμ]{1,12}\.?(?:,? (?:and )?|(?=[0-9])|\Z))+"), "0s"),
)


def without_length(text: str) -> str | None:
    """The text of a duration that took no time, in the spelling of `text`; None where it is none."""
    return next((zero for form, zero in _FORMS if form.fullmatch(text)), None)
