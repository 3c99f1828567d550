"""Whether digits that stand like a telephone number are one: how many they are, and how they are grouped."""

from __future__ import annotations

from stepfork.redact.cards import DASH, DASHES, SPACES, is_article
from stepfork.redact.pattern import pattern
from stepfork.redact.phone_plan import calling_code, has_length

_MARK = f"[{SPACES}{DASH}.]"
_DATE = pattern(
    rf"(?:(?:19|20)[0-9]{{2}}[{DASH}./](?:0?[1-9]|1[0-2])[{DASH}./][0-9]{{1,2}}(?![0-9])"
    rf"|[0-9]{{1,2}}[{DASH}./ ][0-9]{{1,2}}[{DASH}./ ](?:19|20)[0-9]{{2}}(?![0-9]))"
)
_IP = pattern(r"[0-9]{1,3}(?:\.[0-9]{1,3}){2,3}\Z")
_GROUP = pattern(r"[0-9]+")
_BETWEEN = pattern(r"[^0-9]+")
_PAIR_BEFORE = pattern(rf"(?<![0-9A-Za-z])[0-9A-Fa-f]{{2}}{_MARK}\Z")
_PAIR_AFTER = pattern(rf"{_MARK}[0-9A-Fa-f]{{2}}(?![0-9A-Za-z])")
_DIGIT_BEFORE = pattern(rf"[0-9]{_MARK}\Z")
_DIGIT_AFTER = pattern(rf"{_MARK}[0-9]")
_NO_PHONES = frozenset(((3, 2, 4), (3, 3, 3), (4, 4, 4), (5, 4)))
"""Groups of other numbers that begin with a zero: of US social security, of companies, of cards, postal codes."""


def is_international(text: str, start: int, end: int) -> bool:
    """Whether digits behind a ``+`` or ``00`` are a number of some country."""
    piece = text[start:end]
    groups = _GROUP.findall(piece)
    digits = "".join(groups)
    if "+" not in piece[:1]:
        if len(groups) == 1 and is_article(digits):
            return False
        skipped = 2 if piece.startswith("00") else 3
        groups = [groups[0][skipped:], *groups[1:]] if len(groups[0]) > skipped else groups[1:]
        digits = digits[skipped:]
    code = calling_code(digits)
    if code is None or len(groups[0]) < len(code) or len(groups) > 8:
        return False
    if len(groups) == 2 and groups[0] == code and "." in piece:
        return False  # as often a decimal fraction with its sign
    rest = digits[len(code) :]
    return has_length(code, rest.lstrip("0")) or has_length(code, rest)


def is_zero(text: str, start: int, end: int) -> bool:
    """Whether digits that begin with the zero of a trunk are grouped as numbers are."""
    piece = text[start:end]
    groups, sizes, marks = _parts(piece)
    total = sum(sizes)
    if len(groups) == 1:
        return total in (10, 11) and not _is_code(groups[0])
    if ")" in piece:
        return 8 <= total <= 12 and sizes[0] <= 6
    if not 9 <= total <= 12 or not (2 <= sizes[0] <= 5 or sizes == (6, 5)) or len(sizes) > 6 or sizes in _NO_PHONES:
        return False
    if min(sizes[2 if sizes[0] == 2 else 1 : -1], default=2) < 2 or (sizes[-1] < 2 and marks[-1] not in DASHES):
        return False
    if max(map(len, marks[1:]), default=1) > 1 or "/" in "".join(marks[1:]) or ("/" in marks[0] and sizes[0] < 3):
        return False
    if "." in marks and (len(sizes) < 3 or _IP.match(piece)):
        return False
    if set(sizes) == {2} and (len(sizes) != 5 or _is_listed(text, start, end, groups)):
        return False
    return not _DATE.match(piece)


def is_american(text: str, start: int, end: int) -> bool:
    """Whether three, three and four digits are a number of North America."""
    piece = text[start:end]
    groups, _, marks = _parts(piece)
    if len(groups) < 3:
        return False
    if ")" in piece or (marks[-1] in DASHES and marks[-2] in DASHES + SPACES):
        return True
    alone = not _DIGIT_BEFORE.search(text, max(0, start - 2), start) and not _DIGIT_AFTER.match(text, end)
    return alone and groups[-3][0] != "1" and groups[-2][0] not in "01"


def is_bracketed(text: str, start: int, end: int) -> bool:
    """Whether digits behind an area in brackets are as many as a number has."""
    return 8 <= sum(_parts(text[start:end])[1]) <= 12


def is_said(text: str, start: int, end: int) -> bool:
    """Whether what was announced as a telephone may be one."""
    piece = text[start:end]
    groups, sizes, marks = _parts(piece)
    if not 7 <= sum(sizes) <= 15 or len(sizes) > 6 or _DATE.match(piece) or _IP.match(piece) or marks == ["."]:
        return False
    return min(sizes[1:-1], default=2) >= 2 and (len(groups) == 1 or sizes[-1] >= 2 or marks[-1] in DASHES)


def is_called(text: str, start: int, end: int) -> bool:
    """Whether what somebody is to be called at is written like a number."""
    if not is_said(text, start, end):
        return False
    groups, sizes, marks = _parts(text[start:end])
    total = sum(sizes)
    if len(sizes) == 1:
        return (total == 10 and groups[0][0] != "1") or (total == 11 and groups[0][0] in "01")
    return 9 <= total <= 12 or (sizes == (3, 4) and marks[0] in DASHES)


def _parts(piece: str) -> tuple[list[str], tuple[int, ...], list[str]]:
    """Groups of digits, how long they are, and what stands between them."""
    groups = _GROUP.findall(piece)
    return groups, tuple(map(len, groups)), _BETWEEN.findall(piece.strip("()"))


def _is_code(digits: str) -> bool:
    """Whether digits count up, or are an ISBN-10."""
    if digits in "01234567890":
        return True
    return len(digits) == 10 and sum((10 - index) * int(digit) for index, digit in enumerate(digits)) % 11 == 0


def _is_listed(text: str, start: int, end: int, groups: list[str]) -> bool:
    """Whether pairs of digits count up, or are part of a longer row of pairs."""
    pairs = [int(group) for group in groups]
    counted = pairs == list(range(pairs[0], pairs[0] + len(pairs)))
    before = _PAIR_BEFORE.search(text, max(0, start - 4), start)
    return counted or before is not None or _PAIR_AFTER.match(text, end) is not None
