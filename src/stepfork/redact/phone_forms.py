"""The two halves of a telephone number as it is written: the number itself, and its layout.

+44 (0)20 7946 0958    number +44 2079460958    layout +44 (0)## #### ####
020 7946 0958          number 2079460958        layout 0## #### ####
"""

from __future__ import annotations

from stepfork.redact.cards import DASHES, SPACES
from stepfork.redact.pattern import pattern
from stepfork.redact.phone_plan import calling_code

NUMBER = "number"
"""The layout of what stands as a number in JSON."""

_ZERO = ("0", "(0")
_TRUNK = frozenset(("27", "31", "32", "33", "41", "43", "44", "46", "49", "61", "64", "81", "82", "353", "380"))
"""Countries in which every national number begins with a zero, and some in which none does."""
_NO_TRUNK = frozenset(("1", "30", "34", "45", "47", "48", "52", "65", "351", "352", "354", "356", "371", "372", "420"))

_DIGITS = pattern(r"[0-9]+")
_EXTENSION = pattern(r"(?i)(?:;ext=|[^0-9]*(?:ext|x|durchwahl|poste|anexo))[^0-9]*[0-9]+\Z")
_PLAIN = str.maketrans(dict.fromkeys(SPACES, " ") | dict.fromkeys(DASHES, "-"))


def read_phone(text: str) -> tuple[str, str]:
    """Number and layout of a telephone number that was found."""
    extension = _EXTENSION.search(text)
    head = text[: extension.start()] if extension else text
    tail = text[len(head) :]
    digits = "".join(_DIGITS.findall(head))
    code, prefix = _code_of(head, digits)
    own = digits[prefix:].lstrip("0") or digits[prefix:]
    layout = _masked(head, len(digits) - len(own)) + _masked(tail, 0)
    number = f"+{code} {own}" if code else own
    return number + "".join(f";ext={found}" for found in _DIGITS.findall(tail)), layout.translate(_PLAIN)


def _code_of(text: str, digits: str) -> tuple[str, int]:
    """The calling code, and how many digits stand before the number proper."""
    if "+" in text[:2]:
        code = calling_code(digits) or ""
        return code, len(code)
    for prefix in ("00", "011"):
        if text.startswith(prefix) and (prefix == "00" or not text[3].isdigit()):
            code = calling_code(digits[len(prefix) :]) or ""
            return code, len(prefix) + len(code)
    if len(digits) == 11 and text[0] == "1" and not text[1].isdigit():
        return "1", 1
    return "", 1 if len(digits) == 11 and digits[0] == "8" and "(" in text else 0


def _masked(text: str, kept: int) -> str:
    made = ""
    for char in text:
        is_digit = char.isascii() and char.isdigit()
        made += "#" if is_digit and kept <= 0 else char
        kept -= is_digit
    return made


def spell_phone(number: str, layout: str, own: str | None = None) -> str | None:
    """A number in a layout, None where the two are of different countries or lengths; `own` is a layout in which it is
    known to be written."""
    code, digits, extension = _split(number)
    main, ext = layout, ""
    if extension:
        found = _EXTENSION.search(layout.replace("#", "0"))
        if found is None or layout.count("#", found.start()) != len(extension):
            return None
        main, ext = layout[: found.start()], layout[found.start() :]
    wanted, slots = _layout_code(main), main.count("#")
    if not _may_be_of(code, wanted, main, own or ""):
        return None
    if wanted and not code and digits.startswith(wanted) and slots == len(digits) - len(wanted):
        digits = digits[len(wanted) :]
    if code and not wanted and slots == len(code) + len(digits):
        digits = code + digits
    return _filled(main + ext, digits + extension) if slots == len(digits) else None


def _may_be_of(code: str, wanted: str, layout: str, own: str) -> bool:
    """Whether a number of a country may stand in a layout of one; where either is not said, the trunk's zero tells."""
    if code and wanted:
        return code == wanted
    if code:
        return code not in _NO_TRUNK or not layout.startswith(_ZERO)
    if own and wanted:
        return wanted not in (_NO_TRUNK if own.startswith(_ZERO) else _TRUNK)
    return not own or own.startswith(_ZERO) == layout.startswith(_ZERO)


def _layout_code(layout: str) -> str:
    """The calling code that a layout begins with; empty for a national one."""
    fixed = layout.partition("#")[0]
    return _code_of(fixed + "#", "".join(_DIGITS.findall(fixed)) + "2" * 10)[0] if fixed[:2].strip("(") else ""


def same_phone(one: str, other: str) -> bool:
    """Whether two numbers are one: one of them may be written without its country's code."""
    (code, own, ext), (its_code, its_own, its_ext) = _split(one), _split(other)
    if ext != its_ext:
        return False
    if own == its_own:
        return not code or not its_code or code == its_code
    return (not its_code and code + own == its_own) or (not code and its_code + its_own == own)


def _split(number: str) -> tuple[str, str, str]:
    head, _, extension = number.partition(";ext=")
    code, space, own = head.rpartition(" ")
    return (code.lstrip("+"), own, extension) if space else ("", head, extension)


def _filled(layout: str, digits: str) -> str:
    given = iter(digits)
    return "".join(next(given) if char == "#" else char for char in layout)
