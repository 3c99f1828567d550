"""Personal data that are nobody's: numbers of ranges that are kept for fiction and for tests, valid and told apart."""

from __future__ import annotations

from stepfork.redact.cards import check_digit
from stepfork.redact.ibans import iban

_AREAS = (
    "201", "202", "206", "212", "213", "214", "216", "301", "303", "305", "312", "313", "314", "401", "402", "404",
    "405", "412", "415", "480", "503", "504", "505", "512", "515", "601", "602", "603", "605", "612", "614", "615",
    "617", "619", "701", "702", "703", "704", "713", "716", "718", "720", "801", "802", "803", "804", "808", "816",
)  # fmt: skip
"""In each of them the numbers from 555-0100 to 555-0199 are kept for fiction."""
_SMALL = (
    "Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve",
    "Thirteen", "Fourteen", "Fifteen", "Sixteen", "Seventeen", "Eighteen", "Nineteen",
)  # fmt: skip
_TENS = ("Twenty", "Thirty", "Forty", "Fifty", "Sixty", "Seventy", "Eighty", "Ninety")
_STEP = 1000
"""How far a value that is taken lies from the next one that is tried."""


def made_up(kind: str, number: int, digits: str, at: int) -> str:
    """A value for the placeholder of that number, from random hex digits; `at` counts those that were taken.

    A card is one of the range in which Stripe's test card 4242 lies, an account one of the bank TEST, which there is
    not.
    """
    number += at * _STEP
    if kind == "phone":
        area, line = divmod(int(digits[:16], 16) % (len(_AREAS) * 100), 100)
        return f"+1 {_AREAS[area]}55501{line:02d}"
    if kind == "card":
        body = f"424242{number % 10**9:09d}"
        return body + check_digit(body)
    if kind == "iban":
        return iban("GB", f"TEST{number:014d}")
    return f"Person {_in_words(number)}"


def _in_words(number: int) -> str:
    if number < len(_SMALL):
        return _SMALL[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")
    return "-".join(_SMALL[int(digit)] for digit in str(number))
