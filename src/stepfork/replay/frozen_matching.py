"""Recorded calls against live ones, and recorded values given back to this run: redacted, templated, one to one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple, cast

import msgspec

from stepfork.normalize.known import Context
from stepfork.normalize.normalizer import Normalizer
from stepfork.normalize.numbering import ValueNumbers
from stepfork.normalize.personal import written
from stepfork.normalize.placeholders import PERSONAL
from stepfork.normalize.told import Told
from stepfork.redact.redactor import Redactor, redact_text
from stepfork.redact.secrets import Secrets
from stepfork.replay.frozen_calls import RecordedCall
from stepfork.replay.frozen_texts import TextMatcher
from stepfork.replay.frozen_values import Alike, Path, Sides, Unlike, compare, kinds_in
from stepfork.replay.giver import Giver
from stepfork.replay.identities import STRICT, Identities, Pair
from stepfork.rewrite.place import Place
from stepfork.rewrite.run import rewrite_trace
from stepfork.trace.body import JsonValue
from stepfork.trace.call import Outcome
from stepfork.trace.step import Step, StepError, Trace

_GIVEN = Place(("trace",))


class Bindings(Identities):
    """As `Identities`, where ids have roles too: an instrumented call has no other sign of which order it is about."""

    def agree(self, pairs: Iterable[Pair]) -> bool:
        """Whether each value is the one that this run was given, or has shown, for its placeholder, if there is one."""
        return all(self.value(recorded) in (None, live[1]) for recorded, live in pairs)

    def fresh(self, pairs: Iterable[Pair]) -> int:
        """How many of `pairs` are not settled yet."""
        return sum(self.value(recorded) != live[1] for recorded, live in pairs)


class Live(NamedTuple):
    """A value of this run without its secrets, and what normalisation by the rules of now makes of it."""

    value: JsonValue
    normalized: Callable[[], JsonValue]


class Matching:
    """Both sides of a frozen replay. Not thread-safe: its session holds the lock.

    `context` is this run's, `secrets` are taken out of what it asks, `kinds` of personal data are looked for because
    the recording has them.
    """

    def __init__(self, name: str, context: Context, secrets: Secrets, recorded: Iterable[JsonValue] = ()) -> None:
        kinds = {kind for value in recorded for kind in kinds_in(value) if kind in PERSONAL}
        self._secrets = secrets
        self._redactor = Redactor(secrets)
        self._last: tuple[bytes, JsonValue] | None = None
        self._values = ValueNumbers(spelled=True)
        self._told = Told(context.own)
        self._normalizer = Normalizer(context, self._told, values=self._values)
        for kind in sorted(kinds - {*context.personal}):
            self._normalizer.look_for(kind, "")
        self.bindings = Bindings()
        self._texts = TextMatcher(context, self.bindings)
        self._giver = Giver(name, context, self.bindings, self)

    def redacted(self, value: JsonValue) -> JsonValue:
        """A value of this run without its secrets, as the arguments of a step are redacted."""
        try:
            written = msgspec.json.encode(value)
        except (ValueError, TypeError, RecursionError):  # half characters have no such text
            return self._redacted(value)
        if self._last is None or self._last[0] != written:  # a call is mostly made as it was recorded
            self._last = (written, self._redacted(value))
        return self._last[1]

    def _redacted(self, value: JsonValue) -> JsonValue:
        return self._of_step(value, lambda trace: rewrite_trace(trace, self._redactor))

    def redacted_text(self, text: str) -> str:
        """The same of a message."""
        return redact_text(text, self._secrets)

    def reading(self, value: JsonValue) -> Live:
        """A value of this run, to be compared: redacted, and normalised once at most."""
        redacted = self.redacted(value)
        return Live(redacted, cache(lambda: self._normalized(redacted)))

    def compare(self, recorded: JsonValue, live: Live) -> Alike | Unlike:
        """How a recorded value, `redacted` already, differs from a live one. Where they differ in nothing but in whom
        a placeholder stands for, that is the difference."""
        sides = Sides(recorded, live.value, live.normalized, self._values)
        found = compare(sides, self._texts)
        if isinstance(found, Unlike) or self.bindings.allow(pair for _, pair in found.pairs):
            return found
        return self._conflict(found.pairs)

    def settle(self, alike: Alike) -> None:
        """What placeholders stand for from here on."""
        pairs = [pair for _, pair in alike.pairs]
        self.bindings.settle(pairs)
        for (kind, _), (_, value) in pairs:
            self.declare(value, kind)

    def answer(self, call: RecordedCall) -> Outcome:
        """How a recorded call ended, in values of this run: a copy."""
        error, is_traces = call.error, call.type == "tool_call"
        if error is not None:
            error = StepError(self._given_text(error.type), self._given_text(error.message))
        return Outcome(
            result=self.given(call.result, is_traces=is_traces),
            error=error,
            raised=self.given(call.raised, is_traces=is_traces),
        )

    def given(self, value: Any, *, is_traces: bool = True) -> Any:
        """A recorded value with its placeholders given back; UNSET stays. `is_traces` as `Giver.value` has it."""
        return value if value is msgspec.UNSET else self._giver.value(value, _GIVEN, is_traces=is_traces)

    def _given_text(self, text: str) -> str:
        return cast(str, self._giver.value(text, _GIVEN))

    def knows(self, kind: str, value: str) -> bool:
        """Whether a value has been read or declared."""
        return value in self._told or (kind, value) in self._values

    def declare(self, value: str, kind: str) -> None:
        """A value that this run has been given, or has shown, is known from here on, wherever it stands."""
        self._values.number(kind, value)
        if kind in PERSONAL:
            self._normalizer.look_for(kind, value)
        elif kind not in STRICT:
            self._told.give(kind, value)
            self._normalizer.forget(value)

    def written(self, kind: str, value: str, layout: str | None) -> str:
        """How a program that is given personal data finds them written."""
        return written(kind, value, layout, self._values.layout(kind, value))

    def _normalized(self, live: JsonValue) -> JsonValue:
        return self._of_step(live, self._normalizer.trace)

    @staticmethod
    def _of_step(value: JsonValue, made: Any) -> JsonValue:
        trace = Trace("instrumented", (Step("tool_call", "call", 0, 1, arguments=value),))
        return made(trace).steps[0].arguments

    def _conflict(self, pairs: Iterable[tuple[Path, Pair]]) -> Unlike:
        """The first place whose placeholder stands for another value already, or whose value for another one."""
        kept: list[Pair] = []
        for path, pair in pairs:
            kept.append(pair)
            if not self.bindings.allow(kept):
                return Unlike(path, pair[0][1], pair[1][1])
        raise AssertionError("a conflict is between pairs")
