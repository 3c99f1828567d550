"""Numbers of payment cards: known by the network's prefix, their length and their check digit."""

from __future__ import annotations

from stepfork.redact.pattern import pattern
from stepfork.redact.wording import names_other

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_NETWORKS = (
    ("Visa", "4", (13, 16)),
    ("Mastercard", "51-55 2221-2720", (16,)),
    ("American Express", "34 37", (15,)),
    ("Discover", "6011 644-649 65", (16,)),
    ("Diners Club", "300-305 3095 36 38-39", (14, 16)),
    ("JCB", "3528-3589", (16,)),
    ("UnionPay", "62 81", (16, 17, 18, 19)),
    ("Maestro", "5018 5020 5038 5893 6304 6759 6761-6763 6767 6771 6799", (16, 18, 19)),
    ("Mir", "2200-2204", (16,)),
    ("RuPay", "508 60 82 353 356", (16,)),
    ("Troy", "9792", (16,)),
    ("Verve", "5060-5061", (16, 18, 19)),
    ("Dankort", "5019", (16,)),
    ("Hipercard, Elo", "606282 6363 5067 4389", (16,)),
)
_RANGES = tuple(
    (low, high or low, lengths)
    for _, prefixes, lengths in _NETWORKS
    for low, _, high in (prefix.partition("-") for prefix in prefixes.split())
)

SPACES = "\u0020\u00a0\u2007\u2009\u202f"
DASHES = "\u002d\u2010\u2011\u2012\u2013\u2014\u2212"
DASH = rf"\{DASHES}"
"""The same inside the brackets of a pattern."""
_MARK = f"[{SPACES}{DASH}.]"
# Four by four, or the groups of American Express and Diners Club; never a part of a longer row of such groups.
_CARD = pattern(
    r"(?<![0-9A-Za-z_.+$€£-])[2-689][0-9]{3}"
    rf"(?:[0-9]{{9,15}}|(?P<mark>{_MARK})(?:[0-9]{{4}}(?P=mark)[0-9]{{4}}(?P=mark)[0-9]{{1,4}}"
    r"(?P<rest>(?P=mark)[0-9]{1,3})?|[0-9]{6}(?P=mark)[0-9]{4,5}))"
    r"(?![0-9A-Za-z_@]|\.[0-9])"
)
_ROW_BEFORE = pattern(rf"(?<![0-9])(?:[0-9]{{4}}{_MARK}){{1,12}}\Z")
_ROW_AFTER = pattern(rf"(?:{_MARK}[0-9]{{4}}(?![0-9])){{1,12}}")
_EXPIRY = pattern(rf"{_MARK}(?:0[1-9]|1[0-2])[2-9][0-9](?![0-9])")
_CARD_SAID = pattern(r"(?i)card[ \w]{0,12}[#/][ ]?\Z")


def find_cards(text: str, name: str | None = None) -> Iterator[tuple[int, int]]:
    """Start and end of each card number of `text`, which stands under the member `name`."""
    for match in _CARD.finditer(text):
        start, end = match.span()
        if not is_card(_digits(match.group())):
            end = match.start("rest")  # ``12/28`` behind it, say
            if end < 0 or not is_card(_digits(text[start:end])):
                continue
        if match["mark"] is None:
            if names_other(name) or (text[start - 1 : start] in ("#", "/") and not _said_before(text, start)):
                continue
        elif _is_in_row(text, start, end):
            continue
        yield start, end


def is_card(digits: str) -> bool:
    """Whether digits are a number that a payment card can have."""
    if not any(low <= digits[: len(low)] <= high and len(digits) in lengths for low, high, lengths in _RANGES):
        return False
    return check_digit(digits[:-1]) == digits[-1] and not (len(digits) == 13 and is_article(digits))


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())


def check_digit(digits: str) -> str:
    """The digit that makes `digits` pass the Luhn formula (ISO/IEC 7812)."""
    total = 0
    for index, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 if index % 2 else 2)
        total += value - 9 if value > 9 else value
    return str(-total % 10)


def is_article(digits: str) -> bool:
    """Whether digits are an EAN, UPC or ISBN-13, by their check digit."""
    total = sum(int(digit) * (3 if index % 2 else 1) for index, digit in enumerate(reversed(digits)))
    return total % 10 == 0


def _is_in_row(text: str, start: int, end: int) -> bool:
    """Whether four groups of digits are a part of a longer row of groups, which is not of cards alone."""
    before = _ROW_BEFORE.search(text, max(0, start - 60), start)
    after = None if _EXPIRY.match(text, end) else _ROW_AFTER.match(text, end)
    return any(row is not None and len(row.group()) % 20 for row in (before, after))


def _said_before(text: str, start: int) -> bool:
    return _CARD_SAID.search(text, max(0, start - 24), start) is not None
