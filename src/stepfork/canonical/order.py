"""The recorded order of members, beside a value whose keys are sorted.

One word for each object with two or more members, in canonical order (parents first, members sorted, items in
place): ``.`` where the members stood sorted, else the rank of each member in sorted order, in the order recorded: a
base-36 digit each up to 36 members, else decimal numbers joined by ``-``. ``word*N`` is N equal words; ``.`` words at
the end are left out, and a value whose members all stood sorted has no order at all (None).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from stepfork.errors import CanonicalError

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def order_of(value: Any) -> str | None:
    """The order string of a value as parsed (dicts in recorded order)."""
    words = list(_words(value))
    while words and words[-1] == ".":
        words.pop()
    if not words:
        return None
    runs = ((word, sum(1 for _ in same)) for word, same in groupby(words))
    return " ".join(word if count == 1 else f"{word}*{count}" for word, count in runs)


def with_order(value: Any, order: str | None) -> Any:
    """A copy of `value` whose dicts are in the recorded order. Raises CanonicalError where `order` does not fit."""
    words = _unpack(order or "")
    made = _rebuild(value, words)
    if next(words, None) is not None:
        raise CanonicalError("the recorded order of members does not fit the value")
    return made


def _words(value: Any) -> Iterator[str]:
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            names = sorted(node)
            if len(names) > 1:
                yield _word(list(node), names)
            stack.extend(node[name] for name in reversed(names))
        elif isinstance(node, list):
            stack.extend(reversed(node))


def _word(recorded: list[str], names: list[str]) -> str:
    if recorded == names:
        return "."
    rank = {name: index for index, name in enumerate(names)}
    ranks = [rank[name] for name in recorded]
    return "".join(_DIGITS[r] for r in ranks) if len(ranks) <= len(_DIGITS) else "-".join(map(str, ranks))


def _unpack(order: str) -> Iterator[str]:
    for item in order.split():
        word, star, count = item.partition("*")
        if star and not (count.isascii() and count.isdigit() and len(count) < 10):
            raise CanonicalError("the recorded order of members cannot be read")
        for _ in range(int(count or 1)):
            yield word


def _rebuild(value: Any, words: Iterator[str]) -> Any:
    if isinstance(value, list):
        return [_rebuild(item, words) for item in value]
    if not isinstance(value, dict):
        return value
    names = sorted(value)
    word = next(words, ".") if len(names) > 1 else "."
    built: dict[str, Any] = dict.fromkeys(_recorded(word, names))
    for name in names:
        built[name] = _rebuild(value[name], words)
    return built


def _recorded(word: str, names: list[str]) -> list[str]:
    if word == ".":
        return names
    try:
        short = len(names) <= len(_DIGITS)
        ranks = [_DIGITS.index(digit) for digit in word] if short else [int(part) for part in word.split("-")]
        recorded = [names[rank] for rank in ranks]
    except (ValueError, IndexError):
        recorded = []
    if len(recorded) != len(names) or set(recorded) != set(names):
        raise CanonicalError("the recorded order of members does not fit the value")
    return recorded
