"""A JSON value rewritten: every string, number and member name, at every depth. Standard library only."""

from __future__ import annotations

from stepfork.providers.logprobs import HOLDERS
from stepfork.rewrite.place import Edit, Place, Rewriter, apply_edits
from stepfork.rewrite.text import ROW_MEMBERS, find_edits, rewrite_text
from stepfork.rewrite.tokens import changed_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


def rewrite_value(value: Any, place: Place, rewriter: Rewriter) -> Any:
    """`value` as `rewriter` wants it; the same object where nothing changed.

    Members are visited in sorted order (the stored order) and stay in the order they had.
    """
    if isinstance(value, dict | list):
        rewriter.document(value, place)
    return _rewritten(value, place, rewriter)


def _rewritten(value: Any, place: Place, rewriter: Rewriter) -> Any:
    if isinstance(value, str):
        number = rewriter.unquoted(value, place)
        return rewrite_text(value, place, rewriter) if number is None else number
    if isinstance(value, dict):
        return _object(value, place, rewriter)
    if isinstance(value, list):
        given = value
        if rewriter.reads_across and len(value) > 1:
            value = _across(value, place, rewriter)
        items = [_rewritten(item, place.child(index), rewriter) for index, item in enumerate(value)]
        return items if any(new is not old for new, old in zip(items, given, strict=True)) else given
    if isinstance(value, int | float) and not isinstance(value, bool):
        return rewriter.number(value, place)
    return value


def _across(items: list[Any], place: Place, rewriter: Rewriter) -> list[Any]:
    """A list whose texts, read as one, are as `rewriter` wants them; the same object where nothing changed."""
    made = items
    for name in ("", *ROW_MEMBERS):
        row = [index for index, item in enumerate(items) if isinstance(_held(item, name), str)]
        if len(row) > 1:
            found = rewriter.across([_held(items[index], name) for index in row], _places(place, row, name))
            for index, edits in zip(row, found, strict=False):
                if edits:
                    new = apply_edits(_held(items[index], name), edits)
                    made = made.copy() if made is items else made
                    made[index] = {**made[index], name: new} if name else new
    return made


def _held(item: Any, name: str) -> Any:
    """An item itself, or what it holds under a name."""
    if not name:
        return item
    return item.get(name) if isinstance(item, dict) else None


def _places(place: Place, row: list[int], name: str) -> Callable[[int], Place]:
    return lambda number: place.child(row[number], name) if name else place.child(row[number])


def _object(value: dict[str, Any], place: Place, rewriter: Rewriter) -> dict[str, Any]:
    made = dict(value)
    names: dict[str, str] = {}
    changed = False
    for name in sorted(value):
        item, below = value[name], place.child(name)
        if name in HOLDERS and rewriter.reads_across:
            item, read = changed_value(item, below, lambda text, at: find_edits(text, at, rewriter))
            new = _rewritten(item, below, _Aside(rewriter, {below.path + path for path in read}))
        else:
            new = _rewritten(item, below, rewriter)
        changed = changed or new is not value[name]
        made[name] = new
        renamed = apply_edits(name, rewriter.key(name, place))
        if renamed != name:
            names[name] = renamed
    if names:
        return _rename(made, names)
    return made if changed else value


class _Aside(Rewriter):
    """Another rewriter, which is not asked again for texts that were read as one with others."""

    def __init__(self, rewriter: Rewriter, read: set[tuple[str | int, ...]]) -> None:
        self.reads_across = rewriter.reads_across
        self.document = rewriter.document  # type: ignore[method-assign]
        self.key = rewriter.key  # type: ignore[method-assign]
        self.number = rewriter.number  # type: ignore[method-assign]
        self.across = rewriter.across  # type: ignore[method-assign]
        self._rewriter = rewriter
        self._read = read

    def text(self, text: str, place: Place) -> Sequence[Edit]:
        """Edits of a text."""
        return () if place.path in self._read else self._rewriter.text(text, place)

    def unquoted(self, text: str, place: Place) -> int | None:
        """The number that stands instead of a text in JSON."""
        return None if place.path in self._read else self._rewriter.unquoted(text, place)


def _rename(value: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """Two names that become one stay two: the later ones, in sorted order of the old names, get a number."""
    taken = set(value) - set(names)
    final: dict[str, str] = {}
    for old in sorted(names):
        new, count = names[old], 1
        while new in taken:
            count += 1
            new = f"{names[old]}#{count}"
        taken.add(new)
        final[old] = new
    return {final.get(name, name): item for name, item in value.items()}
