"""A recorded text with its placeholders against a text of this run: what each placeholder would stand for.

Two ways lead there. Where the rules of normalisation find the same in both, their findings are compared. What only the
recorded run could tell (an id that looks like a word) is read off the live text, between the recorded literals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stepfork.normalize.emails import find_emails
from stepfork.normalize.known import KINDS, Context, known_value
from stepfork.normalize.numbering import ValueNumbers
from stepfork.normalize.placeholders import BY_POSITION, BY_VALUE, PERSONAL, Placeholder, Typed
from stepfork.normalize.prefixes import Prefixes
from stepfork.normalize.times import USUAL, moments, same_form, time_shape
from stepfork.replay.identities import Identities, Pair

_WORD = re.compile(r"[A-Za-z0-9_.:~+/=-]+")
"""What ids, and values that nobody reads, are made of."""
_MOMENT = re.compile(r"[0-9A-Za-z:., +/-]{1,64}")
_NAME = re.compile(r"[^\s\"'<>{}]+")


def by_rules(recorded: Typed, live: Typed, values: ValueNumbers) -> list[Pair] | None:
    """What the placeholders of `recorded` stand for in `live`, which was normalised with `values`; None where the two
    do not say the same."""
    if len(recorded) != len(live):
        return None
    pairs: list[Pair] = []
    for old, new in zip(recorded, live, strict=True):
        if isinstance(old, str) or isinstance(new, str):
            if old != new:
                return None
            continue
        if old.kind != new.kind:
            return None
        if old.kind == BY_POSITION:
            if not same_form(old.shape or USUAL, new.shape or USUAL):
                return None
        elif old.kind in BY_VALUE:
            value = values.value(new.kind, new.number or 0)
            if value is None or (old.kind not in PERSONAL and old.shape != new.shape):
                return None
            pairs.append(((old.kind, str(old.plain)), (old.kind, value)))
    return pairs


class TextMatcher:
    """Reads live texts between recorded literals. `identities` says what is settled by now."""

    def __init__(self, context: Context, identities: Identities) -> None:
        self._context = context
        self._identities = identities
        self._prefixes = Prefixes(context.own.prefixes)

    def match(self, recorded: Typed, live: str) -> list[Pair] | None:
        """What the placeholders of `recorded` stand for in `live`, None where it cannot be."""
        pairs: list[Pair] = []
        here: dict[str, str] = {}
        at, before = 0, ""
        for index, piece in enumerate(recorded):
            if isinstance(piece, str):
                if not live.startswith(piece, at):
                    return None
                at, before = at + len(piece), piece
                continue
            following = recorded[index + 1] if index + 1 < len(recorded) else None
            prefix = self._prefixes.before(before, len(before)) if piece.kind == "id" else ""
            settled = here.get(str(piece.plain))
            ends = self._ends(piece, live, at) if settled is None else ()
            settled = settled or self._settled(piece)
            text = None if settled is None else settled.removeprefix(prefix)
            end = at + len(text) if text is not None and live.startswith(text, at) else None
            if end is None or not _goes_on(live, end, following):
                end = next((one for one in ends if _goes_on(live, one, following)), None)
            if end is None:
                return None
            if piece.kind in BY_VALUE:
                value = here[str(piece.plain)] = prefix + live[at:end]
                pairs.append(((piece.kind, str(piece.plain)), (piece.kind, value)))
            at, before = end, ""
        return pairs if at == len(live) else None

    def _settled(self, piece: Placeholder) -> str | None:
        if piece.kind in KINDS:
            return known_value(self._context, piece.kind)
        return self._identities.value((piece.kind, str(piece.plain)))

    def _ends(self, piece: Placeholder, live: str, at: int) -> Iterator[int]:
        """Where it could end, the longest first."""
        if piece.kind == "email" and piece.shape is None:
            yield from (found.end for found in find_emails(live) if found.start == at)
        elif piece.kind == BY_POSITION:
            yield from self._moments(piece.shape or USUAL, live, at)
        elif piece.kind not in PERSONAL:
            if piece.kind in KINDS and known_value(self._context, piece.kind) is not None:
                return
            found = (_NAME if piece.kind in KINDS or piece.kind == "email" else _WORD).match(live, at)
            if found:
                yield from range(found.end(), at, -1)

    @staticmethod
    def _moments(shape: str, live: str, at: int) -> Iterator[int]:
        for moment in moments(live):
            if moment.start == at and same_form(shape, moment.shape):
                yield moment.end
        found = _MOMENT.match(live, at)
        if found:
            for end in range(found.end(), at, -1):
                told = time_shape(live[at:end])
                if told not in (None, USUAL) and same_form(shape, told or ""):
                    yield end


def _goes_on(live: str, end: int, following: str | Placeholder | None) -> bool:
    """Whether what comes next in the recorded text can come at `end`."""
    if following is None:
        return end == len(live)
    return isinstance(following, Placeholder) or live.startswith(following, end)
