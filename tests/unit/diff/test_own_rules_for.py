"""Which rule of a project's own is named for what differs: only for what looks made up, never for a choice."""

from __future__ import annotations

from typing import Any

import pytest

from stepfork.diff.leaves import Leaf
from stepfork.diff.own_rules import pattern_for, rule_for, rules_for


@pytest.mark.parametrize(
    ("pointer", "old", "new", "rule"),
    [
        ("/booking_ref", "Q7K2MP", "ZZ91XW", ("id_fields", "booking_ref")),
        ("/lines/0/bookingId", "88f1c2aa", "19d0e7b3", ("id_fields", "bookingId")),
        ("/ids/3", "a1b2c3d4", "ffee0011", ("id_fields", "ids")),
        ("/number", 881234, 102977, ("id_fields", "number")),
        ("/a~1ref", "q7k2mp", "zz91xw", ("id_fields", "a/ref")),
        ("/quoted_at", 1796064174, 1796070001, ("time_fields", "quoted_at")),
        ("/quoted_at", 1796064174123, 1796070001456, ("time_fields", "quoted_at")),
        ("/day", "2026-12-01", "2026-12-02", ("time_fields", "day")),
        ("/at", "10:02", "10:03", ("time_fields", "at")),
        ("/took_ms", 12, 15, ("duration_fields", "took_ms")),
        ("/elapsed", "0.25", "1.5", ("duration_fields", "elapsed")),
        ("", "Order ORD-0123456789ab is new", "Order ORD-fedcba987654 is new", ("id_patterns", "ORD-[0-9a-f]{12}")),
        ("/text", "job-48213907 ran", "job-90412765 ran", ("id_patterns", "job-[0-9]{8}")),
        ("/order_id", "O-1042", "O-1043", None),
        ("/order_id", "ORD-20261130-00017", "ORD-20261130-00018", None),
        ("/number", 1042, 1043, None),
        ("/amount", 40, 45, None),
        ("/city", "Rome", "Oslo", None),
        ("/sku", "A-100", "B-200", None),
        ("", "Refund O-1042", "Refund O-1043", None),
        ("", "one thing", "another thing", None),
        ("", "see 12345678", "see 87654321", None),
        ("/ok", True, False, None),
        ("/id", None, "Q7K2MP", None),
    ],
)
def test_the_rule_that_fits(pointer: str, old: Any, new: Any, rule: tuple[str, str] | None) -> None:
    assert rule_for(Leaf(pointer, old, new)) == rule


def test_rules_are_named_only_where_they_cover_all() -> None:
    ref, day = Leaf("/booking_ref", "Q7K2MP", "ZZ91XW"), Leaf("/day", "2026-12-01", "2026-12-02")
    assert rules_for([ref, day, ref]) == {"id_fields": ("booking_ref",), "time_fields": ("day",)}
    assert rules_for([ref, Leaf("/city", "Rome", "Oslo")]) == {}


def test_a_pattern_needs_one_kind_of_word() -> None:
    assert pattern_for("ORD-0123456789ab BK-77aa88bb", "ORD-fedcba987654 BK-11cc22dd") == ""
    assert pattern_for("a.b ORD-0123456789ab", "a.b ORD-fedcba987654") == "ORD-[0-9a-f]{12}"
    assert pattern_for("same", "same") == ""
