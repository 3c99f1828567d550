"""What the words beside a number say that it is: a telephone, or a number of something else."""

from __future__ import annotations

from stepfork.redact.pattern import pattern

_TELEPHONE = """
    phone phones telephone telephones tel tél téléphone telefon telefone telefono teléfono telefoon telefonnummer
    rufnummer handy handynummer mobil mobile mobiles mob móvil celular cellulare portable cell cellphone landline
    hotline fax telefax ph tlf msisdn whatsapp wa sms smartphone callback тел телефон
"""
_CALLING = """
    call calling ring dial text texting reach contact number numbers anrufen appeler llamar chiamare
"""
_OTHER = """
    order orders invoice invoices ticket tickets case sku skus part model serial tracking isbn issn ean gtin upc asin
    barcode version ver build release id ids uuid ref reference account acct policy claim po booking reservation
    confirmation article item product code commit revision batch lot hash sha checksum digest coordinates lat lng
    latitude lon longitude date timestamp epoch ssn ein vat nif siren siret patent doi imei iccid shipment parcel price
    amount total size count bytes tokens seed created updated expires duration elapsed auftrag rechnung bestellung
    bestellnummer commande facture pedido factura ordine
"""
_BETWEEN = """
    number numbers num no nr nro nummer numéro numero número is are was at on me us him her them back my his our your
    the home work office to via under ist unter lautet est au es al or td th dd dt strong span
"""

_UNSPACED = pattern("电话|電話|手机|手機|携帯|전화|휴대폰")
"""The same in scripts that put no space between words."""
_NEAR = 5

TELEPHONE = frozenset(_TELEPHONE.split())
"""Words after which, with little between, any number of a telephone's length is one."""
CALLING = frozenset(_CALLING.split())
"""Words after which a number is one if it is also written like one."""
OTHER = frozenset(_OTHER.split())
"""Words after which a number is one of something else, unless it is written with a ``+``."""

_CALLED = frozenset(("contact", "call", "caller", "callee", "calling", "dial", "emergency", "recipient", "sender"))
"""Words that make the ``number`` beside them, in a member's name, that of a telephone."""
_MAY_STAND_BETWEEN = frozenset(_BETWEEN.split())
_ABBREVIATED = frozenset(("tel", "tél", "ph", "mob", "tlf", "no", "nr", "nro", "num", "тел"))
_LOOKED_BACK = 80
# A part of a name counts too: `mobilePhone`, `phone_number`.
_WORD = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[^\W\d_]+")
_LIST = pattern(r'"\s*:\s*\[')
_NAME = pattern(r"[A-Za-z0-9_.-]*\Z")
_APART = pattern(r"[^0-9+]*\Z")


def before(text: str, start: int) -> frozenset[str] | None:
    """Which of the three kinds of words the number at `start` follows."""
    left = max(0, start - _LOOKED_BACK)
    window = text[left:start]
    if not window or window[-1].isdigit():
        return None
    found, end = None, len(window)
    for match in reversed(list(_WORD.finditer(window))):
        gap, word = window[match.end() : end], match.group().lower()
        if not _APART.match(gap) or (gap[:2] in (". ", "! ", "? ") and word not in _ABBREVIATED):
            break
        kind = _kind(word)
        if kind in (TELEPHONE, OTHER):
            return kind
        if kind is CALLING and (word not in _MAY_STAND_BETWEEN or end < len(window)):  # "number is", not "number="
            found = kind
        if word not in _MAY_STAND_BETWEEN:
            break
        end = match.start()
    return found


def is_listed(text: str) -> bool:
    """Whether JSON in a text may have a list of telephone numbers."""
    return any(
        names_telephone(_NAME.search(text, max(0, match.start() - 80), match.start())[0])  # type: ignore[index]
        for match in _LIST.finditer(text)
    )


def names_telephone(name: str | None) -> bool:
    """Whether a member's name says that its value is a telephone number."""
    words = _words(name)
    is_called = "number" in words and not words.isdisjoint(_CALLED)
    return (is_called or not words.isdisjoint(TELEPHONE)) and words.isdisjoint(OTHER)


def names_other(name: str | None) -> bool:
    """Whether a member's name says that its value is a number of something else."""
    return not _words(name).isdisjoint(OTHER)


def _kind(word: str) -> frozenset[str] | None:
    if word in TELEPHONE or (not word.isascii() and _UNSPACED.search(word[-_NEAR:])):
        return TELEPHONE
    return OTHER if word in OTHER else CALLING if word in CALLING else None


def _words(name: str | None) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)} if name and len(name) <= 80 else set()
