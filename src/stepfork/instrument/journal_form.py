"""The lines of a journal: what each holds, and reading them back."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from stepfork.canonical.parse import parse
from stepfork.errors import CanonicalError, DamagedError
from stepfork.trace.body import JsonValue
from stepfork.trace.call import Call, Outcome

VERSION = 1


class Header(msgspec.Struct, frozen=True, omit_defaults=True):
    """The first line: that this is a journal, of which version, and what is recorded."""

    stepfork_journal: int
    name: str
    kind: Literal["in_process"] = "in_process"
    agent: str | None = None


class BegunLine(msgspec.Struct, frozen=True, tag_field="event", tag="begun"):
    """A call has begun."""

    call: Call


class EndedLine(msgspec.Struct, frozen=True, tag_field="event", tag="ended"):
    """The call of that number has ended."""

    number: int
    ended: int
    ended_ns: int
    outcome: Outcome


class InputLine(msgspec.Struct, frozen=True, tag_field="event", tag="input"):
    """What the program said of the run's input; the last one counts."""

    value: JsonValue


class OutputLine(msgspec.Struct, frozen=True, tag_field="event", tag="output"):
    """What the program said of the run's output; the last one counts."""

    value: JsonValue


Line = BegunLine | EndedLine | InputLine | OutputLine


class Journalled(msgspec.Struct, frozen=True):
    """What a journal tells. Calls stand in order of their numbers; those without an outcome had not ended."""

    header: Header
    calls: tuple[Call, ...] = ()
    input: JsonValue | msgspec.UnsetType = msgspec.UNSET
    output: JsonValue | msgspec.UnsetType = msgspec.UNSET


def read_journal(data: bytes, where: str) -> Journalled:
    """The journal that `data` is. A last line without an end was being written when the process died, and is left out.

    Raises DamagedError, naming the line, for what no recording has written.
    """
    *lines, _torn = data.split(b"\n")
    if not lines:
        raise DamagedError("is not the journal of a recording", where=where)
    header = _header(lines[0], where)
    calls: dict[int, Call] = {}
    said: dict[str, JsonValue] = {}
    for number, raw in enumerate(lines[1:], start=2):
        line: Line = _read(raw, Line, where, number)
        match line:
            case BegunLine(call):
                if call.number in calls or not _may_begin(call, calls):
                    raise _damaged(where, number)
                calls[call.number] = call
            case EndedLine(which, ended, ended_ns, outcome):
                begun = calls.get(which)
                if begun is None or begun.outcome is not None or ended <= begun.begun:
                    raise _damaged(where, number)
                calls[which] = msgspec.structs.replace(begun, ended=ended, ended_ns=ended_ns, outcome=outcome)
            case InputLine(value):
                said["input"] = value
            case OutputLine(value):
                said["output"] = value
    return Journalled(header, tuple(calls[number] for number in sorted(calls)), **said)


def _may_begin(call: Call, calls: dict[int, Call]) -> bool:
    """Whether a recording could have begun `call` behind those that had begun by then."""
    is_counted = call.number >= 0 and call.begun > 0 and call.outcome is None and call.ended is None
    return is_counted and (call.parent is None or (call.parent < call.number and call.parent in calls))


def _header(raw: bytes, where: str) -> Header:
    try:
        header: Header = _read(raw, Header, where, 1)
    except DamagedError:
        raise DamagedError("is not the journal of a recording", where=where) from None
    if header.stepfork_journal != VERSION:
        raise DamagedError(
            f"is a journal of format {header.stepfork_journal}, and this stepfork reads {VERSION}",
            where=where,
            fix="use the version that wrote it",
        )
    return header


def _read(raw: bytes, kind: Any, where: str, number: int) -> Any:
    try:
        return msgspec.convert(parse(raw), kind)
    except (CanonicalError, msgspec.ValidationError):
        raise _damaged(where, number) from None


def _damaged(where: str, number: int) -> DamagedError:
    fix = "the journal was damaged or edited"
    return DamagedError(f"line {number} is no event of a recording", where=where, fix=fix)
