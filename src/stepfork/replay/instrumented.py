"""Answers the instrumented calls of a command from its recording: which recorded call one is, whatever their order.

A recorded tool that is answered does not run, and what was recorded inside it is not asked for. A model call that went
over HTTP runs: its request comes to the listener, where it is answered like every other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator

import msgspec

from stepfork.canonical.places import dotted
from stepfork.listener.call_log import Answer, Inner
from stepfork.listener.call_messages import Refused
from stepfork.normalize.placeholders import BY_VALUE, LOOK_ALIKE, as_placeholder
from stepfork.providers.calls import bare_tool
from stepfork.providers.lines import clean_line
from stepfork.redact.secrets import Secrets
from stepfork.replay.answerable import answerable, answered_tools, exchanges_inside
from stepfork.replay.frozen_calls import RecordedCall, recorded_calls
from stepfork.replay.frozen_faults import shown_pair
from stepfork.replay.frozen_matching import Matching
from stepfork.replay.frozen_values import Alike, Unlike
from stepfork.replay.permitted import Permitted
from stepfork.replay.player import Player, PlayerSession
from stepfork.replay.report import CallMiss, CallsReport, CallUnused, ReplayReport
from stepfork.trace.body import JsonValue
from stepfork.trace.call import Asked
from stepfork.trace.fixture import Fixture

_Key = tuple[str, str]
"""What sort of call, and its name without a server's."""


class InstrumentedCalls:
    """The recorded calls of one replay, as `stepfork.listener.call_log.Answers`. Thread-safe.

    `player` answers what goes over HTTP: who is who in one is so in the other. `may_run` are the tools that somebody
    allowed to run, which is what becomes of those that the recording cannot answer; `served` are those whose own calls
    a route answers, which run. `permitted` are the tools that the answer of a model call may ask for.
    """

    def __init__(
        self,
        fixture: Fixture,
        player: Player,
        secrets: Secrets,
        *,
        may_run: Collection[str] = (),
        served: Collection[str] = (),
        permitted: Permitted | None = None,
    ) -> None:
        self._permitted = permitted
        self._name = fixture.name
        self._player = player
        self._secrets = secrets
        self._may_run = {bare_tool(name) for name in may_run} - answered_tools(fixture.run)
        self._served = {bare_tool(name) for name in served}
        self._recorded = [call for call in answerable(fixture.run) if bare_tool(call.name) not in self._served]
        self._run = fixture.run
        self._steps = [step for step in fixture.run.trace.steps if step.instrumented]
        self._inside: defaultdict[int | None, list[RecordedCall]] = defaultdict(list)
        for call in recorded_calls(fixture.run) if self._recorded else ():
            self._inside[call.parent].append(call)
        exchanges = enumerate(fixture.run.exchanges)
        self._in_process = {index for index, exchange in exchanges if exchange.in_process}
        self._models_over_http = len(self._in_process) < len(fixture.run.exchanges)
        self._by_key: defaultdict[_Key, list[RecordedCall]] = defaultdict(list)
        for call in self._recorded:
            self._by_key[call.type, bare_tool(call.name)].append(call)
        self._is_inside = exchanges_inside(fixture.run)
        self._inputs: dict[int, JsonValue] = {}
        self._used: set[int] = set()
        self._asked: Counter[_Key] = Counter()
        self._answered: Counter[str] = Counter()
        self._misses: list[CallMiss] = []
        self._matching: Matching | None = None

    def decide(self, asked: Asked) -> Answer | Refused | None:
        """What to give back, why there is nothing, or None where the body runs."""
        with self._player.lock:
            name = bare_tool(asked.name)
            key = (asked.type, name)
            candidates = self._by_key.get(key, [])
            if name in self._served or (asked.type == "llm_call" and not candidates and self._models_over_http):
                return None
            self._asked[key] += 1
            found = self._found(asked, candidates)
            if not isinstance(found, CallMiss):
                refused = self._unpermitted(found)
                if refused is not None:
                    return _refused(refused)
            if isinstance(found, CallMiss):
                if name in self._may_run or (asked.type == "llm_call" and self._models_over_http):
                    return None
                found = msgspec.structs.replace(found, after=self._player.begun().calls)
                self._misses.append(found)
                return _refused(found)
            self._used.add(found.number)
            return self._given(found)

    def declare(self, name: str) -> None:
        """See `stepfork.listener.call_log.Answers`."""
        if self._permitted is not None:
            with self._player.lock:
                self._permitted.declare(name)

    def _unpermitted(self, call: RecordedCall) -> CallMiss | None:
        """Why what a model call came to is not given."""
        if self._permitted is None or call.type != "llm_call" or call.result is msgspec.UNSET:
            return None
        return self._permitted.refusal_of(call.result, self._player.begun().calls)

    def refuse(self, what: str) -> None:
        """A call was refused before it came here, as one line says."""
        with self._player.lock:
            miss = CallMiss("an instrumented tool", 1, "closed", why=what, after=self._player.begun().calls)
            if miss not in self._misses:
                self._misses.append(miss)

    def report(self) -> ReplayReport:
        """What was answered so far, and what was not: the player's report with that of calls. Exchanges that were made
        inside of an answered call are none that could be asked for."""
        with self._player.lock:
            report = self._player.report()
            served = {one.exchange for one in report.served}
            return msgspec.structs.replace(
                report,
                exchanges=report.exchanges - len(self._is_inside - served - self._in_process),
                unused=tuple(one for one in report.unused if one.exchange not in self._is_inside),
                calls=self._calls(),
            )

    def _calls(self) -> CallsReport:
        return CallsReport(
            answered=dict(self._answered),
            misses=(*(self._permitted.misses if self._permitted is not None else ()), *self._misses),
            unused=tuple(
                CallUnused(bare_tool(call.name), call.number)
                for call in self._recorded
                if call.number not in self._used
            ),
        )

    def _found(self, asked: Asked, candidates: list[RecordedCall]) -> RecordedCall | CallMiss:
        """The recorded call that a live one is: of those that agree with all that is known the one that supposes least,
        then the first."""
        name, number = bare_tool(asked.name), self._asked[asked.type, bare_tool(asked.name)]
        if not candidates:
            return CallMiss(name, number, "unrecorded")
        matching = self._matched_by()
        live = matching.reading(asked.arguments)
        first: Unlike | None = None
        best: tuple[int, RecordedCall, Alike] | None = None
        for call in (one for one in candidates if one.number not in self._used):
            found = matching.compare(self._input(call), live)
            if isinstance(found, Unlike):
                first = first or found
                continue
            fresh = matching.bindings.fresh(pair for _, pair in found.pairs)
            if best is None or fresh < best[0]:
                best = (fresh, call, found)
            if fresh == 0:
                break
        if best is not None:
            matching.settle(best[2])
            return best[1]
        used = [matching.compare(self._input(one), live) for one in candidates if one.number in self._used]
        alike = sum(isinstance(found, Alike) for found in used)
        if alike:
            return CallMiss(name, number, "exhausted", recorded=alike, asked=alike + 1)
        unlike = first or next(found for found in used if isinstance(found, Unlike))
        old, new = shown_pair(unlike.recorded, unlike.live)
        return CallMiss(name, number, "changed", path=dotted(unlike.path), old=old, new=new)

    def _input(self, call: RecordedCall) -> JsonValue:
        """A recorded input without what counts as a secret by now."""
        if call.number not in self._inputs:
            self._inputs[call.number] = self._matched_by().redacted(call.arguments)
        return self._inputs[call.number]

    def _matched_by(self) -> Matching:
        session = self._player.begun()
        if self._matching is None:
            values = [value for call in self._recorded for value in (call.arguments, call.result, call.raised)]
            self._matching = Matching(self._name, session.context, self._secrets, values)
        for kind, value in self._matching.bindings.learn(session.identities):
            self._matching.declare(value, kind)
        return self._matching

    def _given(self, call: RecordedCall) -> Answer:
        """The outcome of a recorded call in values of this run: those that HTTP has shown, those that calls have shown,
        else made-up ones, which HTTP knows from then on."""
        matching, session = self._matched_by(), self._player.begun()
        if call.type != "llm_call":
            self._answered[bare_tool(call.name)] += 1
        inside = tuple(Inner(self._asked_again(inner), self._given(inner)) for inner in self._inside[call.number])
        for name in _placeholders((call.result, call.raised, msgspec.to_builtins(call.error))):
            value = session.identities.value(name)
            if value is not None and matching.bindings.value(name) is None:
                matching.bindings.settle([(name, (name[0], value))])
                matching.declare(value, name[0])
        outcome = matching.answer(call)
        _tell(session, matching)
        return Answer(outcome, inside)

    def _asked_again(self, call: RecordedCall) -> Asked:
        """What a call inside of one that is answered was."""
        step = self._steps[call.number]
        exchange = None if step.exchange is None else self._run.exchanges[step.exchange]
        return Asked(
            type=call.type,
            name=call.name,
            arguments=self._matched_by().given(call.arguments),
            model=step.model,
            provider="" if exchange is None else exchange.provider,
            api="" if exchange is None else exchange.api,
        )


def _refused(miss: CallMiss) -> Refused:
    kind = "exhausted" if miss.kind == "exhausted" else "mismatch"
    return Refused(kind, clean_line(f"stepfork replay: {miss.says}", 400))  # type: ignore[arg-type]  # one of the two


def _placeholders(values: object) -> Iterator[_Key]:
    """The kinds and placeholders by value that stand anywhere in values."""
    stack: list[object] = [values]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            stack += [*node, *node.values()]
        elif isinstance(node, list | tuple):
            stack += node
        elif isinstance(node, str) and "{{" in node:
            for found in map(as_placeholder, LOOK_ALIKE.finditer(node)):
                if found is not None and found.kind in BY_VALUE:
                    yield found.kind, str(found.plain)


def _tell(session: PlayerSession, matching: Matching) -> None:
    for kind, value in session.identities.learn(matching.bindings):
        session.declare(value, kind)
