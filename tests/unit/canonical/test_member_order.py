"""The recorded order of members: small, exact, and refused where it does not fit."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stepfork.canonical.order import order_of, with_order
from stepfork.errors import CanonicalError

WIDE = {f"k{number:02}": number for number in reversed(range(40))}


def spelled(value: Any) -> str:
    """A text in which the order of members shows."""
    return json.dumps(value)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("{}", None),
        ('{"a":1,"b":2}', None),
        ('{"b":1,"a":2}', "10"),
        ('[{"b":1},{"b":1,"a":2},{"b":1,"a":2}]', "10*2"),
        ('[{"a":1,"b":2},{"c":0,"a":1,"b":2},{"a":0,"b":1}]', ". 201"),
        ('{"z":{"b":1,"a":2},"a":[{"y":1,"x":2,"w":3}]}', "10 210 10"),
        (json.dumps(WIDE), "-".join(map(str, reversed(range(40))))),
    ],
)
def test_order_and_back(text: str, order: str | None) -> None:
    value = json.loads(text)
    assert order_of(value) == order
    stored = json.loads(json.dumps(value, sort_keys=True))
    assert spelled(with_order(stored, order)) == spelled(value)


@pytest.mark.parametrize(
    "order", ["10", "012", "01 10", "00", "0z", "1-0", "-", "?", "+1", "01*", "01*x", ".*2", ". .", "01*999999999"]
)
def test_an_order_that_does_not_fit_is_refused_at_once(order: str) -> None:
    value = {"a": 1} if order == "10" else {"a": 1, "b": 2}
    with pytest.raises(CanonicalError, match="order of members"):
        with_order(value, order)
