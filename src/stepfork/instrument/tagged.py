"""Any Python value as JSON that says what it was, and back.

JSON values are themselves. Others are ``{"$py": KIND, "value": …, "type": "module:Qualname"}``; the kinds are listed in
``docs/reference/instrumentation.md``. Reading never imports: a class that is not loaded gives a stand-in.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, Flag
from typing import Any

from stepfork.instrument import attributes
from stepfork.instrument.attributes import holds_opaque, is_plain, read_object, write_object
from stepfork.instrument.builtin import KINDS as BUILTIN
from stepfork.instrument.builtin import base_of, read_builtin, write_builtin
from stepfork.instrument.fielded import KINDS as FIELDED
from stepfork.instrument.fielded import kind_of, read_fields, write_fields
from stepfork.instrument.fresh_stack import on_fresh_stack
from stepfork.instrument.named import class_name, find_class
from stepfork.instrument.opaque import Opaque, opaque, tag_of, unsaid
from stepfork.instrument.raising import exception_tag, read_exception
from stepfork.instrument.replayed import replayed
from stepfork.instrument.scalars import READERS, WRITERS
from stepfork.trace.body import JsonValue

MAX_DEPTH = 150
"""Nested containers in what `encode` makes. A document that canonical JSON carries has 240, and has other members."""

MAX_NODES = 1_000_000
"""Values in one. A few lists that hold each other several times can spell more than any disk holds."""

Path = tuple[int, ...]


def encode(value: Any) -> JsonValue:
    """`value` as JSON that canonical JSON can carry, a copy that later changes of `value` do not reach.

    Never raises, whatever the value's own methods do. What is not known, nests too deep, holds itself or is too large
    is opaque: its class and what it says of itself.
    """
    try:
        return _Writer().write(value, 0)
    except RecursionError:
        return _written_afresh(value)
    except Exception:
        return unsaid(value)


def encode_arguments(value: Any) -> JsonValue:
    """As `encode`, of what a call is told by: of an opaque value there is its class alone, since what it says of itself
    (a counter, a state) differs from run to run; so it is of an object that holds one, such as a context with a lock.
    """
    try:
        return _Writer(is_mute=True).write(value, 0)
    except RecursionError:
        return _written_afresh(value, is_mute=True)
    except Exception:
        return unsaid(value)


def decode(value: JsonValue) -> Any:
    """The Python value of what `encode` made: new at each call.

    What cannot be had again (an opaque value, a class that is not loaded, a tag that is damaged or of a later version)
    is an `Opaque`.
    """
    try:
        return _read(value)
    except RecursionError:
        return on_fresh_stack(_read, value)


def _read(value: JsonValue) -> Any:
    if isinstance(value, list):
        return [_read(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$py" not in value:
        return {name: _read(item) for name, item in value.items()}
    try:
        return _READ[value["$py"]](value)
    except RecursionError:
        raise
    except Exception:
        return Opaque(value, decode)


def _written_afresh(value: Any, *, is_mute: bool = False) -> JsonValue:
    try:
        return on_fresh_stack(_Writer(is_fresh=True, is_mute=is_mute).write, value, 0)
    except Exception:  # no more threads
        return unsaid(value)


class _TooLarge(Exception):  # noqa: N818 - it ends the writing and is never seen
    pass


class _Writer:
    """One `encode`: `above` are the containers that are being written, `most` the number of nodes before which it has
    to be done."""

    def __init__(self, *, is_fresh: bool = False, is_mute: bool = False) -> None:
        self.is_mute = is_mute
        self.most = MAX_NODES
        self.above: set[int] = set()
        self.nodes = 0
        self.on_the_way = _TooLarge if is_fresh else (_TooLarge, RecursionError)

    def write(self, value: Any, depth: int) -> JsonValue:
        kind = type(value)
        self.nodes += 1
        if self.nodes > self.most:
            raise _TooLarge
        if value is None or kind is bool:
            return value
        simple = WRITERS.get(kind)
        if simple is not None:
            return simple(value)
        if depth >= MAX_DEPTH or id(value) in self.above:
            return unsaid(value)
        self.above.add(id(value))
        try:
            return self.container(value, kind, depth)
        except self.on_the_way:
            raise
        except Exception:  # a method of the value
            return unsaid(value)
        finally:
            self.above.discard(id(value))

    def container(self, value: Any, kind: type, depth: int) -> JsonValue:
        if kind is list:
            return [self.write(item, depth + 1) for item in value]
        if kind is dict:
            return self.mapping(value, depth)
        if kind is Opaque:
            return self.stand_in(tag_of(value))
        bases = kind.__mro__
        if Enum in bases:
            return self.enum(value, kind, depth)
        if BaseException in bases:
            return exception_tag(value, lambda item: self.write(item, depth + 3))
        which = kind_of(kind)
        if which is not None:
            return write_fields(value, which, lambda item: self.write(item, depth + 2))
        base = base_of(bases)
        if base is not None:
            return write_builtin(value, kind, base, lambda item: self.write(item, depth + 3))
        if is_plain(kind):
            return self.object(value, depth)
        return unsaid(value) if self.is_mute else opaque(value)

    def object(self, value: Any, depth: int) -> JsonValue:
        outer, self.most = self.most, min(self.most, self.nodes + attributes.MAX_NODES)
        try:
            made: JsonValue = write_object(value, lambda item: self.write(item, depth + 2))
        except _TooLarge:
            if outer < MAX_NODES:  # it is inside of another object
                raise
            return unsaid(value)
        finally:
            self.most = outer
        return unsaid(value) if self.is_mute and holds_opaque(made) else made

    def stand_in(self, tag: dict[str, JsonValue]) -> JsonValue:
        """What a stand-in was read from, told as the value itself would be."""
        is_context = tag.get("$py") == attributes.KIND and holds_opaque(tag)
        if self.is_mute and (is_context or tag.get("$py") == "opaque"):
            return {"$py": "opaque", "type": tag.get("type"), "value": ""}
        return tag

    def mapping(self, value: dict[Any, Any], depth: int) -> JsonValue:
        if all(type(key) is str and WRITERS[str](key) is key for key in value) and "$py" not in value:
            return {key: self.write(item, depth + 1) for key, item in value.items()}
        pairs = [[self.write(key, depth + 3), self.write(item, depth + 3)] for key, item in value.items()]
        return {"$py": "dict", "value": pairs}

    def enum(self, value: Any, kind: type, depth: int) -> JsonValue:
        own, name = value._value_, value._name_
        made: dict[str, JsonValue] = {"$py": "enum", "type": class_name(kind), "value": self.write(own, depth + 1)}
        return made | ({"name": WRITERS[str](name)} if type(name) is str else {})


def _enum(tag: dict[str, JsonValue]) -> Any:
    found = find_class(tag["type"])
    if found is None or not issubclass(found, Enum):
        raise LookupError(tag["type"])
    name, value = _read(tag.get("name")), _read(tag["value"])
    members: dict[str, Any] = type.__getattribute__(found, "_member_map_")
    if type(name) is str and name in members:
        return members[name]
    known: dict[Any, Any] = type.__getattribute__(found, "_value2member_map_")
    if value in known or type(value) is not int or not issubclass(found, Flag):
        return known[value]
    for base in found.__mro__:  # several flags at once: what makes one of them is called, unless it is the class's own
        if "_missing_" in vars(base):
            return vars(base)["_missing_"].__func__(found, value) if base is Flag else known[value]
    return known[value]


_READ: dict[str, Callable[[dict[str, JsonValue]], Any]] = {
    **READERS,
    **{kind: lambda tag: read_builtin(tag, _read) for kind in BUILTIN},
    **{kind: lambda tag: read_fields(tag, _read) for kind in FIELDED},
    attributes.KIND: lambda tag: read_object(tag, _read),
    "enum": _enum,
    "exception": lambda tag: read_exception(tag, _read),
    "own": lambda tag: _read(tag["value"]),
    "stream": lambda tag: replayed(tag, _read),
    "generator": lambda tag: replayed(tag, _read),
}
