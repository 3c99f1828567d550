"""Exceptions as tags, and the same class raised again in a replay.

A class that this process has loaded is made without its ``__init__``, so that one with arguments of its own can be made
at all: the built-in class below it gets the recorded arguments, and the attributes follow.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from stepfork.instrument.making import check_harmless, put
from stepfork.instrument.named import class_name, find_class
from stepfork.instrument.plain import message_of
from stepfork.trace.body import JsonValue

Write = Callable[[Any], JsonValue]
Read = Callable[[JsonValue], Any]
Tag = dict[str, JsonValue]

_RUNNERS = frozenset({"_pytest", "unittest", "stepfork"})

_BUILT_IN = {OSError: ("filename", "filename2"), ImportError: ("name", "path"), NameError: ("name",)}
"""Attributes that a built-in class keeps neither among its arguments nor in a dictionary."""


def exception_tag(error: BaseException, write: Write) -> Tag:
    """The tag of an exception whose parts `write` writes. What is opaque among its attributes is left out."""
    kind = type(error)
    made: Tag = {
        "$py": "exception",
        "type": class_name(kind),
        "args": [write(item) for item in BaseException.__dict__["args"].__get__(error)],
        "message": message_of(error),
    }
    kept: dict[str, JsonValue] = {}
    for name, item in _attributes(error, kind):
        tag = write(item)
        if isinstance(tag, dict) and tag.get("$py") in {"opaque", "object"}:
            told = _response_tag(item, write)
            tag = tag if told is None and tag["$py"] == "object" else told
        if tag is not None or item is None:
            kept[name] = tag
    if kept:
        made["value"] = kept
    if error.__cause__ is not None:
        made["cause"] = write(error.__cause__)
    elif error.__context__ is not None and not error.__suppress_context__:
        made["context"] = write(error.__context__)
    if error.__suppress_context__ and error.__cause__ is None:
        made["alone"] = True
    return made


def read_exception(tag: Tag, read: Read) -> BaseException:
    """A new exception. Raises LookupError where its class is not loaded, or cannot be made of what was kept."""
    found = find_class(tag["type"])
    if found is None or not issubclass(found, BaseException):
        raise LookupError(tag["type"])
    check_harmless(found)
    if _speaks_to_a_runner(found):
        raise LookupError(tag["type"])
    made = _made(found, [read(item) for item in tag["args"]])
    for name, item in tag.get("value", {}).items():
        with suppress(Exception):  # a class that keeps no such attribute today
            put(made, name, read(item))
    for name, chained in (("__cause__", "cause"), ("__context__", "context")):
        earlier = read(tag[chained]) if chained in tag else None
        if isinstance(earlier, BaseException):
            put(made, name, earlier)
    put(made, "__suppress_context__", "cause" in tag or "alone" in tag)
    return made if message_of(made) == tag["message"] else _saying(made, tag["message"])


def _response_tag(value: Any, write: Write) -> Tag | None:
    """The tag of an HTTP response, which read again has these attributes and no others; None for anything else."""
    said: dict[str, Any] = {}
    for name in ("status_code", "reason", "reason_phrase", "text"):
        with suppress(Exception):  # a body that was never read
            said[name] = getattr(value, name)
    said = {name: item for name, item in said.items() if type(item) in {int, str}}
    if type(said.get("status_code")) is not int:
        return None
    return {"$py": "response", "type": class_name(type(value)), "value": {key: write(said[key]) for key in said}}


def _attributes(error: BaseException, kind: type) -> Iterator[tuple[str, Any]]:
    yield from (
        (name, item)
        for name, item in object.__getattribute__(error, "__dict__").items()
        if type(name) is str and (not name.startswith("_") or name == "__notes__")
    )
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        names = (*_BUILT_IN.get(base, ()), *((slots,) if isinstance(slots, str) else slots))
        for name in names:
            with suppress(AttributeError):
                item = object.__getattribute__(error, name)
                if item is not None and not name.startswith("_"):
                    yield name, item


def _speaks_to_a_runner(kind: type) -> bool:
    """Whether a test runner would take the exception for its own: a recording says of no test that it is skipped."""
    modules = (str(type.__getattribute__(base, "__module__")) for base in kind.__mro__)
    return any(module.partition(".")[0] in _RUNNERS for module in modules)


def _made(kind: Any, args: list[Any]) -> BaseException:
    native: Any = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    try:
        made = native.__new__(kind, *args)
        native.__init__(made, *args)
    except Exception as error:
        raise LookupError(kind.__name__) from error
    put(made, "args", tuple(args))
    return made  # type: ignore[no-any-return]


def _saying(error: BaseException, message: str) -> BaseException:
    """`error`, of a class that says `message`: its own put its text together from what could not be kept."""
    kind = type(error)
    members = {"__str__": lambda _: message, "__module__": kind.__module__, "__qualname__": kind.__qualname__}
    with suppress(Exception):
        made = types.new_class(kind.__name__, (kind,), exec_body=lambda space: space.update(members))
        object.__setattr__(error, "__class__", made)
    return error
