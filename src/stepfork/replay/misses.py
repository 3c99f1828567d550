"""The misses of a replay, each told once: what a client sends again because it was refused is no miss of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from stepfork.normalize.known import Context
from stepfork.normalize.request_key import RequestKey
from stepfork.normalize.times import is_clocks
from stepfork.providers.apis import MODEL_APIS
from stepfork.replay.identities import Name
from stepfork.replay.reading import Reading, Route
from stepfork.replay.recorded import Recorded
from stepfork.replay.report import Miss


class Asked(msgspec.Struct, frozen=True):
    """What a request asks for: equal for one that is sent again. Ids carry no identity, nor do clocks."""

    route: Route
    key: RequestKey
    addresses: tuple[Name, ...]
    times: tuple[str, ...]

    @property
    def all_but_parameters(self) -> Asked:
        """Equal for requests of one prompt and the same tools, whichever model and parameters they name."""
        return msgspec.structs.replace(self, key=RequestKey(None, "", self.key.prompt, self.key.tools))


class Misses:
    """Misses in order of arrival; `recorded` says which requests stand for which."""

    def __init__(self, recorded: Recorded, context: Context) -> None:
        self._recorded = recorded
        self._context = context
        self._told: dict[Asked, Miss] = {}
        self._first: dict[Asked, Asked] = {}
        self._alike: dict[Asked, list[Asked]] = {}

    def __iter__(self) -> Iterator[Miss]:
        return iter(sorted(self._told.values(), key=lambda miss: miss.call))

    def tell(self, live: Reading, diagnosed: Callable[[], Miss], *, repairs: bool) -> Miss:
        """The miss that a request is, or that it was when it was refused before: then that, counted once more.

        With `repairs` a request that was refused and comes with another model or other parameters is still that
        request: clients that take a refusal for a fault of their own leave parameters out, or ask another model. It
        is one of its own where the recording has one for each of the two.
        """
        asked = self._asked(live)
        first = self._first.get(asked, asked)
        before = self._told.get(first)
        if before is None:
            miss = diagnosed()
            first = self._repaired(asked, miss) if repairs and _is_prompt(live) else asked
            self._first[asked] = first
            before = self._told.get(first)
            if before is None:
                self._told[first] = miss
                self._alike.setdefault(first.all_but_parameters, []).append(first)
                return miss
        count = before.asked and before.asked + (first == asked)
        again = self._told[first] = msgspec.structs.replace(before, times=before.times + 1, asked=count)
        return again

    def _asked(self, live: Reading) -> Asked:
        here = self._context
        data = tuple(time for time in live.times if not is_clocks(time, here.started_ns, here.ended_ns))
        return Asked(live.route, live.key, live.addresses, data)

    def _repaired(self, asked: Asked, miss: Miss) -> Asked:
        """The request that was refused before, of which this one is a repair; itself where there is none."""
        if miss.kind in ("exhausted", "roles"):  # recorded as it is
            return asked
        alike = self._alike.get(asked.all_but_parameters, ())
        return next((one for one in alike if self._stands_for(self._told[one]) == self._stands_for(miss)), asked)

    def _stands_for(self, miss: Miss) -> RequestKey | None:
        return None if miss.nearest is None else self._recorded.readings[miss.nearest].key


def _is_prompt(live: Reading) -> bool:
    """Whether a request has messages by which it can be known; of other APIs all that it says is a parameter."""
    return live.route[1] in MODEL_APIS and bool(live.form.messages)
