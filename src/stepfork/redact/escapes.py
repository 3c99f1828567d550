"""Escapes that no encoder needs: a letter, a digit or a plain sign spelled by its number or name, lines broken
anywhere.

Where one stands, a literal may be hidden, and what holds it is read. Standard library only.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Look = Callable[[bytes, int, int], bool]

_HEX = b"0123456789abcdefABCDEF"
_OCTAL = b"01234567"
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_BLANK = b" \t\r\n\"'"
_USUAL = frozenset((b"22", b"26", b"27", b"3c", b"3C", b"3e", b"3E"))
"""What some encoders always spell by number: quotes, & and signs of HTML."""
_HIDDEN = b"-_.~:=@"
_UNRESERVED = frozenset(form % code for code in _LETTERS + b"-._~" for form in (b"%02x", b"%02X"))
"""What a URL has as it is."""
_USUAL_NUMBERS = ("34", "38", "39", "60", "62", "160", "x22", "x26", "x27", "x3c", "x3e", "xa0")
_NAMES = "colon sol bsol equals plus lowbar hyphen dash period dollar percnt commat num"


def _is_ascii(data: bytes, _start: int, end: int) -> bool:
    """``\\u0041`` and ``\\x41``."""
    code = data[end : end + 2]
    return len(code) == 2 and code not in _USUAL and code[:1] in b"234567" and code[1:] in _HEX


def _is_byte(data: bytes, start: int, end: int) -> bool:
    """The same, and ``\\xc3\\xa9``."""
    return data[end : end + 1] in b"89abcdefABCDEF" or _is_ascii(data, start, end)


def _is_octal(data: bytes, _start: int, end: int) -> bool:
    code = data[end : end + 2]
    return len(code) == 2 and code[:1] in _OCTAL and code[1:] in _OCTAL


def _is_unreserved(data: bytes, _start: int, end: int) -> bool:
    """``%41``, or a sign of percent that is encoded itself."""
    code = data[end : end + 2]
    if code in (b"5C", b"5c"):  # a backslash, which may hide the sign after it
        return data[end + 2 : end + 3] in _HIDDEN and len(data) > end + 2
    if code == b"25":
        return data[end + 2 : end + 3] in _HEX and len(data) > end + 2
    return code in _UNRESERVED


def _is_unusual_number(data: bytes, _start: int, end: int) -> bool:
    number = data[end : end + 9].partition(b";")[0].lower().decode("latin-1")
    return number.replace("x0", "x", 1).lstrip("0") not in _USUAL_NUMBERS


def is_in_word(data: bytes, start: int, end: int) -> bool:
    """``sk\\-`` in Markdown or a regular expression, at whatever depth of JSON text: no blank on either side."""
    before = data[max(0, start - 16) : start].rstrip(b"\\")[-1:]
    after = data[end : end + 1]
    is_inside = before not in _BLANK and after not in _BLANK
    return is_inside and ((before != b"" and before in _LETTERS) or (after != b"" and after in _LETTERS))


def _always(_data: bytes, _start: int, _end: int) -> bool:
    return True


ESCAPES: dict[bytes, Look] = {
    b"\\u00": _is_ascii,
    b"\\x": _is_byte,
    b"%": _is_unreserved,
    b"&#": _is_unusual_number,
    b"\\u{": _always,
    b"\\U000": _always,
    **dict.fromkeys((b"\\0", b"\\1", b"\\2", b"\\3"), _is_octal),
    **{f"&{name};".encode(): _always for name in _NAMES.split()},
    **dict.fromkeys((b"\\u0000", b"\0"), _always),
}
"""By the literal that each begins with; a sign that has a backslash before it may hide what `is_in_word`."""
SOFT_BREAKS = (b"=\n", b"=\r\n", b"=\\n", b"=\\r", b"=\\\\n", b"=\\\\r")
"""Those of quoted-printable text, in which known values alone are looked for."""
