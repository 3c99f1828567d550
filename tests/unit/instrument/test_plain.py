"""Any value of an agent in a form that a trace holds: nothing raises, nothing is lost that can be told."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import enum
import math
import uuid
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepfork.canonical.encode import dumps
from stepfork.instrument.plain import MAX_DEPTH, message_of, plain


class Colour(enum.Enum):
    RED = "red"
    NONE = None


class Level(enum.IntEnum):
    HIGH = 3


@dataclasses.dataclass
class Order:
    order_id: str
    paid: dt.date


class Struct(msgspec.Struct):
    name: str
    items: tuple[int, ...]


class Model:
    """As a pydantic model looks from outside."""

    model_fields = {"name": None, "late": None}  # noqa: RUF012

    def __init__(self) -> None:
        self.name = "Ada"


Point = collections.namedtuple("Point", "x y")


class Text(str):
    def __str__(self) -> str:
        raise RuntimeError


class Array:
    """As a numpy array looks from outside."""

    dtype = "int64"

    def tolist(self) -> list[int]:
        return [1, 2]


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError

    def __str__(self) -> str:
        raise RuntimeError


class HostileMapping(dict):  # type: ignore[type-arg]
    def items(self) -> Any:
        raise KeyError


class HostileError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (None, None),
        (True, True),
        (1, 1),
        (1.5, 1.5),
        ("text", "text"),
        ([1, (2, "x")], [1, [2, "x"]]),
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        (2**63, str(2**63)),
        (10**5000, hex(10**5000)),
        ("half \ud83d", "half \\ud83d"),
        ({"half \udc00": 1}, {"half \\udc00": 1}),
        (b"bytes", "bytes"),
        (bytearray(b"\xff\x00"), {"base64": "/wA="}),
        (dt.datetime(2026, 11, 30, 12, 0, tzinfo=dt.UTC), "2026-11-30T12:00:00+00:00"),
        (dt.date(2026, 11, 30), "2026-11-30"),
        (dt.timedelta(seconds=90), "0:01:30"),
        (Decimal("1.10"), "1.10"),
        (Fraction(1, 3), "1/3"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("a/b"), "a/b"),
        (Colour.RED, "red"),
        (Colour.NONE, None),
        (Level.HIGH, 3),
        (Text("kept"), "kept"),
        (Order("O-1", dt.date(2026, 1, 2)), {"order_id": "O-1", "paid": "2026-01-02"}),
        (Struct("a", (1, 2)), {"name": "a", "items": [1, 2]}),
        (Model(), {"name": "Ada", "late": None}),
        (Point(1, 2), {"x": 1, "y": 2}),
        ({1: "a", "1": "b", None: "c", (1, 2): "d"}, {"1": "a", "1 (2)": "b", "None": "c", "[1, 2]": "d"}),
        ({"b", "a", "c"}, ["a", "b", "c"]),
        (collections.deque([1]), [1]),
        (Array(), [1, 2]),
        (range(10**12), "range(0, 1000000000000)"),
        (ValueError("no"), {"type": "ValueError", "message": "no"}),
        (Order, f"<class '{Order.__module__}.Order'>"),
        (Hostile(), "<Hostile>"),
        (HostileMapping(a=1), "<HostileMapping>"),
        ([1, Hostile(), 2], [1, "<Hostile>", 2]),
        (HostileError(), {"type": "HostileError", "message": ""}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_kind_of_value(value: Any, form: Any) -> None:
    assert plain(value) == form
    assert dumps(plain(value)) == dumps(form)


def test_an_address_is_no_part_of_a_form_and_an_iterator_is_not_used_up() -> None:
    items = iter([1, 2])
    assert plain(object()) == "<object object>"
    assert plain(items) == "<list_iterator object>"
    assert list(items) == [1, 2]


def test_what_holds_itself_or_nests_without_end_is_told() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    assert plain(loop) == [1, "<list that holds itself>"]
    twice = [1]
    assert plain([twice, twice]) == [[1], [1]]
    deep: Any = "end"
    for _ in range(100_000):
        deep = [deep]
    made = plain(deep)
    for _ in range(MAX_DEPTH):
        (made,) = made
    assert made == f"<list nested more than {MAX_DEPTH} levels deep>"


def test_a_copy_is_taken() -> None:
    value = {"items": [1]}
    made = plain(value)
    value["items"].append(2)
    assert made == {"items": [1]}


def test_the_message_of_an_exception_that_has_none() -> None:
    assert message_of(ValueError("x")) == "x"
    assert message_of(HostileError()) == ""


ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.binary()
    | st.datetimes()
    | st.decimals()
    | st.uuids()
    | st.sampled_from([Colour.RED, Level.HIGH, Order]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters()) | st.integers() | st.none(), inner, max_size=3)
        | st.sets(st.integers() | st.text(st.characters()), max_size=3)
    ),
    max_leaves=8,
)


@given(ANY)
def test_every_form_has_canonical_bytes_and_is_its_own_form(value: Any) -> None:
    made = plain(value)
    assert dumps(plain(made)) == dumps(made)
