"""Values of every kind that an instrumented call may take or give, and values that make trouble."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import io
import pathlib
import threading
import uuid
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from typing import Any, Generic, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

import attrs
import msgspec
import pydantic
from hypothesis import strategies as st

T = TypeVar("T")


class Color(enum.Enum):
    RED = "red"
    PAIR = (1, b"x")


class Level(enum.IntEnum):
    LOW = 1


class Mode(enum.StrEnum):
    FAST = "fast"


class Right(enum.Flag):
    READ = 1
    WRITE = 2


@dataclasses.dataclass
class Plain:
    held: Any
    other: Any = None


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    held: Any


@dataclasses.dataclass(init=False)
class Made:
    held: Any
    late: int = dataclasses.field(init=False, default=3)

    def __init__(self, *, required: Any) -> None:
        self.held = required


@dataclasses.dataclass
class Refusing:
    held: Any

    def __post_init__(self) -> None:
        if self.held is Refusing:
            raise AssertionError("made anew")
        object.__setattr__(self, "held", self.held)


class Point(NamedTuple):
    x: Any
    y: Any = 0


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)
    held: Any
    given: int = 7
    alias: str = pydantic.Field(default="a", alias="theAlias")
    _private: int = pydantic.PrivateAttr(default=5)


class Open(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow", frozen=True)
    held: Any


class Strict(pydantic.BaseModel):
    held: int

    @pydantic.field_validator("held")
    @classmethod
    def _never_twice(cls, value: int) -> int:
        return value + 1


class Root(pydantic.RootModel[list[Any]]):
    pass


class Box(pydantic.BaseModel, Generic[T]):
    held: T


class Struct(msgspec.Struct):
    held: Any
    other: int = 1


class FrozenStruct(msgspec.Struct, frozen=True, kw_only=True, tag="fs"):
    held: Any

    def __post_init__(self) -> None:
        if self.held == 0:
            msgspec.structs.force_setattr(self, "held", 1)


@attrs.define
class Attrs:
    held: Any


@attrs.frozen
class FrozenAttrs:
    held: Any


class OwnDict(dict[Any, Any]):
    pass


class OwnList(list[Any]):
    pass


class OwnStr(str):
    __slots__ = ()


class OwnInt(int):
    pass


class OwnTuple(tuple[Any, ...]):
    __slots__ = ()


_ZONES = st.sampled_from([None, dt.UTC, dt.timezone(dt.timedelta(hours=-3, minutes=5)), ZoneInfo("Europe/Lisbon")])
_TEXT = st.text(st.characters())  # half characters among them

HASHABLE: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(2**80), 2**80),
    st.floats(allow_nan=False),
    _TEXT,
    st.sampled_from(["$py", "\\ud800", "\ud800\\", "{{email_1}}", "\ud83d\ude00"]),
    st.binary(),
    st.decimals(allow_nan=False),
    st.fractions(),
    st.complex_numbers(allow_nan=False),
    st.uuids(),
    st.datetimes(timezones=_ZONES),
    st.dates(),
    st.times(timezones=st.sampled_from([None, dt.UTC])),
    st.timedeltas(),
    _TEXT.filter(lambda text: "\0" not in text).map(pathlib.Path),
    st.sampled_from([pathlib.PurePosixPath("a/b"), pathlib.PureWindowsPath("C:\\x")]),
    st.sampled_from([*Color, *Level, *Mode, Right.READ, Right.READ | Right.WRITE, Right(0)]),
    _TEXT.map(OwnStr),
    st.integers().map(OwnInt),
)


def _holding(held: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keys = HASHABLE
    return st.one_of(
        st.lists(held, max_size=4),
        st.lists(held, max_size=4).map(tuple),
        st.dictionaries(st.text(max_size=4), held, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(["$py", "value", "type"]), st.text(max_size=3)), held, max_size=4),
        st.dictionaries(keys, held, max_size=4),
        st.sets(keys, max_size=4),
        st.frozensets(keys, max_size=4),
        st.binary().map(bytearray),
        st.lists(held, max_size=3).map(lambda items: deque(items, 3)),
        st.dictionaries(keys, held, max_size=3).map(OrderedDict),
        st.dictionaries(keys, held, max_size=3).map(lambda items: defaultdict(list, items)),
        st.lists(keys, max_size=3).map(Counter),
        st.dictionaries(keys, held, max_size=3).map(OwnDict),
        st.lists(held, max_size=3).map(OwnList),
        st.lists(held, max_size=3).map(OwnTuple),
        *(
            held.map(kind)
            for kind in (Plain, Frozen, Refusing, Point, Struct, Attrs, FrozenAttrs)
        ),
        held.map(lambda value: Made(required=value)),
        held.map(lambda value: FrozenStruct(held=value)),
        held.map(lambda value: Model(held=value)),
        held.map(lambda value: Model(held=value, given=3, theAlias="b")),
        held.map(lambda value: Open(held=value, more=value)),
        held.map(lambda value: Root([value])),
        st.integers().map(lambda value: Strict(held=value)),
        st.integers().map(lambda value: Box[int](held=value)),
    )  # fmt: skip


VALUES: st.SearchStrategy[Any] = st.recursive(HASHABLE, _holding, max_leaves=8)
"""Values whose type is known: they come back equal."""


class Raising:
    """Every question is an error."""

    def __repr__(self) -> str:
        raise RuntimeError("no")

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    def __hash__(self) -> int:
        return 1

    def __bool__(self) -> bool:
        raise RuntimeError("no")


class Lying:
    __class__ = dict  # type: ignore[assignment]

    def __len__(self) -> int:
        raise RuntimeError("no")


class OddRepr:
    def __repr__(self) -> Any:
        return 3


class Exiting:
    def __repr__(self) -> str:
        return repr(self)


class BrokenDict(dict[Any, Any]):
    def items(self) -> Any:
        raise RuntimeError("no")

    def __iter__(self) -> Any:
        raise RuntimeError("no")


class BrokenMeta(type):
    def __getattribute__(cls, name: str) -> Any:
        if name in {"__module__", "__qualname__", "__name__", "__mro__", "__repr__"}:
            raise RuntimeError(name)
        return super().__getattribute__(name)


class OfBrokenMeta(metaclass=BrokenMeta):
    pass


@dataclasses.dataclass
class HalfMade:
    held: Any

    @property
    def late(self) -> int:
        raise RuntimeError("no")


class SayingError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


class ArrayLike:
    dtype = "float64"

    def tolist(self) -> list[float]:
        return [1.0]

    def __eq__(self, other: object) -> Any:
        return ArrayLike()

    def __bool__(self) -> bool:
        raise ValueError("ambiguous")

    __hash__ = None  # type: ignore[assignment]


def deep(levels: int, wrap: Any) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = wrap(value)
    return value


def loop() -> list[Any]:
    made: list[Any] = [1]
    made.append({"again": made})
    return made


def doubling(times: int) -> list[Any]:
    made: list[Any] = []
    for _ in range(times):
        made = [made, made]
    return made


def half_made() -> Any:
    return object.__new__(HalfMade)


def chained() -> BaseException:
    first, second = ValueError(1), KeyError(2)
    first.__context__, second.__context__ = second, first
    return first


NASTY: list[Any] = [
    Raising(), Lying(), OddRepr(), Exiting(), BrokenDict(a=1), OfBrokenMeta(), OfBrokenMeta, half_made(),
    ArrayLike(), loop(), chained(), float("nan"), Decimal("sNaN"), -0.0, 1e308 * 10,
    10**5000, -(10**5000), "\ud800", {"\ud800": 1}, {1: "a", "1": "b"}, SayingError("x"),
    {"$py": "dataclass", "type": "os:system", "value": {}},
    {"$py": {"$py": 1}}, b"\xff\x00", bytearray(b"\xff"), memoryview(b"ab"), io.BytesIO(b"a"), io.StringIO("a"),
    threading.Lock(), threading.RLock(), threading.current_thread(), (item for item in "ab"), iter([1]), object(), type,
    int, len, print, NotImplemented, ..., range(3), slice(1), __import__("sys"), lambda: 1, uuid.uuid4, Fraction,
    pydantic.BaseModel, Model, property(), staticmethod(len), deep(10_000, lambda inner: [inner]),
    deep(10_000, lambda inner: {"a": inner}), deep(10_000, lambda inner: (inner,)),
    deep(3_000, Plain), deep(400, lambda inner: Model.model_construct(held=inner)), deep(300, lambda i: {1: i}),
    deep(235, lambda inner: [inner]), deep(149, lambda inner: [inner]),
    ExceptionGroup("g", [SayingError("y"), ValueError()]),
]  # fmt: skip
