"""Lists, dicts, tuples, sets and the like, and what classes made of built-in ones hold."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import msgspec

from stepfork.instrument.making import check_harmless
from stepfork.instrument.named import class_name, find_class
from stepfork.instrument.scalars import READERS, WRITERS
from stepfork.trace.body import JsonValue

Tag = dict[str, JsonValue]
Write = Callable[[Any], JsonValue]
Read = Callable[[JsonValue], Any]

_BASES: tuple[Any, ...] = (
    OrderedDict, dict, list, tuple, set, frozenset, deque, str, int, float, bytes, bytearray,
)  # fmt: skip
_KINDS: dict[str, Any] = {base.__name__: base for base in _BASES if base not in {OrderedDict, bytearray}}
KINDS = tuple(_KINDS)
_FACTORIES = frozenset({*_BASES, bool, complex, defaultdict, Counter})
"""What a default is made by: a class that a recording names would be called whenever a key is missing."""
_UNORDERED = {set, frozenset}
_FILLED = {dict, list, set, bytearray, deque}


def base_of(bases: tuple[type, ...]) -> Any:
    """The built-in class that holds what a value of a class with these bases holds; None for any other."""
    return next((base for base in _BASES if base in bases), None)


def write_builtin(value: Any, kind: type, base: Any, write: Write) -> Tag:
    """The tag of a value; `write` is called for what it holds, three levels deeper."""
    if issubclass(base, dict):
        made: Tag = {"$py": "dict", "value": [[write(key), write(item)] for key, item in base.items(value)]}
        factory = value.default_factory if kind is defaultdict else None
        if isinstance(factory, type):
            made["factory"] = class_name(factory)
    elif base in WRITERS:
        held = WRITERS[base](base(value) if base is bytearray else base.__getnewargs__(value)[0])
        made = held if isinstance(held, dict) else {"$py": base.__name__, "value": held}
    else:
        items = [write(item) for item in base.__iter__(value)]
        made = {"$py": base.__name__, "value": sorted(items, key=_order) if base in _UNORDERED else items}
        if base is deque and value.maxlen is not None:
            made["maxlen"] = value.maxlen
    return made if kind is base and base is not OrderedDict else {**made, "type": class_name(kind)}


def read_builtin(tag: Tag, read: Read) -> Any:
    """A new value from its tag: of the class that it names where that is loaded, else of the built-in one."""
    base: Any = bytearray if tag.get("mutable") else _KINDS[tag["$py"]]
    plain = _plain(base, tag, read)
    found: Any = find_class(tag.get("type")) if "type" in tag else None
    if found is None or not issubclass(found, base):
        return plain
    check_harmless(found)
    if issubclass(found, OrderedDict):
        held = OrderedDict.__new__(found)
        for key, item in plain.items():
            OrderedDict.__setitem__(held, key, item)
        return held
    if found is defaultdict:
        factory = find_class(tag.get("factory"))
        return defaultdict(factory if factory in _FACTORIES else None, plain)
    if base not in _FILLED:
        return base.__new__(found, plain)
    held = base.__new__(found)
    base.__init__(held, plain)
    return held


def _plain(base: Any, tag: Tag, read: Read) -> Any:
    if base is dict:
        return {read(key): read(item) for key, item in tag["value"]}
    if base in WRITERS:
        held = tag.get("value")
        return held if base is not bytes and type(held) is base else READERS[tag["$py"]](tag)
    if base is deque:
        return deque(map(read, tag["value"]), tag.get("maxlen"))
    return base(map(read, tag["value"]))


def _order(item: JsonValue) -> bytes:
    return msgspec.json.encode(item, order="sorted")
