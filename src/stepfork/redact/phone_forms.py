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

_DIGITS = pattern(r"[0-9]+")
_EXTENSION = pattern(r"(?i)(?:;ext=|[^0-9]*(?:ext|x|durchwahl|poste|anexo))[^0-9]*[0-9]+\Z")
_PLAIN = str.maketrans(dict.fromkeys(SPACES, " ") | dict.fromkeys(DASHES, "-"))
_MARKS = str.maketrans(dict.fromkeys(f"{SPACES}{DASHES}./()"))


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


def spell_phone(number: str, layout: str) -> str | None:
    """A number in a layout, None where the two are of different countries or lengths."""
    code, own, extension = _split(number)
    main, ext = layout, ""
    if extension:
        found = _EXTENSION.search(layout.replace("#", "0"))
        if found is None or layout.count("#", found.start()) != len(extension):
            return None
        main, ext = layout[: found.start()], layout[found.start() :]
    wanted = _layout_code(main)
    slots = main.count("#")
    if wanted and code and wanted != code:
        return None
    if wanted and not code and slots == len(own) - len(wanted) and own.startswith(wanted):
        own = own[len(wanted) :]
    if code and not wanted and slots == len(code) + len(own):
        own = code + own
    elif code == "1" and not wanted and main.startswith(("0", "(0")):
        return None
    return _filled(main + ext, own + extension) if slots == len(own) else None


def _layout_code(layout: str) -> str:
    """The calling code that a layout begins with; empty for a national one."""
    fixed = layout.partition("#")[0]
    return _code_of(fixed + "#", "".join(_DIGITS.findall(fixed)) + "2" * 10)[0] if fixed[:2].strip("(") else ""


def compact_phone(number: str, layout: str) -> str:
    """A number that does not fit a layout, as that of the same kind: a ``+`` only where the layout has one."""
    code, own, extension = _split(number)
    ext = f";ext={extension}" if extension else ""
    return f"{'+' if '+' in layout or not layout else ''}{code}{own}{ext}"


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
