"""The recorded exchanges as a replay looks for them: by key, each with what it has at its placeholders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from stepfork.normalize.known import KINDS, Context, known_value
from stepfork.normalize.normalize import normalize_again
from stepfork.normalize.placeholders import BY_POSITION, LOOK_ALIKE, PERSONAL, escape, read
from stepfork.normalize.request_key import KeyRules, RequestKey
from stepfork.normalize.times import USUAL, same_form, time_shape
from stepfork.replay.identities import Pair
from stepfork.replay.reading import Reader, Reading, Route
from stepfork.rewrite.place import Edit, Place, Rewriter
from stepfork.trace.exchange import Exchange

NO_ROUTE: Route = ("", "")
"""The route of an exchange that answers no request."""


class Recorded:
    """Exchanges in stored order, read by the rules of now, their keys computed now; ``used`` says which have
    answered."""

    def __init__(self, exchanges: Sequence[Exchange], context: Context, rules: KeyRules) -> None:
        self.reader = Reader(context, rules, first=_KnownValues(context), templated=True)
        self.exchanges = normalize_again(exchanges, context.own) if context.own else exchanges
        self.readings = [self.reader.read(exchange) for exchange in self.exchanges]
        self.used = [False] * len(self.exchanges)
        self._by_key: defaultdict[tuple[Route, RequestKey], list[int]] = defaultdict(list)
        for index, reading in enumerate(self.readings):
            if self.exchanges[index].in_process:  # it never went over the wire, where requests come in
                self.readings[index] = msgspec.structs.replace(reading, route=NO_ROUTE)
                self.used[index] = True
            else:
                self._by_key[reading.route, reading.key].append(index)
        self._free = {key: list(found) for key, found in self._by_key.items()}

    @property
    def personal(self) -> set[str]:
        """The kinds of personal data that recorded requests have, whatever the project asks for by now."""
        return {kind for reading in self.readings for kind, _ in reading.addresses if kind in PERSONAL}

    def use(self, index: int) -> None:
        """An exchange has answered."""
        reading = self.readings[index]
        self.used[index] = True
        self._free[reading.route, reading.key].remove(index)

    def free(self, live: Reading) -> Iterator[int]:
        """Those of `alike` that have answered nothing yet, in stored order."""
        found = self._free.get((live.route, live.key), ())
        return (index for index in found if same_times(self.readings[index], live))

    def alike(self, live: Reading) -> list[int]:
        """The exchanges that a live request asks for, whoever its addresses are."""
        found = self._by_key.get((live.route, live.key), ())
        return [index for index in found if same_times(self.readings[index], live)]

    def names(self, index: int, live: Reading) -> list[Pair]:
        """What stands where in both; the keys are equal, so that there is as much of it."""
        return list(zip(self.readings[index].names, live.names, strict=True))

    def addresses(self, index: int, live: Reading) -> list[Pair]:
        """The same of addresses."""
        return list(zip(self.readings[index].addresses, live.addresses, strict=True))


def same_times(recorded: Reading, live: Reading) -> bool:
    """Whether the date-times of a live request, which has the recorded one's key, may stand where they do: any one of
    that form where a clock was read when the run was recorded, and only the same where it was data."""
    return all(map(_same_time, recorded.times, live.times))


def _same_time(recorded: str, live: str) -> bool:
    found = read(recorded)
    if found is None or found.kind != BY_POSITION:
        return recorded == live
    shape = time_shape(live)
    return shape is not None and same_form(found.shape or USUAL, shape)


class _KnownValues(Rewriter):
    """Gives a recorded request this run's known values; all else stays templated."""

    def __init__(self, context: Context) -> None:
        values = {f"{{{{{kind}}}}}": known_value(context, kind) for kind in KINDS}
        self._values = {text: escape(value) for text, value in values.items() if value}

    def text(self, text: str, place: Place) -> Sequence[Edit]:  # noqa: ARG002
        """Edits of a text."""
        if "{{" not in text:
            return ()
        found = ((match, self._values.get(match.group())) for match in LOOK_ALIKE.finditer(text))
        return [Edit(match.start(), match.end(), value) for match, value in found if value is not None]

    def key(self, text: str, place: Place) -> Sequence[Edit]:
        """Edits of a member's name."""
        return self.text(text, place)
