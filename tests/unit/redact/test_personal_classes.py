"""Telephone numbers, payment cards, IBANs and named persons in texts: what is one, what is not, and what is the same.

Test numbers of cards and accounts are joined from pieces, which a ``·`` keeps apart here.
"""

from __future__ import annotations

import random
import unicodedata

import pytest

from stepfork.redact.cards import check_digit, is_card
from stepfork.redact.ibans import iban, is_iban
from stepfork.redact.personal import Personal
from stepfork.redact.persons import spell_name
from stepfork.redact.phone_forms import read_phone, same_phone, spell_phone
from stepfork.redact.rules import CLASSES

NAMES = ("Ada Lovelace", "Zoë Müller-Koch", "Ludwig van Beethoven", "王小明", "Cher", "O'Neill, Sinéad")
ALL = Personal(CLASSES, NAMES)

PHONES = """
Call ⟦+44 20 7946 0958⟧ now
⟦+442079460958⟧.
⟦(+44) 20 7946 0958⟧
⟦+44 (0)20 7946 0958⟧ 12 people
call me (⟦020 7946 0958⟧) please
⟦(020) 7946 0958⟧
⟦+1 (415) 555-0123 ext. 12⟧
⟦020 7946 0958 x12⟧
⟦(415) 555-0123⟧ or ⟦415-555-0123⟧ or ⟦415.555.0123⟧ or ⟦415 555 0123⟧
⟦1-800-555-0199⟧, ⟦1 (800) 555-0199⟧, ⟦+1-212-555-0198⟧, ⟦+1.415.555.0123⟧, ⟦+1 555-0100⟧
my phone number is ⟦4155550123⟧
call ⟦555-0123⟧
tel:⟦+1-201-555-0123;ext=12⟧
wa.me/⟦442079460958⟧ <a href="tel:⟦+442079460958⟧">
⟦07700900123⟧ and ⟦07700 900123⟧
⟦0161 496 0000⟧ or ⟦0161 496 0001⟧, ⟦+1 415 555 0123⟧/⟦+1 415 555 0124⟧, ⟦123-456-7890⟧
⟦01 23 45 67 89⟧, ⟦01.23.45.67.89⟧, ⟦06 12 34 56 78⟧, ⟦+33612345678⟧
⟦030/901820⟧, ⟦089 / 123456⟧, ⟦0151 23456789⟧, ⟦+49 (0)30 901820⟧, fax ⟦089-123456-0⟧
⟦0049 30 901820⟧, ⟦00 44 20 7946 0958⟧, ⟦011 44 20 7946 0958⟧
Tel. ⟦415 555 0123⟧ 12 people; phone ⟦06 12 34 56 78⟧ 12 people
Tel.: ⟦612 345 678⟧, ⟦600 123 456⟧ or ⟦7007001⟧
⟦8 (495) 123-45-67⟧, ⟦(11) 91234-5678⟧, ⟦(19) 91234-5678⟧, ⟦+55 (11) 91234-5678⟧
⟦03-1234-5678⟧, ⟦+81 3-1234-5678⟧, ⟦010-1234-5678⟧, ⟦0412 345 678⟧, ⟦(02) 9876 5432⟧
⟦+61 2 9876 5432⟧ / ⟦+61 400 000 000⟧
⟦+353 1 234 5678⟧; ⟦+351 21 234 5678⟧; ⟦+420 601 123 456⟧, ⟦+380 44 123 4567⟧, ⟦+39 06 6982 1234⟧
whatsapp ⟦98765 43210⟧, ⟦+91 98765 43210⟧
电话⟦13800138000⟧, 我的手机是⟦13800138000⟧。⟦+8613800138000⟧请
{"mobilePhone": "⟦4155550123⟧", "phone_number": ⟦4155550123⟧}
mobile=⟦07700900123⟧&x=1
room 5 ⟦020 7946 0958⟧
⟦020 7946 0958⟧ ⟦020 7946 0959⟧
⟦0228 - 123456⟧, ⟦+49 - 228 - 123456⟧, ⟦098765 43210⟧, ⟦06 1 123 4567⟧, ⟦(030) 90 18 20⟧
my number is ⟦4155550123⟧, her number is ⟦07700900123⟧, wa.me/⟦442079460958⟧ or ⟦020 7946 0958⟧ / ⟦020 7946 0959⟧
⟦020\u20117946\u20110958⟧ and ⟦020\u00a07946\u00a00958⟧
**⟦020 7946 0958⟧**, | phone | ⟦4155550123⟧ |, <td>Phone</td><td>⟦4155550123⟧</td>
"""

NO_PHONES = """
order 112-3456789-1234567, order 415-555-0123, order 0612345678
invoice no. 020 7946 0958, ticket #415-555-0123, part number 020-7946-0958
2024-11-05 10:30:00+02:00, 2024-01-15T10:00:00Z, 15/01/2024, 05.12.2023 14.30, 01-02-2024 03-04-2024
1700000000 1700000000000, build 20240115103000, call 2024-11-05
v1.2.3.4567890, v2024.11.05.1200, 12.34.56.78, 192.168.100.200, 010.020.030.040, telephone 192.168.100.200
$415 555 0123, €1.234.567,89, 1,234,567.89, 1 234 567 890, price 415 555 0123
id 4155550123, user_id=4155550123, A0123456789, x-020-7946-0958
5f3e2a10-0123-4567-89ab-0123456789ab deadbeef0123456789 0x0123456789 0cc175b9c0f1b6a831c399e269772661
ISBN 0-306-40615-2, 0306406152, 978-0-306-40615-7, 4006381333931
51.507351, -0.127758, 40.712776,-74.005974, +40.7127837-074.0059413, lat 51.5073510
078-05-1120, 123-45-6789, 12-3456789, 94103-1234
01 02 03 04 05, 00 01 02 03 04 05 06 07 08, 01-23-45-67-89-ab
+3.14159265358979, +1700000000, [0.0123456789, -0.0123456789], text 0.14285714
0123456789 0000000000 0000-0000-0000
09:00-17:00, 2001:0db8:85a3:0000:0000:8a2e:0370:7334
row 415 555 0123 99 12 44, 123 456 7890, your order number is 123-456-7890, ORDER-123-456-7890
tool call 1234567890 returned, phone model 3310, call 911 or 112
Phys. Rev. E 76, 026107 (2007), (2019) 123-4567, arXiv:2401.01234
I lost my phone. 1234567 people know
Boston, MA 02110-1301, S.p.A./03358520967, number=2147483647, 2010 - 2015 - 2020
+1.6021766208e-19, tracking 1Z999AA10123456784, 52.520008, 13.404954, flight 0123
442079460958@sms.example, +44_2079460958
"""

CARDS = """
⟦41·11 1111 1111 1111⟧ and ⟦41·11-1111-1111-1111⟧ exp 12/28
⟦41·11 1111 1111 1111⟧ 12/28 123
⟦41·11 1111 1111 1111⟧ 1228
card #⟦41·11111111111111⟧, a,⟦41·11111111111111⟧,b
⟦37·82 822463 10005⟧ ⟦37·8282246310005⟧
⟦55·55 5555 5555 4444⟧ ⟦22·23003122003222⟧ ⟦60·11111111111117⟧ ⟦30·569309025904⟧ ⟦35·30111333300000⟧ ⟦62·00000000000005⟧
⟦42·22222222222⟧ ⟦67·59649826438453⟧ ⟦41·11.1111.1111.1111⟧ ⟦41·11\u00a01111\u00a01111\u00a01111⟧
⟦42·42 4242 4242 4242⟧ ⟦41·11 1111 1111 1111⟧
;⟦41·11111111111111⟧=25121010000
"""

NO_CARDS = """
41·11 1111 1111 1112 41·11111111111112 1234 5678 9012 3452
a41·11111111111111 41·11111111111111b _41·11111111111111 41·11111111111111.5 0.41·11111111111111
ord-41·11111111111111 -41·11111111111111 $41·11111111111111 orders/41·11111111111111
97·80306406157 40·06380000094 4006381333931 490154203237518 1700000000000000000
99·99 4111 1111 1111 1111 9999
12·34 4111 1111 1111 1111, 41·11 1111 1111 1111 5678, 41·11-1111-1111-1111-5678-9012
"""

IBANS = """
⟦GB·82 WEST 1234 5698 7654 32⟧ and ⟦GB·82WEST12345698765432⟧ is
⟦DE·89370400440532013000⟧, ⟦DE·89 3704 0044 0532 0130 00⟧.
⟦FR·1420041010050500013M02606⟧ ⟦NO·9386011117947⟧ ⟦NO·93 8601 1117 947⟧ is ⟦gb·82west12345698765432⟧
⟦GB·82-WEST-1234-5698-7654-32⟧
"""

NO_IBANS = """
GB·83WEST12345698765432 GB82WEST1234569876543 GB82WEST123456987654321 XGB82WEST12345698765432
ZZ·82WEST12345698765432 GB82123412345698765432 DE89 and 370400440532013000
"""

PERSONS = """
⟦Ada Lovelace⟧'s card, ⟦ADA LOVELACE⟧, ⟦lovelace, ada⟧, ⟦Lovelace, Ada⟧, ⟦Ada  Lovelace⟧, ⟦Lovelace Ada⟧
Adamada Lovelaces, MadAda Lovelace and Ada, but Lovelace; ada Lovelace
(⟦Ada Lovelace⟧) <⟦Ada Lovelace⟧> ⟦Ada Lovelace⟧, Jean-⟦Ada Lovelace⟧
⟦Ada LOVELACE⟧, ⟦LOVELACE Ada⟧, ⟦LOVELACE, Ada⟧
⟦Zoë Müller-Koch⟧, ⟦MÜLLER-KOCH, ZOË⟧, Zoe Müller-Koch
⟦van Beethoven, Ludwig⟧; ⟦Beethoven, Ludwig van⟧; ⟦ludwig van beethoven⟧
我是⟦王小明⟧的电话, ⟦Cher⟧ cherry Cheré, ⟦Sinéad O\u2019Neill⟧ and ⟦Sinéad O'Neill⟧ and ⟦O'NEILL, SINÉAD⟧
"""


def rows(table: str) -> list[str]:
    return table.replace("·", "").strip().split("\n")


def marked(text: str, kind: str) -> str:
    for found in reversed([found for found in ALL.find(text) if found.kind == kind]):
        text = f"{text[: found.start]}⟦{text[found.start : found.end]}⟧{text[found.end :]}"
    return text


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        (kind, row)
        for kind, tables in {
            "phone": PHONES + NO_PHONES,
            "card": CARDS + NO_CARDS,
            "iban": IBANS + NO_IBANS,
            "name": PERSONS,
        }.items()
        for row in rows(tables)
    ],
)
def test_what_stands_in_a_text_is_found_and_nothing_else(kind: str, row: str) -> None:
    assert marked(row.replace("⟦", "").replace("⟧", ""), kind) == row


def test_a_name_is_found_in_either_unicode_form() -> None:
    apart = unicodedata.normalize("NFD", "Dear Zoë Müller-Koch, Cheré")
    found = ALL.find(apart)
    assert [(item.value, item.layout) for item in found] == [("Zoë Müller-Koch", "Given Family")]
    assert Personal((), (unicodedata.normalize("NFD", "Zoë Müller-Koch"),)).find("Zoë Müller-Koch")


def test_only_what_is_asked_for_is_found() -> None:
    text = rows(PHONES)[0] + rows(CARDS)[0] + rows(IBANS)[0] + rows(PERSONS)[0]
    assert {found.kind for found in Personal(("iban",), ()).find(text)} == {"iban"}
    assert {found.kind for found in Personal((), ("Ada Lovelace",)).find(text)} == {"name"}
    assert not Personal((), ())
    assert Personal(("card",), ())
    assert Personal((), ("Cher",))


@pytest.mark.parametrize(
    ("text", "number", "layout"),
    [
        ("+44 (0)20 7946 0958", "+44 2079460958", "+44 (0)## #### ####"),
        ("020 7946 0958", "2079460958", "0## #### ####"),
        ("0044 20 79460958", "+44 2079460958", "0044 ## ########"),
        ("1-415-555-0123", "+1 4155550123", "1-###-###-####"),
        ("(415) 555-0123 ext. 12", "4155550123;ext=12", "(###) ###-#### ext. ##"),
        ("+39 06 698\u20112", "+39 66982", "+39 0# ###-#"),
        ("8 (495) 123-45-67", "4951234567", "8 (###) ###-##-##"),
        ("13800138000", "13800138000", "###########"),
    ],
)
def test_a_number_has_one_value_and_a_layout_that_writes_it_again(text: str, number: str, layout: str) -> None:
    assert read_phone(text) == (number, layout)
    assert spell_phone(number, layout) == text.replace("\u2011", "-")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("+44 2079460958", "2079460958", True),
        ("+44 2079460958", "442079460958", True),
        ("+44 2079460958", "+1 2079460958", False),
        ("2079460958", "2079460959", False),
        ("2079460958;ext=1", "2079460958", False),
    ],
)
def test_a_number_is_the_same_with_and_without_its_countrys_code(one: str, other: str, same: bool) -> None:
    assert same_phone(one, other) is same_phone(other, one) is same


@pytest.mark.parametrize(
    ("number", "layout", "own", "written"),
    [
        ("2079460958", "+44 ## #### ####", "0## #### ####", "+44 20 7946 0958"),
        ("2025550143", "+44 ## #### ####", "(###) ###-####", None),
        ("2025550143", "0## #### ####", "(###) ###-####", None),
        ("2025550143", "+1##########", "(###) ###-####", "+12025550143"),
        ("2079460958", "+1##########", "0## #### ####", None),
        ("612345678", "+34#########", "### ### ###", "+34612345678"),
        ("+44 2079460958", "0## #### ####", None, "020 7946 0958"),
        ("442079460958", "+44##########", None, "+442079460958"),
        ("+44 2079460958", "############", None, "442079460958"),
        ("+1 4155550123", "+44##########", None, None),
        ("+1 4155550123", "0## #### ####", None, None),
        ("+49 30901820", "+49 ## #### ####", None, None),
        ("4155550123", "###-###-#### x##", None, None),
    ],
)
def test_a_number_is_written_in_a_layout_of_its_country_and_length(
    number: str, layout: str, own: str | None, written: str | None
) -> None:
    assert spell_phone(number, layout, own) == written


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_written_in_the_layout_in_which_it_was_found(name: str) -> None:
    for text in rows(PERSONS):
        for found in Personal((), (name,)).find(text.replace("⟦", "").replace("⟧", "")):
            written = spell_name(found.value, found.layout)
            assert written is not None
            assert [(item.value, item.layout) for item in ALL.find(written)] == [(found.value, found.layout)]
    assert spell_name("Cher", "Family, Given") is None


def test_json_numbers_are_cards_by_their_digits_and_telephones_by_their_name() -> None:
    card = int("41111111" + "11111111")
    assert ALL.number(card).kind == "card"
    assert ALL.number(card, "order_id") is None
    assert ALL.number(card + 1) is None
    assert ALL.number(4155550123, "mobilePhone").kind == "phone"
    assert [ALL.number(4155550123, name) for name in ("amount", None, "phone_number_id")] == [None] * 3
    assert [ALL.number(value, "phone") for value in (True, 4155550123.0, -4155550123, 12)] == [None] * 4


def test_a_members_name_says_what_a_number_is() -> None:
    assert ALL.find("4155550123", "phone")
    assert ALL.find(" 612 345 678, 600 123 456", "phones")
    assert ALL.find("4155550123", "contactNumber")
    assert not ALL.find("4155550123", "value")
    assert not ALL.find("020 7946 0958", "order_id")
    assert not ALL.find("41111111" + "11111111", "order_id")
    assert ALL.find("Call 020 7946 0958", "order_id")


def test_values_that_touch_are_told_apart() -> None:
    text = "+49 30 901820 " + "41" + "11 1111 1111 1111, de89" + "370400440532013000 030 901820 Cher"
    assert [found.kind for found in ALL.find(text)] == ["phone", "card", "iban", "phone", "name"]
    assert ALL.find(text)[0].value == "+49 30901820"


def test_a_name_that_is_listed_twice_keeps_its_first_place() -> None:
    personal = Personal((), ("Ada Lovelace", "Lovelace, Ada", "Cher"))
    assert [personal.rule(found) for found in personal.find("Ada Lovelace, Cher")] == ["name 1", "name 3"]


def test_check_digits_are_those_of_made_up_numbers() -> None:
    luck = random.Random(7)
    for _ in range(200):
        body = "424242" + f"{luck.randrange(10**9):09d}"
        assert is_card(body + check_digit(body))
        assert not is_card(body + str((int(check_digit(body)) + 1) % 10))
        assert is_iban(iban("GB", f"TEST{luck.randrange(10**14):014d}"))


def test_findings_are_called_after_the_class_and_never_after_the_value() -> None:
    rules = [ALL.rule(found) for found in ALL.find(f"Cher, 020 7946 0958, {'4111 ' * 1}1111 1111 1111")]
    assert rules == ["name 5", "phone number", "payment card"]
