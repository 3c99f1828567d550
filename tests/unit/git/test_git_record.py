"""The records of the fast path behave as frozen dataclasses do."""

from __future__ import annotations

import pytest

from stepfork.git.record import Record


class Point(Record):
    x: int
    y: int = 2


def test_values_names_and_defaults() -> None:
    assert (Point(1).x, Point(1).y, Point(1, y=3).y, Point(y=4, x=3).x) == (1, 2, 3, 3)
    assert repr(Point(1)) == "Point(x=1, y=2)"


def test_equality_and_hash_are_by_value_and_type() -> None:
    class Other(Record):
        x: int
        y: int = 2

    assert Point(1) == Point(1, 2)
    assert len({Point(1), Point(1, 2), Point(2)}) == 2
    assert Point(1) != Other(1)
    assert Point(1) != (1, 2)


@pytest.mark.parametrize(("values", "named"), [((), {}), ((1, 2, 3), {}), ((1,), {"z": 1})])
def test_wrong_members_are_refused(values: tuple[int, ...], named: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="Point has the members x, y"):
        Point(*values, **named)


def test_frozen() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match="frozen"):
        point.x = 3  # type: ignore[misc]
