"""The exchanges of a run as a comparison sees them: normal form, answer, and what each adds to its conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import msgspec

from stepfork.diff.alignment import Item, Op, align
from stepfork.diff.keys import canonical_text, digest
from stepfork.diff.renaming import map_texts
from stepfork.diff.units import Unit, calls_json, units_of
from stepfork.providers.answer import Answer, answer_of
from stepfork.providers.apis import label
from stepfork.providers.normal import NormalRequest, normal_request
from stepfork.trace.body import JsonValue
from stepfork.trace.exchange import Exchange
from stepfork.trace.wire import body_to_json

MOVE_LEVELS = 3
"""An exchange that stands elsewhere is the same one by its whole content, its request, or its conversation."""


class View(msgspec.Struct, frozen=True, dict=True):
    """One exchange. ``answered`` is what is compared of the answer: not its token counts, not the snapshot's name;
    of an API that is not known the response body."""

    label: str
    kind: tuple[str, str]
    request: NormalRequest
    answer: Answer
    answered: dict[str, JsonValue]

    @cached_property
    def units(self) -> list[Unit]:
        """The conversation of the request."""
        return units_of(self.request)

    @cached_property
    def request_text(self) -> str:
        """Canonical JSON of the normal form; two requests are equal where these are."""
        return canonical_text(self.request)

    @cached_property
    def head_text(self) -> str:
        """The same of all but the messages."""
        return canonical_text(msgspec.structs.replace(self.request, messages=()))

    @cached_property
    def answer_text(self) -> str:
        """Canonical JSON of what is compared of the answer."""
        return canonical_text(self.answered)

    def mapped(self, change: Callable[[str], str]) -> View:
        """This view with all of its texts changed."""
        request, answered = map_texts(self.request, change), map_texts(self.answered, change)
        return msgspec.structs.replace(self, request=request, answered=answered)


def view_of(exchange: Exchange) -> View:
    """The view of one exchange."""
    answer = answer_of(exchange)
    answered: dict[str, JsonValue] = {
        "text": answer.text,
        "tool_calls": calls_json(answer.tool_calls),
        "finish_reasons": list(answer.finish_reasons),
        "outcome": answer.outcome,
        "error": None if answer.error is None else msgspec.to_builtins(answer.error),
        "reasoning": answer.reasoning,
    }
    if exchange.api == "other":
        answered["body"] = body_to_json(exchange.response.body)
    return View(label(exchange), (exchange.provider, exchange.api), normal_request(exchange), answer, answered)


class Side:
    """All exchanges of one side, each with what it continues.

    ``bases[i]`` is the exchange whose messages are the longest start of exchange i's, None where there is none, and
    ``owns[i]`` the number of units that i has from it: what follows is its own.
    """

    def __init__(self, views: Sequence[View], mask: Callable[[str], str] | None = None) -> None:
        self.views = views
        self.keys = [[_key(unit, mask) for unit in view.units] for view in views]
        self.bases: list[int | None] = []
        self.owns: list[int] = []
        seen: dict[bytes, int] = {}
        for index, keys in enumerate(self.keys):
            chain = b""
            base, own = None, 0
            for at, key in enumerate(keys):
                if chain in seen:
                    base, own = seen[chain], at
                chain = digest(chain, key)
            self.bases.append(base)
            self.owns.append(own)
            if keys:
                seen[chain] = index
        self._mask = mask

    def home(self, index: int, at: int) -> int:
        """The exchange that brought unit `at` of exchange `index` into the conversation."""
        while at < self.owns[index] and (base := self.bases[index]) is not None:
            index = base
        return index

    def own_units(self, index: int) -> list[Unit]:
        """What an exchange appended to the conversation that it continues."""
        return self.views[index].units[self.owns[index] :]

    def items(self) -> list[Item]:
        """For alignment, from strict to loose: request and answer; request; conversation; what was appended, with
        and without the answer."""
        return [self._item(index) for index in range(len(self.views))]

    def _item(self, index: int) -> Item:
        view, mask = self.views[index], self._mask or str
        request, answer = digest(mask(view.request_text)), digest(mask(view.answer_text))
        own = digest(*self.keys[index][self.owns[index] :])
        levels = (digest(request, answer), request, digest(*self.keys[index]), digest(own, answer), own)
        text = "\n".join(unit.canonical for unit in self.own_units(index))
        return Item(tuple((view.kind, level) for level in levels), view.kind, text)


def align_sides(old: Side, new: Side) -> list[Op]:
    """The exchanges of both sides, paired."""
    return align(old.items(), new.items(), move_levels=MOVE_LEVELS)


def _key(unit: Unit, mask: Callable[[str], str] | None) -> bytes:
    return unit.key if mask is None else digest(mask(unit.canonical))
