"""The exchanges of a run as a comparison sees them: normal form, answer, and what each adds to its conversation."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property

import msgspec

from stepfork.diff.alignment import LOOKED_AT, Item, Op, align
from stepfork.diff.keys import canonical_text
from stepfork.diff.renaming import map_texts, masked
from stepfork.diff.units import Forms, RequestForm, Unit, calls_json
from stepfork.normalize.claude_code import is_claude_codes
from stepfork.normalize.request_key import keyed_form
from stepfork.providers.answer import UNREADABLE, answer_of
from stepfork.providers.apis import MODEL_APIS, label
from stepfork.providers.calls import Answer
from stepfork.providers.normal import normal_request
from stepfork.providers.normal_form import NormalRequest
from stepfork.trace.body import JsonValue
from stepfork.trace.exchange import Exchange
from stepfork.trace.wire import body_to_json

MOVE_LEVELS = 6
"""An exchange that stands elsewhere is the same one by any of its keys: stored order is that of content where calls
overlapped, so an edit of one may reorder all."""
LIKENESS = 0.3
"""Of the prompt with its tools and of what was appended, on average: two calls that share less are two calls."""


class View(msgspec.Struct, frozen=True, dict=True):
    """One exchange; ``kind`` is its provider and API.

    ``answered`` is what is compared of the answer: not its token counts, not the snapshot's name; of an API that is
    not known, and of an answer that cannot be read, the response body.
    """

    label: str
    kind: tuple[str, str]
    form: RequestForm
    answer: Answer
    answered: dict[str, JsonValue]
    status: int = 200

    @cached_property
    def answer_text(self) -> str:
        """Canonical JSON of what is compared of the answer."""
        return canonical_text(self.answered)

    def mapped(self, change: Callable[[str], str], units: dict[int, Unit]) -> View:
        """This view with all of its texts changed; `units` remembers what became of which unit."""
        form = RequestForm(
            map_texts(self.form.head, change),
            tuple(units.get(id(unit)) or units.setdefault(id(unit), unit.mapped(change)) for unit in self.form.units),
        )
        return msgspec.structs.replace(self, form=form, answered=map_texts(self.answered, change))


def views_of(exchanges: Sequence[Exchange]) -> list[View]:
    """The views of all exchanges of a run."""
    forms = Forms()
    return [_view(exchange, forms) for exchange in exchanges]


def _view(exchange: Exchange, forms: Forms) -> View:
    answer = answer_of(exchange)
    answered: dict[str, JsonValue] = {
        "text": answer.text,
        "tool_calls": calls_json(answer.tool_calls),
        "finish_reasons": list(answer.finish_reasons),
        "outcome": answer.outcome,
        "error": None if answer.error is None else msgspec.to_builtins(answer.error),
        "reasoning": answer.reasoning,
    }
    if exchange.api not in MODEL_APIS or (answer.error is not None and answer.error.type == UNREADABLE):
        answered["body"] = body_to_json(exchange.response.body)
    form = forms.of(_compared(exchange))
    return View(label(exchange), (exchange.provider, exchange.api), form, answer, answered, exchange.response.status)


def _compared(exchange: Exchange) -> NormalRequest:
    """What is compared of a request: all of it, and of Claude Code's what counts in its key, since nobody wrote the
    rest: it is of the machine, the day and the session."""
    return keyed_form(exchange) if is_claude_codes(exchange) else normal_request(exchange)


def says_otherwise(old: Sequence[Exchange], new: Sequence[Exchange]) -> bool:
    """Whether the requests of two runs that do not differ in what is compared differ in what Claude Code adds."""
    both = [[canonical_text(normal_request(one)) for one in side if is_claude_codes(one)] for side in (old, new)]
    return sorted(map(masked, both[0])) != sorted(map(masked, both[1]))


class Conversations:
    """All starts of conversations that were seen, each with a number: equal starts have equal numbers."""

    def __init__(self) -> None:
        self._after: dict[tuple[int, int, Hashable], int] = {}

    def numbers(self, keys: Sequence[Hashable], places: Sequence[int]) -> list[int]:
        """The number of each start, from the first unit alone to all of them."""
        made = []
        number = 0
        for key, place in zip(keys, places, strict=True):
            number = self._after.setdefault((number, place, key), len(self._after) + 1)
            made.append(number)
        return made


class Side:
    """All exchanges of one side, each with what it continues.

    ``bases[i]`` is the exchange whose messages are the longest start of exchange i's, None where there is none, and
    ``owns[i]`` the number of units that i has from it: what follows is its own. ``roots[i]`` began the conversation.
    With `mask` the numbers of placeholders do not count.
    """

    def __init__(self, views: Sequence[View], conversations: Conversations, *, mask: bool = False) -> None:
        self.views = views
        self._mask = masked if mask else str
        self.keys = [[unit.masked if mask else unit.key for unit in view.form.units] for view in views]
        self.bases: list[int | None] = []
        self.owns: list[int] = []
        self.roots: list[int] = []
        self._whole: list[int] = []
        self._jumps: list[int] = []
        self._depths: list[int] = []
        seen: dict[int, int] = {}
        for index, (view, keys) in enumerate(zip(views, self.keys, strict=True)):
            numbers = conversations.numbers(keys, view.form.places)
            own = next((at for at in range(len(numbers) - 1, 0, -1) if numbers[at - 1] in seen), 0)
            self.owns.append(own)
            base = seen[numbers[own - 1]] if own else None
            self.bases.append(base)
            self.roots.append(index if base is None else self.roots[base])
            self._jumps.append(index if base is None else self._jump(base))
            self._depths.append(0 if base is None else self._depths[base] + 1)
            self._whole.append(numbers[-1] if numbers else 0)
            seen[self._whole[-1]] = index

    def home(self, index: int, at: int) -> int:
        """The exchange that brought unit `at` of exchange `index` into the conversation."""
        while at < self.owns[index] and (base := self.bases[index]) is not None:
            # What an exchange continues has no more units from elsewhere than it has itself.
            further = self._jumps[index]
            index = further if at < self.owns[further] else base
        return index

    def _jump(self, base: int) -> int:
        """Far back from what continues `base`, so that a few steps lead to any start of a conversation: two stretches
        of one length become one (skew-binary ancestors)."""
        first = self._jumps[base]
        second = self._jumps[first]
        depths = self._depths
        return second if depths[base] - depths[first] == depths[first] - depths[second] else base

    def own_units(self, index: int) -> Sequence[Unit]:
        """What an exchange appended to the conversation that it continues."""
        return self.views[index].form.units[self.owns[index] :]

    def same_request(self, index: int, other: int) -> bool:
        """Whether two exchanges of this side asked the same."""
        one, two = self.views[index], self.views[other]
        return (
            self._whole[index] == self._whole[other]
            and one.kind == two.kind
            and one.form.head_text == two.form.head_text
        )

    def items(self) -> list[Item]:
        """For alignment, from strict to loose: request, conversation, what was appended, each with the answer and then
        without it."""
        return [self._item(index) for index in range(len(self.views))]

    def _item(self, index: int) -> Item:
        view = self.views[index]
        head, answer = self._mask(view.form.head_text), self._mask(view.answer_text)
        request = head, self._whole[index]
        # Of a call that is no conversation the request is all that tells which one it is.
        own: Hashable = tuple(self.keys[index][self.owns[index] :]) if view.form.units else request
        whole: Hashable = self._whole[index] if view.form.units else request
        keys = ((view.kind, request, answer), (view.kind, request), (whole, answer), whole, (own, answer), own)
        return Item(keys, view.kind[1] not in MODEL_APIS, (view.form.head_text, self._own_text(index)))

    def _own_text(self, index: int) -> str:
        """As much of what an exchange appended as similarity looks at."""
        texts: list[str] = []
        size = 0
        for unit in self.own_units(index):
            if size > LOOKED_AT:
                break
            texts += unit.key
            size += len(unit.text)
        return "\n".join(texts)


def align_sides(old: Side, new: Side) -> list[Op]:
    """The exchanges of both sides, paired."""
    return align(
        old.items(),
        new.items(),
        move_levels=MOVE_LEVELS,
        least=LIKENESS,
        roots=lambda a, b: (old.roots[a], new.roots[b]),
    )
