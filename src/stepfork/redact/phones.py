"""Telephone numbers as people write them: international ones, the usual national forms, and what words call one."""

from __future__ import annotations

from stepfork.redact import phone_checks as checks
from stepfork.redact import phone_edges as edges
from stepfork.redact import wording
from stepfork.redact.cards import DASH, DASHES, SPACES
from stepfork.redact.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

    Fits = Callable[[str, int, int], bool]

_BLANK = f"[{SPACES}]"
_MARK = f"[{SPACES}{DASH}.]"
_JOINT = rf"(?:{_MARK}?/{_MARK}?|{_BLANK}[{DASH}]{_BLANK}|{_MARK}|{_MARK}?\(|\){_MARK}?)?"
_DIGITS = rf"(?:{_JOINT}[0-9])"
_END = r"(?![0-9])"

_PLUS = pattern(rf"\+\(?[1-9]{_DIGITS}{{6,17}}{_END}")
_CHAIN = pattern(rf"(?<![0-9A-Za-z_])\(?[0-9]{_DIGITS}{{6,}}")
_DOUBLE_ZERO = pattern(rf"(?:00{_MARK}?|011{_MARK})(?=[1-9])[0-9]{_DIGITS}{{7,17}}{_END}")
_ZERO = pattern(rf"\(?0[1-9]{_DIGITS}{{7,10}}{_END}")
_AMERICAN = pattern(
    rf"(?:(?:1{_MARK}?)?\([0-9]{{3}}\){_MARK}?|(?:1{_MARK})?[1-9][0-9]{{2}}{_MARK})"
    rf"[0-9]{{3}}{_MARK}[0-9]{{4}}{_END}"
)
_BRACKETS = pattern(
    rf"(?:8{_BLANK})?\((?!(?:19|20)[0-9]{{2}}\))[1-9][0-9]{{1,3}}\){_MARK}?[0-9]{{3,5}}[{DASH}][0-9]{{2,4}}"
    rf"(?:[{DASH}][0-9]{{2}})?{_END}"
)
_NUMBER = pattern(rf"\(?[0-9]{_DIGITS}{{5,16}}{_END}")
_AND = pattern(r"\s{0,3}(?:[,;/|]|or|and|oder|und|et|ou|y|o|e)\s{0,3}")
_EXTENSION = pattern(
    rf"(?i)(?:;ext=|,?{_BLANK}?(?:ext(?:ension)?\b\.?|x|durchwahl\b|poste\b|anexo\b){_BLANK}?:?{_BLANK}?)[0-9]{{1,6}}"
    r"(?![0-9A-Za-z])"
)

_GROUP = pattern(r"[0-9]+")
_TRIES = 2
"""Groups of digits, in a row of them, of which a number may be the second: ``room 5 020 7946 0958``."""
_ALL_MARKS = f"{SPACES}{DASHES}./()"


def find_phones(text: str, name: str | None = None, *, suspicious: bool = False) -> Iterator[tuple[int, int]]:
    """Start and end of each telephone number of `text`, which stands under the member `name`. `suspicious`: also where
    words before it say that it is none."""
    for match in _PLUS.finditer(text):
        start, end = match.span()
        longest = _longest(text, start, end, checks.is_international) if edges.free_left(text, start) else None
        if longest is not None:
            yield edges.balanced(text, start, longest), longest
    done = 0
    for chain in _CHAIN.finditer(text):
        tries = _TRIES
        for start in _starts(text, chain.start(), chain.end()):
            if start >= done and tries:
                tries -= 1
                for found in _at(text, start, name, suspicious=suspicious):
                    yield found
                    done, tries = found[1], _TRIES


def _starts(text: str, start: int, end: int) -> Iterator[int]:
    """Where a number may begin in a chain of digits: with the chain, a bracket, or a group of digits."""
    yield start
    for match in _GROUP.finditer(text, start + 1, end):
        at = match.start()
        if not text[at - 1].isdigit():
            yield at - 1 if text[at - 1] == "(" and at - 1 > start else at


def _at(text: str, start: int, name: str | None, *, suspicious: bool) -> Iterator[tuple[int, int]]:
    """The number that begins at `start`, if one does; where words announced it, those too that an "or" adds."""
    if not edges.free_left(text, start):
        return
    first = not text[:start].strip() if start < 8 else False
    said = wording.TELEPHONE if first and wording.names_telephone(name) else wording.before(text, start)
    if said in (wording.TELEPHONE, wording.CALLING):
        row = list(_row(text, start, checks.is_said if said is wording.TELEPHONE else checks.is_called))
        if row:
            yield from row
            return
    end = _formed(text, start)
    if end is not None:
        whole = end - start >= len(text.strip())
        if suspicious or (said is not wording.OTHER and not (whole and wording.names_other(name))):
            yield edges.balanced(text, start, end), end


def _formed(text: str, start: int, *, announced: bool = False) -> int | None:
    """The end of the number of a known form that begins at `start`; what stands beside it does not count where words
    announced it."""
    for look, fits in _LOOKS:
        match = look.match(text, start)
        end = _longest(text, start, match.end(), _by_itself(fits) if announced else fits) if match else None
        if end is not None:
            return end
    return None


def _by_itself(fits: Fits) -> Fits:
    return lambda text, start, end: fits(text[start:end], 0, end - start)


def _row(text: str, at: int, fits: Fits) -> Iterator[tuple[int, int]]:
    """The number at a place that was said to hold one, and those that an "or" adds."""
    while True:
        match = _NUMBER.match(text, at) if edges.free_left(text, at) else None
        end = (_formed(text, at, announced=True) or _longest(text, at, match.end(), fits)) if match else None
        if end is None:
            return
        yield edges.balanced(text, at, end), end
        following = _AND.match(text, end)
        if following is None:
            return
        at = following.end()


def _longest(text: str, start: int, end: int, fits: Fits) -> int | None:
    """The end of the longest number that begins at `start`: what follows it, ``12 people``, may look like a part."""
    while True:
        extension = _EXTENSION.match(text, end)
        last = extension.end() if extension else end
        if edges.free_right(text, last) and edges.is_closed(text[start:end]) and fits(text, start, end):
            return last
        shorter = start + len(text[start:end].rstrip("0123456789").rstrip(_ALL_MARKS))
        if not start < shorter < end:
            return None
        end = shorter


_LOOKS: tuple[tuple[re.Pattern[str], Fits], ...] = (
    (_DOUBLE_ZERO, checks.is_international),
    (_ZERO, checks.is_zero),
    (_AMERICAN, checks.is_american),
    (_BRACKETS, checks.is_bracketed),
)
