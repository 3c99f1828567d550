"""What a request says once all that differs from run to run is taken out of it, and what that was.

A recorded request and a live one go through the same rules: the recorded one is first given this run's known values
(its folder, its home), then both are templated for this run. So a name that is a word in one of the two runs, or a home
that is the working directory too, makes no difference.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from stepfork.normalize.known import Context
from stepfork.normalize.normalizer import Normalizer
from stepfork.normalize.numbering import ValueNumbers
from stepfork.normalize.own import OwnRules
from stepfork.normalize.personal import written
from stepfork.normalize.placeholders import PERSONAL, read
from stepfork.normalize.request_key import KeyRules, Names, RequestKey, form_key, keyed_form
from stepfork.normalize.telling import Teller
from stepfork.normalize.told import Told
from stepfork.providers.normal_form import NormalRequest
from stepfork.replay.identities import STRICT, Name
from stepfork.rewrite.place import Rewriter
from stepfork.trace.exchange import Exchange

Words = dict[str, str]
"""Values that are ids, with their kinds."""

Route = tuple[str, str]
"""Provider and API."""


class Reading(msgspec.Struct, frozen=True):
    """A request as it is matched. ``templated`` is its exchange, ``form`` what of it counts in the key.

    ``key`` does not tell addresses apart: which are the same is a matter of the whole run. ``names`` are what stands at
    the other placeholders of the form, in order of first appearance; ``addresses`` and ``times`` what stands at each
    address and date-time. All are values of this run, or for a recorded request placeholders.
    """

    route: Route
    templated: Exchange
    form: NormalRequest
    key: RequestKey
    names: tuple[Name, ...]
    addresses: tuple[Name, ...]
    times: tuple[str, ...]


class Reader:
    """Reads the requests of one side; texts that calls repeat are read once."""

    def __init__(self, context: Context, rules: KeyRules, *, first: Rewriter | None, templated: bool) -> None:
        self._context = context
        self._first = first
        self._rules = rules
        self._values = ValueNumbers(spelled=True)
        self._told = Told(context.own)
        self._teller = Teller(self._told)
        self._templated = templated
        self._meanings: dict[str, str] = {}
        self._normalizer = Normalizer(
            context,
            self._told,
            templated=templated,
            first=first,
            values=self._values,
            clocks=True,
        )

    def read(self, exchange: Exchange) -> Reading:
        """What the request of an exchange says."""
        if not self._templated:
            before = len(self._told)
            self._teller.exchange(exchange)
            for value in list(self._told)[before:]:
                self._normalizer.forget(value)
        request = self._normalizer.request(exchange)
        return self._reading(msgspec.structs.replace(exchange, request=request), self._rules)

    def declare(self, value: str, kind: str) -> None:
        """A value that was given to this run is known from here on, wherever it stands."""
        self._values.number(kind, value)
        if kind in PERSONAL:
            self.look_for(kind, value)
        elif kind not in STRICT:
            self._told.give(kind, value)

    def look_for(self, kind: str, value: str = "") -> None:
        """From here on personal data of a kind are looked for too, `value` among them."""
        self._normalizer.look_for(kind, value)

    def written(self, kind: str, value: str, layout: str | None) -> str:
        """How a program that is given personal data finds them written: as they were recorded, or as this run writes
        them."""
        return written(kind, value, layout, self._values.layout(kind, value))

    def told(self, words: Words, exchange: Exchange) -> Reading:
        """The reading of a request whose `words` are ids of their kinds."""
        for word, kind in words.items():
            self._told.give(kind, word)
            self._normalizer.forget(word)
        return self.read(exchange)

    def retract(self, words: Words) -> None:
        """Takes `words` back: they are none."""
        for word in words:
            self._told.take(word)
            self._normalizer.forget(word)

    def knows(self, kind: str, value: str) -> bool:
        """Whether a value has been read or declared."""
        return value in self._told or (kind, value) in self._values

    def _reading(self, exchange: Exchange, rules: KeyRules) -> Reading:
        form = keyed_form(exchange, rules)
        names = Names(alike=STRICT)
        key = form_key(exchange.api, form, names)
        return Reading(
            route=(exchange.provider, exchange.api),
            templated=exchange,
            form=form,
            key=key,
            names=self._meant(names),
            addresses=self._meant(names.others),
            times=tuple(map(self.meaning, names.times)),
        )

    def with_rules(self, reading: Reading, rules: KeyRules) -> Reading:
        """The same request, read under other rules."""
        return self._reading(reading.templated, rules)

    def under(self, own: OwnRules) -> Reader:
        """A reader that has read nothing yet, under other rules of the project's own."""
        context = msgspec.structs.replace(self._context, own=own)
        return Reader(context, self._rules, first=self._first, templated=self._templated)

    def _meant(self, names: Iterable[Name]) -> tuple[Name, ...]:
        return tuple((kind, self.meaning(text)) for kind, text in names)

    def meaning(self, placeholder: str) -> str:
        """What stands for a placeholder of a form."""
        meaning = self._meanings.get(placeholder)
        if meaning is None:
            found = read(placeholder)
            value = None if found is None or found.number is None else self._values.value(found.kind, found.number)
            meaning = self._meanings[placeholder] = placeholder if value is None else value
        return meaning
