"""A JSON value rewritten: every string, number and member name, at every depth. Standard library only."""

from __future__ import annotations

from stepfork.rewrite.place import Place, Rewriter, apply_edits
from stepfork.rewrite.text import rewrite_text

TYPE_CHECKING = False
if TYPE_CHECKING:
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
        return rewrite_text(value, place, rewriter)
    if isinstance(value, dict):
        return _object(value, place, rewriter)
    if isinstance(value, list):
        items = [_rewritten(item, place.child(index), rewriter) for index, item in enumerate(value)]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return rewriter.number(value, place)
    return value


def _object(value: dict[str, Any], place: Place, rewriter: Rewriter) -> dict[str, Any]:
    made = dict(value)
    names: dict[str, str] = {}
    changed = False
    for name in sorted(value):
        new = _rewritten(value[name], place.child(name), rewriter)
        changed = changed or new is not value[name]
        made[name] = new
        renamed = apply_edits(name, rewriter.key(name, place))
        if renamed != name:
            names[name] = renamed
    if names:
        return _rename(made, names)
    return made if changed else value


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
