"""Exceptions as tags: the class, the arguments, the public attributes; and the same class raised again in a replay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stepfork.errors import RecordedDependencyError
from stepfork.instrument.named import class_name, find_class
from stepfork.instrument.plain import message_of
from stepfork.trace.body import JsonValue
from stepfork.trace.step import StepError

_SLOTS = ("errno", "strerror", "filename", "filename2", "name", "path", "code", "value", "obj")


def encode_exception(error: BaseException) -> tuple[StepError, JsonValue]:
    """What a trace says of an exception, and its tag. Never raises."""
    from stepfork.instrument.tagged import encode

    return StepError(type(error).__name__, message_of(error)), encode(error)


def restore_exception(error: StepError, raised: JsonValue) -> BaseException:
    """The exception of the original class, where that is loaded here; else RecordedDependencyError."""
    from stepfork.instrument.tagged import decode

    made = decode(raised)
    if isinstance(made, BaseException):
        return made
    return RecordedDependencyError(f"{error.type}: {error.message}" if error.message else error.type)


def exception_tag(error: BaseException, write: Callable[[Any], JsonValue]) -> dict[str, JsonValue]:
    """The tag of an exception whose parts `write` writes."""
    return {"$py": "exception", "type": class_name(type(error)), "args": [write(item) for item in error.args]}


def read_exception(tag: dict[str, JsonValue]) -> BaseException:
    """A new exception. Raises LookupError where its class is not loaded."""
    from stepfork.instrument.tagged import decode

    found = find_class(tag["type"])
    if found is None or not issubclass(found, BaseException):
        raise LookupError(tag["type"])
    made = found.__new__(found, *(decode(item) for item in tag["args"]))
    made.args = tuple(decode(item) for item in tag["args"])
    return made
