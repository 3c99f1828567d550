"""Bank accounts by their international number (IBAN, ISO 13616): known by the country's structure and modulo 97."""

from __future__ import annotations

from stepfork.redact.cards import DASH, SPACES
from stepfork.redact.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_STRUCTURES = """
    AD8n12c AE19n AL8n16c AT16n AZ4a20c BA16n BE12n BG4a6n8c BH4a14c BI23n BR23n1a1c BY4c4n16c CH5n12c CR18n CY8n16c
    CZ20n DE18n DJ23n DK14n DO4c20n EE16n EG25n ES20n FI14n FK2a12n FO14n FR10n11c2n GB4a14n GE2a16n GI4a15c GL14n
    GR7n16c GT24c HN4a20n HR17n HU24n IE4a14n IL19n IQ4a15n IS22n IT1a10n12c JO4a4n18c KW4a22c KZ3n13c LB4n20c LC4a24c
    LI5n12c LT16n LU3n13c LV4a13c LY21n MC10n11c2n MD20c ME18n MK3n10c2n MN16n MR23n MT4a5n18c MU4a19n3a NI4a20n NL4a10n
    NO11n OM3n16c PK4a16c PL24n PS4a21c PT21n QA4a21c RO4a16c RS18n RU14n15c SA2n18c SC4a20n3a SD14n SE20n SI15n SK20n
    SM1a10n12c SO19n ST21n SV4a20n TL19n TN20n TR6n16c UA6n19c VA18n VG4a16n XK16n YE4a4n18c
"""
"""What follows the two check digits, country by country: so many digits (n), letters (a), or either (c)."""

_KINDS = {"n": "[0-9]", "a": "[A-Z]", "c": "[0-9A-Z]"}
_PIECE = pattern(r"([0-9]+)([nac])")
_MARK = f"[{SPACES}{DASH}]"
_START = pattern(rf"(?<![0-9A-Za-z_])[A-Za-z]{{2}}[0-9]{{2}}(?={_MARK}?[0-9A-Za-z])")
_SIGN = pattern(rf"{_MARK}?([0-9A-Za-z])")


class _Structures:
    """Patterns of accounts by country, made when a text first calls for one."""

    def __init__(self) -> None:
        self._pieces: dict[str, str] = {}
        self._made: dict[str, tuple[int, re.Pattern[str]]] = {}

    def of(self, country: str) -> tuple[int, re.Pattern[str]] | None:
        """Length behind the check digits, and what that must look like."""
        if not self._pieces:
            self._pieces = {item[:2]: item[2:] for item in _STRUCTURES.split()}
        if country not in self._made:
            if country not in self._pieces:
                return None
            found = _PIECE.findall(self._pieces[country])
            made = pattern("".join(f"{_KINDS[kind]}{{{count}}}" for count, kind in found) + r"\Z")
            self._made[country] = (sum(int(count) for count, _ in found), made)
        return self._made[country]


_structures = _Structures()


def find_ibans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each IBAN of `text`, with or without spaces in it."""
    for match in _START.finditer(text):
        structure = _structures.of(match.group()[:2].upper())
        end = _end(text, match.end(), structure[0]) if structure else None
        if end is not None and is_iban(_compact(text[match.start() : end])):
            yield match.start(), end


def is_iban(compact: str) -> bool:
    """Whether letters and digits without spaces are an IBAN."""
    structure = _structures.of(compact[:2])
    if structure is None or not structure[1].match(compact, 4):
        return False
    return _remainder(compact[4:] + compact[:4]) == 1


def iban(country: str, account: str) -> str:
    """The IBAN of an account."""
    return f"{country}{98 - _remainder(account + country + '00'):02d}{account}"


def _remainder(text: str) -> int:
    return int("".join(str(int(char, 36)) for char in text)) % 97


def _end(text: str, at: int, count: int) -> int | None:
    """Where `count` more letters and digits end, None where they are fewer or more follow."""
    for _ in range(count):
        sign = _SIGN.match(text, at)
        if sign is None:
            return None
        at = sign.end()
    following = text[at : at + 1]
    return None if following == "_" or (following.isascii() and following.isalnum()) else at


def _compact(text: str) -> str:
    return "".join(char for char in text if char.isascii() and char.isalnum()).upper()
