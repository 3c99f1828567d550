"""The lines of a journal: what each holds, and reading them back."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from stepfork.canonical.order import with_order
from stepfork.canonical.parse import parse
from stepfork.errors import CanonicalError, DamagedError
from stepfork.instrument.journal_repeats import Kept, put_together
from stepfork.trace.body import JsonBody, JsonValue
from stepfork.trace.call import Call, Outcome, with_joins
from stepfork.trace.exchange import Ending, Exchange, Request, Response
from stepfork.trace.recorded import Recorded
from stepfork.trace.wire import body_from_json

VERSION = 1


class Header(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The first line: that this is a journal, of which version, and what is recorded. A command has its words, and the
    folder that it runs in (``Source.cwd``)."""

    stepfork_journal: int
    name: str
    kind: Literal["in_process", "command"] = "in_process"
    agent: str | None = None
    command: tuple[str, ...] = ()
    cwd: str = "."


class _Version(msgspec.Struct):
    stepfork_journal: int


class BegunLine(
    msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, tag_field="event", tag="begun"
):
    """A call has begun. ``kept`` is what its arguments repeat of earlier calls."""

    call: Call
    kept: Kept = ()


class EndedLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="event", tag="ended"):
    """The call of that number has ended."""

    number: int
    ended: int
    ended_ns: int
    outcome: Outcome


class OverLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="event", tag="over"):
    """The line of control of that number had been waited for at the count of events ``at``."""

    line: int
    at: int


class ArrivedLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="event", tag="arrived"):
    """A model call over HTTP has come in; ``index`` counts them from 0 in order of arrival."""

    index: int
    provider: str
    path: str


class ExchangedLine(
    msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, tag_field="event", tag="exchanged"
):
    """A model call over HTTP is over; of several lines the last one counts. Bodies are in the form of
    `stepfork.trace.wire.body_to_json`, ``kept`` is what the JSON of the request repeats of earlier ones."""

    index: int
    arrived_ns: int
    ended_ns: int
    connection: int
    provider: str
    api: str
    method: str
    path: str
    status: int
    query: str = ""
    request_type: str = ""
    request: JsonValue = None
    response_type: str = ""
    headers: dict[str, str] = {}
    response: JsonValue = None
    ending: Ending = "complete"
    kept: Kept = ()


class InputLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="event", tag="input"):
    """What the program said of the run's input; the last one counts."""

    value: JsonValue


class OutputLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="event", tag="output"):
    """What the program said of the run's output; the last one counts."""

    value: JsonValue


Line = BegunLine | EndedLine | OverLine | ArrivedLine | ExchangedLine | InputLine | OutputLine


class Journalled(msgspec.Struct, frozen=True):
    """What a journal tells. Calls stand in order of their numbers, with what was waited for by then; those without an
    outcome had not ended. Exchanges stand in order of arrival; ``open`` are those that were not over, by provider and
    path."""

    header: Header
    calls: tuple[Call, ...] = ()
    recorded: tuple[Recorded, ...] = ()
    open: tuple[str, ...] = ()
    input: JsonValue | msgspec.UnsetType = msgspec.UNSET
    output: JsonValue | msgspec.UnsetType = msgspec.UNSET


def read_journal(data: bytes, where: str) -> Journalled:
    """The journal that `data` is. A last line without an end was being written when the process died, and is left out.

    Raises DamagedError, naming the line, for what no recording has written.
    """
    *lines, _torn = data.split(b"\n")
    if not lines:
        raise _no_journal(where)
    header = _header(lines[0], where)
    reading = _Reading()
    for number, raw in enumerate(lines[1:], start=2):
        try:
            reading.take(_read(raw, Line, where, number))
        except DamagedError:
            raise _damaged(where, number) from None
    return Journalled(
        header,
        tuple(with_joins(reading.calls[number], reading.joined) for number in sorted(reading.calls)),
        tuple(reading.recorded[index] for index in sorted(reading.recorded)),
        tuple(reading.arrived[index] for index in sorted(reading.arrived) if index not in reading.recorded),
        **reading.said,
    )


class _Reading:
    """The lines so far."""

    def __init__(self) -> None:
        self.calls: dict[int, Call] = {}
        self.joined: dict[int, int] = {}
        self.arrived: dict[int, str] = {}
        self.recorded: dict[int, Recorded] = {}
        self.said: dict[str, JsonValue] = {}
        self._started: dict[int, int] = {}
        self._arguments: dict[int, JsonValue] = {}
        self._requests: dict[int, JsonValue] = {}

    def take(self, line: Line) -> None:
        """Raises DamagedError for a line that cannot stand behind those so far."""
        match line:
            case BegunLine(call, kept):
                if call.number in self.calls or not _may_begin(call, self.calls):
                    raise DamagedError("it cannot begin")
                for forked, started in call.forks:
                    self._started.setdefault(forked, started)
                arguments = put_together(call.asked.arguments, kept, self._arguments)
                self._arguments[call.number] = arguments
                asked = msgspec.structs.replace(call.asked, arguments=arguments)
                self.calls[call.number] = msgspec.structs.replace(call, asked=asked)
            case EndedLine(which, ended, ended_ns, outcome):
                begun = self.calls.get(which)
                if begun is None or begun.outcome is not None or ended <= begun.begun:
                    raise DamagedError("it cannot end")
                self.calls[which] = msgspec.structs.replace(begun, ended=ended, ended_ns=ended_ns, outcome=outcome)
            case OverLine(which, at):
                self._over(which, at)
            case ArrivedLine(index, provider, path):
                if index < 0 or index in self.arrived:
                    raise DamagedError("it cannot arrive")
                self.arrived[index] = f"{provider} {path}"
            case ExchangedLine():
                self._exchanged(line)
            case InputLine(value):
                self.said["input"] = value
            case OutputLine(value):
                self.said["output"] = value

    def _over(self, line: int, at: int) -> None:
        if line not in self._started or line in self.joined or at <= self._started[line]:
            raise DamagedError("it cannot be over")
        self.joined[line] = at

    def _exchanged(self, line: ExchangedLine) -> None:
        if line.index not in self.arrived:
            raise DamagedError("it did not arrive")
        try:
            asked, answered = body_from_json(line.request), body_from_json(line.response)
            if isinstance(answered, JsonBody) and answered.order is not None:
                with_order(answered.value, answered.order)
        except CanonicalError:
            raise DamagedError("it has no body") from None
        if isinstance(asked, JsonBody):
            asked = JsonBody(put_together(asked.value, line.kept, self._requests))
            self._requests[line.index] = asked.value
        elif line.kept:
            raise DamagedError("it continues nothing")
        exchange = Exchange(
            line.provider,
            line.api,
            Request(line.method, line.path, line.query, line.request_type, asked),
            Response(line.status, line.response_type, line.headers, answered, line.ending),
        )
        self.recorded[line.index] = Recorded(exchange, line.arrived_ns, line.ended_ns, line.connection)


def _may_begin(call: Call, calls: dict[int, Call]) -> bool:
    """Whether a recording could have begun `call` behind those that had begun by then."""
    is_counted = call.number >= 0 and call.begun > 0 and call.outcome is None and call.ended is None and not call.joined
    return is_counted and (call.parent is None or (call.parent < call.number and call.parent in calls))


def _header(raw: bytes, where: str) -> Header:
    try:
        version = _read(raw, _Version, where, 1).stepfork_journal
    except DamagedError:
        raise _no_journal(where) from None
    if version > VERSION:
        raise DamagedError(
            f"is a journal of format {version}, and this stepfork reads {VERSION}", where=where, fix="upgrade stepfork"
        )
    try:
        if version == VERSION:
            header: Header = _read(raw, Header, where, 1)
            return header
    except DamagedError:
        pass
    raise _no_journal(where)


def _no_journal(where: str) -> DamagedError:
    return DamagedError("is not the journal of a recording", where=where)


def _read(raw: bytes, kind: Any, where: str, number: int) -> Any:
    try:
        return msgspec.convert(parse(raw), kind)
    except (CanonicalError, msgspec.ValidationError):
        raise _damaged(where, number) from None


def _damaged(where: str, number: int) -> DamagedError:
    fix = "the journal was damaged or edited"
    return DamagedError(f"line {number} is no event of a recording", where=where, fix=fix)
