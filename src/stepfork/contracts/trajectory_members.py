"""The members of a trajectory expectation, checked one by one: anything unknown or of another type is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from stepfork.canonical.places import quoted
from stepfork.errors import UsageError
from stepfork.trace.body import JsonValue


class ArgumentsExpectation(msgspec.Struct, frozen=True):
    """The arguments of one call of a tool: of its call number ``occurrence``, counted from 1, or of any (None)."""

    name: str
    value: JsonValue
    occurrence: int | None = None


class TrajectoryExpectation(msgspec.Struct, frozen=True):
    """What calls are expected. ``order`` is by first calls; ``sequence`` is all calls of tools, or with
    ``strict_sequence`` False some of them in this order; ``max_steps`` counts calls of tools and models."""

    called: tuple[str, ...] = ()
    not_called: tuple[str, ...] = ()
    counts: dict[str, int] = {}
    arguments: tuple[ArgumentsExpectation, ...] = ()
    order: tuple[tuple[str, ...], ...] = ()
    sequence: tuple[str, ...] | None = None
    strict_sequence: bool = True
    max_steps: int | None = None


def read_members(document: JsonValue) -> TrajectoryExpectation:
    """Each member, of its type. Raises UsageError, naming the member; what they say together is not looked at, but that
    they say anything."""
    if not isinstance(document, dict):
        raise UsageError("a trajectory expectation is a JSON object", fix=f"its members are {', '.join(_READERS)}")
    for name in document:
        if name not in _READERS:
            raise UsageError(f"{quoted(name[:60])} is no member", fix=f"the members are {', '.join(_READERS)}")
    made = TrajectoryExpectation(**{name: _READERS[name](value, name) for name, value in document.items()})
    if "strict_sequence" in document and made.sequence is None:
        raise UsageError("strict_sequence says nothing without sequence", fix="add sequence, or leave it out")
    if not (made.called or made.not_called or made.counts or made.arguments or made.order) and (
        made.max_steps is None and not (made.sequence or (made.sequence is not None and made.strict_sequence))
    ):
        raise UsageError("the trajectory expectation expects nothing, so every run would keep it")
    return made


def _names(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _wrong(where, "a list of names")
    return tuple(_name(item, f"{where}[{at}]") for at, item in enumerate(value))


def _name(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise _wrong(where, "a name")
    return value


def _count(value: Any, where: str, least: int = 0) -> int:
    if type(value) is not int or value < least:
        raise _wrong(where, f"a whole number from {least}")
    return value


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(where, "true or false")
    return value


def _counts(value: Any, where: str) -> dict[str, int]:
    if not isinstance(value, dict):
        raise _wrong(where, "an object of names and whole numbers")
    return {_name(name, where): _count(count, f"{where}[{quoted(name[:60])}]") for name, count in value.items()}


def _orders(value: Any, where: str) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, list):
        raise _wrong(where, "a list of lists of names")
    made = tuple(_names(item, f"{where}[{at}]") for at, item in enumerate(value))
    for at, names in enumerate(made):
        if len(names) < 2:
            raise _wrong(f"{where}[{at}]", "two names or more")
    return made


def _all_arguments(value: Any, where: str) -> tuple[ArgumentsExpectation, ...]:
    if not isinstance(value, list):
        raise _wrong(where, "a list of objects")
    return tuple(_arguments(item, f"{where}[{at}]") for at, item in enumerate(value))


def _arguments(value: Any, where: str) -> ArgumentsExpectation:
    if not isinstance(value, dict) or not {"name", "value"} <= value.keys():
        raise _wrong(where, "an object with name and value")
    for member in value.keys() - {"name", "value", "occurrence"}:
        raise UsageError(f"{where} has a member {quoted(member[:60])}", fix="it has name, value and occurrence")
    occurrence = value.get("occurrence")
    return ArgumentsExpectation(
        _name(value["name"], f"{where}.name"),
        value["value"],
        _count(occurrence, f"{where}.occurrence", 1) if "occurrence" in value else None,
    )


def _wrong(where: str, wanted: str) -> UsageError:
    return UsageError(f"{where} is not {wanted}")


_READERS: dict[str, Callable[[Any, str], Any]] = {
    "called": _names,
    "not_called": _names,
    "counts": _counts,
    "arguments": _all_arguments,
    "order": _orders,
    "sequence": _names,
    "strict_sequence": _flag,
    "max_steps": _count,
}
