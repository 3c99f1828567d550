"""A recording may be forged: reading its values runs no code of a class, calls nothing and imports nothing."""

from __future__ import annotations

import dataclasses
import enum
import gc
import importlib.util
import subprocess
import sys
from collections import OrderedDict, defaultdict
from pathlib import Path
from types import ModuleType
from typing import Any

import pydantic
import pytest

from stepfork.errors import RecordedDependencyError
from stepfork.instrument.failures import restore_exception
from stepfork.instrument.opaque import Opaque
from stepfork.instrument.tagged import decode
from stepfork.trace.step import StepError

RAN: list[str] = []


def ran(what: str) -> Any:
    def method(*_: Any, **__: Any) -> Any:
        RAN.append(what)

    return method


class Setter:
    def __set__(self, holder: object, value: object) -> None:
        RAN.append("__set__")

    def __get__(self, holder: object, owner: object = None) -> Any:
        return self


class Doing:
    """A class all of whose hooks do something."""

    hooked = Setter()
    __init__ = ran("__init__")
    __setattr__ = ran("__setattr__")
    __setstate__ = ran("__setstate__")

    @property
    def owned(self) -> int:
        return 1

    @owned.setter
    def owned(self, value: int) -> None:
        RAN.append("setter")


class Mourned:
    """What a program uses to tidy up."""

    path = ""

    def __del__(self) -> None:
        RAN.append(f"removed {self.path}")


@dataclasses.dataclass
class MournedData:
    path: str = ""

    def __del__(self) -> None:
        RAN.append(f"removed {self.path}")


class MournedError(Exception):
    def __del__(self) -> None:
        RAN.append("removed")


class MournedList(list[Any]):
    def __del__(self) -> None:
        RAN.append("removed")


@dataclasses.dataclass
class Data:
    x: int = 0
    __setattr__ = ran("__setattr__")

    def __post_init__(self) -> None:
        RAN.append("__post_init__")

    @property
    def owned(self) -> int:
        return 1

    @owned.setter
    def owned(self, value: int) -> None:
        RAN.append("setter")


class Model(pydantic.BaseModel):
    x: int = 0

    def __new__(cls, *_: Any, **__: Any) -> Any:
        RAN.append("__new__")
        return super().__new__(cls)

    def model_post_init(self, _: Any) -> None:
        RAN.append("post_init")

    @pydantic.field_validator("x")
    @classmethod
    def check(cls, value: int) -> int:
        RAN.append("validator")
        return value


class DoingError(Exception):
    hooked = Setter()
    __init__ = ran("__init__")
    __setattr__ = ran("__setattr__")

    @property
    def args(self) -> Any:
        return ()

    @args.setter
    def args(self, value: Any) -> None:
        RAN.append("args")


class Ordered(OrderedDict[str, Any]):
    def __new__(cls, *_: Any) -> Any:
        RAN.append("__new__")
        return super().__new__(cls)

    __setitem__ = ran("__setitem__")
    __init__ = ran("__init__")


class Mapping(dict[str, Any]):
    __setitem__ = ran("__setitem__")
    __init__ = ran("__init__")
    update = ran("update")


class Permission(enum.Flag):
    READ = 1
    WRITE = 2

    @classmethod
    def _missing_(cls, value: object) -> Any:
        RAN.append("_missing_")


class Level(enum.Enum):
    LOW = 1

    @classmethod
    def _missing_(cls, value: object) -> Any:
        RAN.append("_missing_")


class Noisy(type):
    def __call__(cls, *_: Any, **__: Any) -> Any:
        RAN.append("metaclass")

    def __getattribute__(cls, name: str) -> Any:
        RAN.append(f"metaclass {name}")
        return super().__getattribute__(name)


class Factory:
    __init__ = ran("called")


class Proxy:
    """An object of a module that says of itself that it is a class."""

    @property
    def __class__(self) -> Any:
        RAN.append("__class__")
        return type

    def __getattribute__(self, name: str) -> Any:
        RAN.append(name)
        return object.__getattribute__(self, name)


PROXY = Proxy()


def act() -> None:
    """A function of the program."""
    RAN.append("function")


HERE = __name__
FIELDS = {"x": 1, "path": "/etc", "owned": 2, "hooked": 3, "__class__": 4, "__dict__": {"x": 1}, "run": 5}
NAMES = [
    f"{HERE}:{name}"
    for name in (
        "Doing", "Mourned", "MournedData", "MournedError", "MournedList", "Data", "Model", "DoingError", "Ordered",
        "Mapping", "Permission", "Level", "Factory", "PROXY", "PROXY.x", "Proxy.__class__", "act", "Model.check",
        "Noisy",
    )
]  # fmt: skip
OTHERS = [
    "subprocess:Popen", "os:system", "builtins:eval", "builtins:exec", "builtins:type", "builtins:object",
    "tempfile:TemporaryDirectory", "pathlib:Path", "functools:partial", "types:FunctionType", "io:FileIO",
    "threading:Thread", "socket:socket", "antigravity:x", "this:s", ":", "", "os", "os:", ":x", "a" * 10_000, 5, None,
]  # fmt: skip
KINDS = [
    "model", "struct", "dataclass", "attrs", "namedtuple", "object", "enum", "exception", "dict", "list", "str", "int",
    "set", "tuple", "stream", "generator", "own", "opaque", "response", "awaitable", "nothing", None, 5,
]  # fmt: skip


@pytest.fixture(autouse=True)
def _none_ran() -> None:
    RAN.clear()


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_value_runs_code_of_any_class(kind: Any) -> None:
    loaded = set(sys.modules)
    for name in (*NAMES, *OTHERS):
        for value in (
            FIELDS,
            [["x", 1]],
            [1, 2],
            "text",
            7,
            None,
            {"x": {"$py": "exception", "type": name, "args": []}},
        ):
            parts = {"args": [1], "message": "m", "extra": FIELDS, "private": FIELDS, "factory": name, "name": "x"}
            made = decode({"$py": kind, "type": name, "value": value, **parts})
            del made
        assert (name, RAN) == (name, [])
    gc.collect()
    assert RAN == []
    assert set(sys.modules) <= loaded | {"zoneinfo"}


def test_what_is_put_where_a_property_stands_goes_past_it() -> None:
    made = decode({"$py": "dataclass", "type": f"{HERE}:Data", "value": {"x": 4, "owned": 5}})
    assert (type(made), made.x, made.owned, RAN) == (Data, 4, 1, [])


@pytest.mark.parametrize("name", ["Mourned", "MournedData", "MournedList", "MournedError"])
def test_nothing_is_made_that_would_do_something_when_it_is_gone(name: str) -> None:
    kind = {"Mourned": "object", "MournedData": "dataclass", "MournedList": "list"}.get(name, "exception")
    value = [] if kind == "list" else {"path": "/etc"}
    made = decode({"$py": kind, "type": f"{HERE}:{name}", "value": value, "args": [], "message": ""})
    assert type(made) in {Opaque, list}
    del made
    gc.collect()
    assert RAN == []


def test_a_missing_key_calls_no_class_that_a_recording_names() -> None:
    made = decode({"$py": "dict", "type": "collections:defaultdict", "factory": f"{HERE}:Factory", "value": []})
    assert type(made) is defaultdict
    with pytest.raises(KeyError):
        made["missing"]
    assert RAN == []
    kept = decode({"$py": "dict", "type": "collections:defaultdict", "factory": "builtins:list", "value": []})
    assert kept["missing"] == []


def test_several_flags_at_once_come_back_where_the_class_has_no_code_for_them() -> None:
    assert decode({"$py": "enum", "type": f"{HERE}:Plain", "value": 3}) == Plain.READ | Plain.WRITE
    assert type(decode({"$py": "enum", "type": f"{HERE}:Permission", "value": 3})) is Opaque
    assert RAN == []


class Plain(enum.Flag):
    READ = 1
    WRITE = 2


def test_a_module_that_is_loaded_when_it_is_looked_at_is_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lazy_one.py").write_text(f"open({str(tmp_path / 'did')!r}, 'w')\nclass Kind: pass\n")
    spec = importlib.util.spec_from_file_location("lazy_one", tmp_path / "lazy_one.py")
    assert spec is not None
    assert spec.loader is not None
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "lazy_one", module)
    spec.loader.exec_module(module)
    assert type(decode({"$py": "object", "type": "lazy_one:Kind", "value": {}})) is Opaque
    assert not (tmp_path / "did").exists()


class Asked(ModuleType):
    """A module that makes what it is asked for."""

    def __getattribute__(self, name: str) -> Any:
        RAN.append(name)
        return super().__getattribute__(name)


def test_a_module_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asked_one", Asked("asked_one"))
    RAN.clear()
    assert type(decode({"$py": "object", "type": "asked_one:Kind.Inner", "value": {}})) is Opaque
    assert RAN == []


@pytest.mark.parametrize(
    "name", ["_pytest.outcomes:Skipped", "_pytest.outcomes:Exit", "_pytest.outcomes:XFailed", "unittest.case:SkipTest"]
)
def test_a_recording_skips_no_test(name: str) -> None:
    import unittest.case

    assert unittest.case
    tag: dict[str, Any] = {"$py": "exception", "type": name, "args": ["all is well"], "message": "all is well"}
    made = restore_exception(StepError("Skipped", "all is well"), tag)
    assert type(made) is RecordedDependencyError


SCALARS: list[dict[str, Any]] = [
    {"$py": "int", "value": "9" * 10**6},
    {"$py": "int", "value": "0x" + "f" * 10**6},
    {"$py": "int", "value": 5},
    {"$py": "decimal", "value": "1e999999999"},
    {"$py": "decimal", "value": "1e99999999999999999999"},
    {"$py": "fraction", "value": ["1e999999999"]},
    {"$py": "fraction", "value": ["1e999999999", 3]},
    {"$py": "fraction", "value": [1, 0]},
    {"$py": "timedelta", "value": [10**18, 0, 0]},
    {"$py": "timedelta", "value": "abc"},
    {"$py": "path", "value": "a\0b"},
    {"$py": "path", "value": "x", "pure": "nothing"},
    {"$py": "datetime", "value": "2026-13-45"},
    {"$py": "datetime", "value": "2026-01-01T00:00:00", "zone": "../../etc/passwd"},
    {"$py": "datetime", "value": "2026-01-01T00:00:00", "zone": "/etc/passwd"},
    {"$py": "datetime", "value": "2026-01-01T00:00:00", "zone": "a\0b", "fold": 9},
    {"$py": "bytes", "base64": "%%%"},
    {"$py": "str", "escaped": "\\uZZZZ"},
    {"$py": "uuid", "value": "x"},
    {"$py": "complex", "value": ["1", "x"]},
    {"$py": "set", "value": [[1], {}]},
    {"$py": "set", "value": [{"$py": "int", "value": str(number)} for number in range(10**5)]},
    {"$py": "dict", "value": [[[1], 2]]},
    {"$py": "dict", "value": [[1]]},
    {"$py": "deque", "value": [1], "maxlen": -1},
    {"$py": ["list"], "value": []},
    {"$py": {}, "value": []},
    {"$py": "tuple", "value": {"$py": "tuple", "value": 5}},
]


@pytest.mark.parametrize("tag", SCALARS, ids=lambda tag: f"{tag['$py']} {str(tag.get('value'))[:24]}")
def test_a_damaged_value_is_a_value_and_soon(tag: dict[str, Any]) -> None:
    decode(tag)
    decode({"$py": "exception", "type": "builtins:ValueError", "args": [tag], "message": "m", "value": {"x": tag}})


def test_a_class_of_the_program_that_starts_programs_is_not_made() -> None:
    tag = {"$py": "object", "type": "subprocess:Popen", "value": {"args": ["touch", "did"]}}
    assert subprocess.Popen
    assert type(decode(tag)) is Opaque
