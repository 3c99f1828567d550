"""Answers a run from its fixture: requests in, recorded answers or misses out. No sockets, no clock, no chance."""

from __future__ import annotations

from collections.abc import Sequence
from threading import RLock

import msgspec

from stepfork.normalize.known import Context
from stepfork.normalize.optional import is_optional
from stepfork.normalize.request_key import NO_RULES, KeyRules
from stepfork.providers.lines import clean_line
from stepfork.redact.bodies import rewrite_bytes_body
from stepfork.redact.redactor import Redactor
from stepfork.redact.secrets import Secrets
from stepfork.replay.diagnosis import Diagnosis
from stepfork.replay.discovery import words_for
from stepfork.replay.giver import Giver
from stepfork.replay.identities import Identities
from stepfork.replay.misses import Misses
from stepfork.replay.permitted import Permitted
from stepfork.replay.reading import Reader, Reading
from stepfork.replay.recorded import Recorded
from stepfork.replay.refusal import refusal_of_line
from stepfork.replay.report import CallMiss, CallsReport, Miss, ReplayReport, Served
from stepfork.replay.retrying import patient
from stepfork.replay.unused import unused_of
from stepfork.rewrite.place import Place
from stepfork.rewrite.run import rewrite_request
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture


class Player:
    """The recorded side of one replay. Answers depend on the calls so far and on the arguments, on nothing else.
    Thread-safe: whoever looks at more than one of its methods gives holds ``lock``.

    `context` is this run's: its known values are given back, and the times that are lie at its start. `secrets` are
    taken out of each request first, as they were when it was recorded. `permitted` says which tools an answer may ask
    for; without it, any.
    """

    def __init__(
        self,
        fixture: Fixture,
        *,
        context: Context,
        secrets: Secrets,
        rules: KeyRules = NO_RULES,
        permitted: Permitted | None = None,
    ) -> None:
        self._fixture = fixture
        self._permitted = permitted
        self._context = context
        self._secrets = secrets
        self._rules = rules
        self._session: PlayerSession | None = None
        self.lock = RLock()

    def listens_at(self, address: str, token: str) -> None:
        """Says where the run finds its listener. Must be told before the first call."""
        assert self._session is None, "calls have been answered already"
        self._context = msgspec.structs.replace(self._context, listener=address, token=token)

    def answer(self, provider: str, api: str, request: Request, *, call: int) -> Response | Miss:
        """The answer to a live request as it came in: the recorded one, or why there is none.

        `call` numbers the calls from 0 in order of arrival. Never raises, whatever the request is.
        """
        with self.lock:
            return self.begun().answer(Exchange(provider, api, request, Response(0)), call)

    def report(self) -> ReplayReport:
        """What was found so far."""
        with self.lock:
            return self.begun().report()

    def begun(self) -> PlayerSession:
        """The replay from its first call on. To be asked with the lock held by who goes on to use it."""
        with self.lock:
            if self._session is None:
                self._session = PlayerSession(self._fixture, self._context, self._secrets, self._rules, self._permitted)
            return self._session


class PlayerSession:
    """A replay from its first call on. ``context`` is where it runs, ``identities`` who is who in it, ``calls`` how
    many calls have come in."""

    def __init__(
        self,
        fixture: Fixture,
        context: Context,
        secrets: Secrets,
        rules: KeyRules,
        permitted: Permitted | None = None,
    ) -> None:
        self._permitted = permitted
        self.context = context
        self.calls = 0
        self._redactor = Redactor(secrets)
        self._of_bytes = Redactor(secrets.with_personal)
        self._recorded = Recorded(self._by_rules_of_now(fixture.run.exchanges, secrets), context, rules)
        self._live = Reader(context, rules, first=self._redactor, templated=False)
        for kind in self._recorded.personal:
            self._live.look_for(kind)
        self.identities = Identities()
        self._giver = Giver(fixture.name, context, self.identities, self._live)
        self._diagnosis = Diagnosis(self._recorded, self._live, self.identities, context, rules)
        self._served: list[Served] = []
        self._misses = Misses(self._recorded, context)
        self._asides = Misses(self._recorded, context)
        self._optional: dict[int, str] = {}

    def answer(self, exchange: Exchange, call: int) -> Response | Miss:
        """See `Player.answer`."""
        self.calls = max(self.calls, call + 1)
        exchange = self._with_readable_body(exchange)
        live = self._live.read(exchange)
        chosen = self._choose(live)
        if chosen is None and not self._recorded.alike(live):
            live = self._discovered(exchange, live)
            chosen = self._choose(live)
        is_probe = chosen is None
        if chosen is None:
            miss = self._miss(exchange, live, call)
            if miss.kind != "exhausted" or miss.nearest is None or not is_optional(exchange):
                return miss
            chosen = miss.nearest  # a probe that comes more often than it did is answered as before
        else:
            self._recorded.use(chosen)
        self.identities.settle(self._recorded.names(chosen, live))
        self.identities.settle(self._recorded.addresses(chosen, live))
        recorded = self._recorded.exchanges[chosen]
        given = patient(self._giver.response(recorded))
        refused = self._refusal(recorded, given)
        if refused is not None:
            return refusal_of_line(f"stepfork replay: {refused.says}", anthropic=recorded.api == "messages")
        if not is_probe:
            self._served.append(Served(call, chosen))
        return given

    def _refusal(self, recorded: Exchange, given: Response) -> CallMiss | None:
        if self._permitted is None:
            return None
        return self._permitted.refusal(msgspec.structs.replace(recorded, response=given), self.calls)

    def declare(self, value: str, kind: str) -> None:
        """A value that the program was given otherwise than over HTTP."""
        self._live.declare(value, kind)

    def report(self) -> ReplayReport:
        """What was found so far."""
        return ReplayReport(
            exchanges=sum(not exchange.in_process for exchange in self._recorded.exchanges),
            served=tuple(sorted(self._served, key=lambda served: served.call)),
            misses=tuple(self._misses),
            unused=tuple(unused_of(self._recorded)),
            optional=tuple(self._optional[call] for call in sorted(self._optional)),
            calls=CallsReport(misses=tuple(self._permitted.misses) if self._permitted is not None else ()),
        )

    def _by_rules_of_now(self, exchanges: Sequence[Exchange], secrets: Secrets) -> Sequence[Exchange]:
        """Recorded requests without what the project calls secret by now: a rule may be younger than the recording."""
        if not secrets.rules.find_more:
            return exchanges
        readable = map(self._with_readable_body, exchanges)
        return [rewrite_request(exchange, index, self._redactor) for index, exchange in enumerate(readable)]

    def _with_readable_body(self, exchange: Exchange) -> Exchange:
        """The secrets of a body of bytes taken out, which no reader of texts looks at."""
        body = rewrite_bytes_body(exchange.request.body, Place(("request",), ("body",)), self._of_bytes)
        if body is exchange.request.body:
            return exchange
        return msgspec.structs.replace(exchange, request=msgspec.structs.replace(exchange.request, body=body))

    def _choose(self, live: Reading) -> int | None:
        """The exchange that answers: addresses must agree with all that was said, ids should, then stored order."""
        best: tuple[int, int] | None = None
        for index in self._recorded.free(live):
            if self._allows(index, live):
                conflicts = self.identities.conflicts(self._recorded.names(index, live))
                if not conflicts:
                    return index
                best = min(best or (conflicts, index), (conflicts, index))
        return None if best is None else best[1]

    def _allows(self, index: int, live: Reading) -> bool:
        return self.identities.allow(self._recorded.addresses(index, live))

    def _discovered(self, exchange: Exchange, live: Reading) -> Reading:
        """The request read with words that only the recording knows as ids, where it is recorded then."""
        for index, recorded in enumerate(self._recorded.readings):
            if recorded.route != live.route or not recorded.names or self._recorded.used[index]:
                continue
            words = words_for(recorded.form, live.form)
            if words:
                told = self._live.told(words, exchange)
                if self._recorded.alike(told):
                    return told
                self._live.retract(words)
        return live

    def _miss(self, exchange: Exchange, live: Reading, call: int) -> Miss:
        aside = is_optional(exchange)
        told = self._asides if aside else self._misses
        # A probe that comes too often is answered, so what comes after it repairs nothing.
        miss = told.tell(live, lambda: self._diagnosed(exchange, live, call), repairs=not aside)
        if aside:
            request = live.templated.request
            self._optional[miss.call] = clean_line(f"{miss.label}: {request.method} {request.path}")
        return miss

    def _diagnosed(self, exchange: Exchange, live: Reading, call: int) -> Miss:
        alike = self._recorded.alike(live)
        ours = [index for index in alike if self._allows(index, live)]
        if ours:
            return self._diagnosis.exhausted(live, ours, call)
        return self._diagnosis.roles(live, alike, call) if alike else self._diagnosis.changed(live, exchange, call)
