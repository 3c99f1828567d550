"""Why a request is a miss: what changed first, against the recorded exchange that differs least."""

from __future__ import annotations

from collections.abc import Sequence

from stepfork.config.normalize import field_lines
from stepfork.diff.request_diff import diff_forms
from stepfork.diff.units import Forms, RequestForm
from stepfork.diff.values import MessageChange, RequestDiff
from stepfork.normalize.known import Context
from stepfork.normalize.normalize import normalize_again
from stepfork.normalize.request_key import KeyRules
from stepfork.providers.apis import label
from stepfork.replay.discovery import words_in
from stepfork.replay.forms import Numbering
from stepfork.replay.identities import Identities
from stepfork.replay.nearest import Outline, nearest
from stepfork.replay.noise import absorbing, config_lines, own_rules
from stepfork.replay.reading import Reader, Reading
from stepfork.replay.recorded import Recorded, same_times
from stepfork.replay.report import Component, Miss
from stepfork.trace.exchange import Exchange


class Diagnosis:
    """Explains misses; nothing is done before the first."""

    def __init__(
        self, recorded: Recorded, live: Reader, identities: Identities, context: Context, rules: KeyRules
    ) -> None:
        self._recorded = recorded
        self._live = live
        self._identities = identities
        self._rules = rules
        self._own = context.own
        self._numbering = Numbering(recorded.reader.meaning, live.meaning, identities, context)
        self._forms = Forms()
        self._live_forms = Forms()
        self._outlines: list[Outline] = []

    def exhausted(self, live: Reading, alike: Sequence[int], call: int) -> Miss:
        """A request that was recorded, but not as often."""
        count = len(alike)
        return Miss(call, "exhausted", "count", _label(live), alike[-1], recorded=count, asked=count + 1)

    def roles(self, live: Reading, alike: Sequence[int], call: int) -> Miss:
        """A request that was recorded with its addresses in other roles."""
        free = [index for index in alike if not self._recorded.used[index]] or alike
        difference = self._difference(free[0], live)[0]
        return Miss(call, "roles", "roles", _label(live), free[0], difference)

    def changed(self, live: Reading, exchange: Exchange, call: int) -> Miss:
        """A request that was not recorded, as it came in and as it was read."""
        candidates = [
            (index, outline)
            for index, outline in enumerate(self._all_outlines())
            if self._recorded.readings[index].route == live.route
        ]
        if not candidates:
            return Miss(call, "unrecorded", "exchange", _label(live))
        outline = Outline(self._live_forms.of(live.form))
        index = nearest(candidates, outline, self._recorded.used, self._expected())
        words = words_in(self._recorded.readings[index].form, live.form)
        live = self._live.told(words, exchange) if words else live
        difference, old, new = self._difference(index, live)
        self._live.retract(words)
        noise = self._made_up(index, live, exchange)
        if not noise:
            noise = self._noise(index, live, absorbing(difference, old, new, self._rules))
        return Miss(call, "changed", first_component(difference), _label(live), index, difference, noise=noise)

    def _all_outlines(self) -> list[Outline]:
        if not self._outlines:
            self._outlines = [Outline(self._forms.of(reading.form)) for reading in self._recorded.readings]
        return self._outlines

    def _expected(self) -> int:
        """The exchange whose turn it would be: the first unused one behind the last that answered."""
        used = self._recorded.used
        last = max((index for index, is_used in enumerate(used) if is_used), default=-1)
        return next((index for index in range(last + 1, len(used)) if not used[index]), last + 1)

    def _difference(self, index: int, live: Reading) -> tuple[RequestDiff, RequestForm, RequestForm]:
        old, new = self._forms.of(self._recorded.readings[index].form), self._live_forms.of(live.form)
        old, new = self._numbering.alike(old, new)
        return diff_forms(old, new), old, new

    def _made_up(self, index: int, live: Reading, exchange: Exchange) -> tuple[str, ...]:
        """The lines that say which rules of the project's own make the live request the recorded one, since all that
        differs looks made up."""
        wanted = own_rules(self._recorded.readings[index].form, live.form)
        if not wanted:
            return ()
        own = self._own.adding(wanted)
        recorded = normalize_again([self._recorded.exchanges[index]], own)
        before = self._recorded.reader.under(own).read(recorded[0])
        after = self._live.under(own).read(exchange)
        return tuple(field_lines(wanted)) if before.key == after.key and same_times(before, after) else ()

    def _noise(self, index: int, live: Reading, rules: KeyRules | None) -> tuple[str, ...]:
        """The lines that say `rules`, where these make the live request the recorded one."""
        if rules is None:
            return ()
        before = self._recorded.reader.with_rules(self._recorded.readings[index], rules)
        after = self._live.with_rules(live, rules)
        return config_lines(rules, self._rules) if before.key == after.key and same_times(before, after) else ()


def first_component(difference: RequestDiff) -> Component:
    """Of what differs the first, in the order in which a request is read."""
    if difference.model is not None:
        return "model"
    if difference.params:
        return "params"
    if difference.system:
        return "system"
    if difference.tools:
        return "tools"
    places: list[tuple[int, Component]] = [(_place(change), "messages") for change in difference.messages]
    places += [(_place(change), "tool_results") for change in difference.tool_results]
    return min(places)[1] if places else "other"


def _place(change: MessageChange) -> int:
    old, new = change.at
    return new if new is not None else old if old is not None else change.index


def _label(live: Reading) -> str:
    return label(live.templated)
