from __future__ import annotations

import asyncio
import sys
from typing import Any

import msgspec
import pytest

from stepfork.canonical.encode import dumps
from stepfork.instrument import tagged
from stepfork.instrument.opaque import Opaque
from stepfork.instrument.tagged import decode, encode
from tests.property import tagged_values
from tests.property.tagged_values import Model, Plain, Point, deep, doubling


class Unknown:
    def __repr__(self) -> str:
        return f"Unknown(<x at {hex(id(self))}>)"


def test_json_is_itself() -> None:
    value = {"z": [1, 1.0, True, None, "ü\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")], "a": {}}

    assert encode(value) == value
    assert list(encode(value)) == ["z", "a"]


@pytest.mark.parametrize(
    ("value", "tag"),
    [
        (b"abc", {"$py": "bytes", "value": "abc"}),
        (b"\xff", {"$py": "bytes", "base64": "/w=="}),
        (2**64, {"$py": "int", "value": "18446744073709551616"}),
        (float("-inf"), {"$py": "float", "value": "-inf"}),
        ("a\ud800\\", {"$py": "str", "escaped": "a\\ud800\\\\"}),
        ((1, {2}), {"$py": "tuple", "value": [1, {"$py": "set", "value": [2]}]}),
        ({1: "a"}, {"$py": "dict", "value": [[1, "a"]]}),
        ({"$py": 1}, {"$py": "dict", "value": [["$py", 1]]}),
        (Point(1), {"$py": "namedtuple", "type": "tests.property.tagged_values:Point", "value": {"x": 1, "y": 0}}),
        (
            Model(held=1),
            {
                "$py": "model",
                "type": "tests.property.tagged_values:Model",
                "value": {"held": 1, "given": 7, "alias": "a"},
                "private": {"_private": 5},
                "unset": ["alias", "given"],
            },
        ),
        (Unknown(), {"$py": "object", "type": f"{__name__}:Unknown", "value": {}}),
        (object(), {"$py": "opaque", "type": "builtins:object", "value": ""}),
    ],
)  # fmt: skip
def test_tags(value: Any, tag: Any) -> None:
    assert encode(value) == tag


def test_integers_of_any_length() -> None:
    value = -(10**5000)

    assert decode(encode(value)) == value


def test_sets_are_written_in_one_order() -> None:
    words = [f"word {number}" for number in range(50)]

    assert encode(set(words)) == {"$py": "set", "value": sorted(words)}


def test_a_model_keeps_what_was_set() -> None:
    again = decode(encode(Model(held=1, given=2)))

    assert again.model_dump(exclude_unset=True) == {"held": 1, "given": 2}
    assert again._private == 5


def test_validators_and_post_init_do_not_run_again() -> None:
    assert decode(encode(tagged_values.Strict(held=1))).held == 2
    assert decode(encode(tagged_values.FrozenStruct(held=0))).held == 1
    struct = tagged_values.FrozenStruct(held=2)
    msgspec.structs.force_setattr(struct, "held", 0)
    assert decode(encode(struct)).held == 0


def test_a_class_that_is_not_loaded_is_a_stand_in_with_the_recorded_attributes() -> None:
    tag = {
        "$py": "dataclass",
        "type": "no.such.module:Flight",
        "value": {"city": "Oslo", "legs": [1], "when": (t := encode((1,)))},
    }

    made = decode(tag)

    assert isinstance(made, Opaque)
    assert (made.city, made.legs, made.when) == ("Oslo", [1], (1,))
    assert repr(made) == "<recorded no.such.module:Flight>"
    with pytest.raises(AttributeError, match="holds no attribute 'price' of a no"):
        made.price  # noqa: B018
    assert encode(made) == tag
    assert decode(encode([made])) == [made]
    assert t == encode(made.when)


def test_a_class_that_became_another_kind_is_a_stand_in() -> None:
    tag = encode(Plain(1))
    assert isinstance(tag, dict)

    assert isinstance(decode({**tag, "$py": "model"}), Opaque)
    assert isinstance(decode({**tag, "type": "tests.property.tagged_values:deep"}), Opaque)
    assert isinstance(decode({**tag, "type": "tests.property.tagged_values:dataclasses.Field"}), Opaque)


def test_nothing_is_imported_to_read_a_value() -> None:
    sys.modules.pop("xdrlib", None)

    decode({"$py": "exception", "type": "xdrlib:Error", "args": [], "message": ""})

    assert "xdrlib" not in sys.modules


def test_too_deep_and_too_large_is_told_in_little(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = dumps(encode(deep(10_000, lambda inner: [inner])))
    assert len(stored) < 100_000
    assert b'"type": "builtins:list"' in stored

    monkeypatch.setattr(tagged, "MAX_NODES", 1000)
    assert encode([doubling(60)]) == {"$py": "opaque", "type": "builtins:list", "value": ""}


@pytest.mark.parametrize("used", [0, 600, 900])
def test_a_program_that_has_used_its_stack_loses_nothing(used: int) -> None:
    value = deep(tagged.MAX_DEPTH // 2 - 2, Plain)

    def below(levels: int) -> Any:
        return decode(encode(value)) if levels <= 0 else below(levels - 1)

    again = below(min(used, sys.getrecursionlimit() - _depth() - 60))

    assert tagged.encode(again) == tagged.encode(value)
    assert type(again) is Plain
    assert b"opaque" not in dumps(encode(again))


def _depth() -> int:
    frame, count = sys._getframe(), 0
    while frame is not None:
        frame, count = frame.f_back, count + 1  # type: ignore[assignment]
    return count


def test_a_value_that_holds_itself_is_told_once() -> None:
    made = encode(tagged_values.loop())

    assert made == [1, {"again": {"$py": "opaque", "type": "builtins:list", "value": ""}}]


def test_a_value_is_held_twice_without_holding_itself() -> None:
    held = [1]

    assert encode([held, held]) == [[1], [1]]


def test_values_that_are_used_up_by_looking_are_not_looked_at() -> None:
    items = iter([1, 2])
    future = asyncio.new_event_loop()

    encode({"items": items, "loop": future})
    future.close()

    assert list(items) == [1, 2]
