"""What each placeholder of a recorded answer stands for in this run, and what is made up where nothing does yet."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol

from stepfork.normalize.emails import spelled
from stepfork.normalize.known import Context, known_value
from stepfork.normalize.placeholders import BY_POSITION, BY_VALUE, PERSONAL, Placeholder
from stepfork.normalize.prefixes import Prefixes
from stepfork.normalize.times import USUAL, spell
from stepfork.replay.giving_back import GiveBack, Given, give_back
from stepfork.replay.identities import Identities
from stepfork.replay.inventing import Inventor, boundary, fingerprint
from stepfork.rewrite.place import Place
from stepfork.rewrite.value import rewrite_value
from stepfork.trace.body import JsonValue
from stepfork.trace.exchange import Exchange, Response

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNTIL_EXPIRED = timedelta(hours=1)
"""How far ahead lies the time at which something expires: what a program was just given has not."""


class Knowing(Protocol):
    """What reads the live side: it knows the values that it has read, and is told of those that are given."""

    def knows(self, kind: str, value: str) -> bool:
        """Whether a value has been read or declared."""

    def declare(self, value: str, kind: str) -> None:
        """A value was given to this run."""

    def written(self, kind: str, value: str, layout: str | None) -> str:
        """How a program that is given personal data finds them written."""


class Giver:
    """Makes answers of recorded responses. Times lie at the start of the run, a millisecond later with each answer."""

    def __init__(self, name: str, context: Context, identities: Identities, live: Knowing) -> None:
        self._context = context
        self._identities = identities
        self._live = live
        self._seed = f"{context.started_ns} {context.token}"
        self._inventor = Inventor(self._seed, live.knows, name=name, own=context.own)
        self._prefixes = Prefixes(context.own.prefixes)
        self._answers = 0
        self._times: dict[int, datetime] = {}

    def response(self, exchange: Exchange) -> Response:
        """The response of an exchange with all given back."""
        return give_back(exchange, self._given(exchange.api))

    def value(self, value: JsonValue, place: Place, *, is_traces: bool = False) -> JsonValue:
        """A JSON value of a trace with all given back. `is_traces`: its times are numbered in the trace, where one
        number is one time; else in an exchange of its own."""
        return rewrite_value(value, place, GiveBack(self._given("", self._times if is_traces else {}), {}))

    def _given(self, api: str, times: dict[int, datetime] | None = None) -> Given:
        now = _EPOCH + timedelta(microseconds=self._context.started_ns // 1000, milliseconds=self._answers)
        self._answers += 1

        def value(placeholder: Placeholder, before: str) -> str | None:
            if placeholder.kind == BY_POSITION:
                number = placeholder.number or 0
                when = now + timedelta(microseconds=number)
                if times is not None:
                    when = times.setdefault(number, when)
                return spell(placeholder.shape or USUAL, when)
            if placeholder.kind in BY_VALUE:
                return self._by_value(placeholder, before, api)
            if placeholder.kind == "fingerprint":
                return fingerprint(self._seed)
            if placeholder.kind == "boundary":
                return boundary(self._seed)
            known = known_value(self._context, placeholder.kind)
            return None if known is None else known.encode("utf-8", "replace").decode()

        def clock(number: int, expires: bool) -> float:
            when = now + timedelta(microseconds=number) + (_UNTIL_EXPIRED if expires else timedelta())
            return when.timestamp()

        return Given(value, clock, self._number, self._context.own)

    def _number(self, number: int) -> int:
        """An id that is a number, which stands for a placeholder of that number."""
        name = ("id", str(Placeholder("id", number)))
        value = self._identities.value(name)
        if value is None or not value.isdecimal():
            value = self._inventor.number(name[1])
            self._identities.make_up(name, ("id", value))
            self._live.declare(value, "id")
        return int(value)

    def _by_value(self, placeholder: Placeholder, before: str, api: str) -> str:
        name = (placeholder.kind, str(placeholder.plain))
        prefix = self._prefixes.before(before, len(before)) if placeholder.kind == "id" else ""
        value = self._identities.value(name)
        if value is None:
            value = self._inventor.make(*name, prefix, api)
            self._identities.make_up(name, (placeholder.kind, value))
            self._live.declare(value, placeholder.kind)
        if placeholder.kind in PERSONAL:
            return self._live.written(placeholder.kind, value, placeholder.shape)
        if placeholder.shape is not None:
            return spelled(value, placeholder.shape)
        if prefix and value.startswith(prefix):
            return value[len(prefix) :]
        return value.removeprefix(self._prefixes.of(value)) if placeholder.kind == "id" else value
