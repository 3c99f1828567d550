"""Which rule of a project's own would make two values one placeholder: told by their field and their look."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from stepfork.diff.leaves import Leaf
from stepfork.normalize.durations import without_length
from stepfork.normalize.times import USUAL, time_shape, whole_moment

Rule = tuple[str, str]
"""A key of ``[normalize]`` and an entry of its list."""

_NAME = re.compile(r"/((?:[^/~]|~[01])*[^/0-9](?:[^/~]|~[01])*)((?:/[0-9]+)*)\Z")
_OF_IDS = re.compile(r"(?:id|ref|reference|key|token|code|number|no|nr|uuid|guid|nonce|handle|ticket|cursor)s?\Z")
_OF_DURATIONS = re.compile(
    r"(?:ms|millis|seconds|secs|duration|elapsed|took|latency|runtime|time_?taken|[a-z]_s)\Z", re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_ALPHABETS = ("[0-9]", "[0-9a-f]", "[0-9A-F]", "[0-9a-z]", "[0-9A-Z]", "[0-9A-Za-z]")
_EPOCHS = ((1.0e9, 2.2e9), (1.0e12, 2.2e12), (1.0e15, 2.2e15), (1.0e18, 2.2e18))


def rule_for(leaf: Leaf) -> Rule | None:
    """The rule that would make both values of a place one; None where what differs does not look generated."""
    name = _name_of(leaf.pointer)
    if name and (kind := _kind(name, leaf.old, leaf.new)):
        return kind, name
    if isinstance(leaf.old, str) and isinstance(leaf.new, str):
        pattern = pattern_for(leaf.old, leaf.new)
        return ("id_patterns", pattern) if pattern else None
    return None


def rules_for(leaves: Iterable[Leaf]) -> dict[str, tuple[str, ...]]:
    """The rules that would make the values of all places one; none where one of them has none. An id that a field tells
    is one in every other text."""
    found: dict[str, dict[str, None]] = {}
    told: dict[str, str] = {}
    others: list[Leaf] = []
    for leaf in leaves:
        name = _name_of(leaf.pointer)
        kind = _kind(name, leaf.old, leaf.new) if name else ""
        if kind:
            found.setdefault(kind, {})[name] = None
            told |= {str(leaf.old): "", str(leaf.new): ""} if kind == "id_fields" else {}
        else:
            others.append(leaf)
    for leaf in others:
        if not (isinstance(leaf.old, str) and isinstance(leaf.new, str)):
            return {}
        old, new = (_WORD.sub(lambda word: told.get(word[0], word[0]), text) for text in (leaf.old, leaf.new))
        pattern = pattern_for(old, new)
        if pattern:
            found.setdefault("id_patterns", {})[pattern] = None
        elif old != new:
            return {}
    return {key: tuple(entries) for key, entries in found.items()}


def pattern_for(old: str, new: str) -> str:
    """A pattern of the words in which two texts differ; empty where they differ in more than one kind of word, or where
    the pattern would find any word of that length."""
    pairs = [pair for pair in zip(_WORD.findall(old), _WORD.findall(new), strict=False) if pair[0] != pair[1]]
    if not pairs or _WORD.sub("", old) != _WORD.sub("", new):
        return ""
    patterns = {_pattern(*pair) for pair in pairs}
    return patterns.pop() if len(patterns) == 1 else ""


def _pattern(old: str, new: str) -> str:
    """``ORD-[0-9a-f]{12}`` of two words that begin alike."""
    if len(old) != len(new):
        return ""
    alike = next(index for index in range(len(old)) if old[index] != new[index])
    head = re.match(r"(?:.*[-_])?", old[:alike])
    at = head.end() if head else 0
    rest = old[at:], new[at:]
    form = next((form for form in _ALPHABETS if all(re.fullmatch(f"{form}+", text) for text in rest)), None)
    if form is None or at < 2 or len(rest[0]) < (8 if form == "[0-9]" else 6) or not _is_new(*rest):
        return ""
    return f"{re.escape(old[:at])}{form}{{{len(rest[0])}}}".replace("\\-", "-")


def _is_new(old: str, new: str) -> bool:
    """Whether an id was drawn anew, rather than counted on or asked for by somebody: most of it is another."""
    head = re.match(r"[A-Za-z]*[-_]?", old)
    at = head.end() if head and new.startswith(head[0]) else 0
    differ = sum(one != other for one, other in zip(old[at:], new[at:], strict=False))
    return 2 * differ >= min(len(old), len(new)) - at > 3


def _name_of(pointer: str) -> str:
    """The nearest member's name above a place."""
    found = _NAME.search(pointer)
    return found[1].replace("~1", "/").replace("~0", "~") if found else ""


def _kind(name: str, old: Any, new: Any) -> str:
    values = old, new
    if all(isinstance(value, str) for value in values):
        return _kind_of_texts(name, old, new)
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
        return ""
    if any(all(low < value < high for value in values) for low, high in _EPOCHS):
        return "time_fields"
    if _OF_DURATIONS.search(name):
        return "duration_fields"
    is_id = all(isinstance(value, int) for value in values) and _OF_IDS.search(name.lower())
    return "id_fields" if is_id and _is_new(str(old), str(new)) else ""


def _kind_of_texts(name: str, old: str, new: str) -> str:
    shapes = {_shape(old), _shape(new)}
    if len(shapes) == 1 and None not in shapes:
        return "time_fields"
    if _OF_DURATIONS.search(name) and all(without_length(text) for text in (old, new)):
        return "duration_fields"
    if any(" " in text or not 4 <= len(text) <= 100 for text in (old, new)):
        return ""
    generated = all(re.search("[0-9]", text) for text in (old, new))
    return "id_fields" if generated and _OF_IDS.search(name.lower()) and _is_new(old, new) else ""


def _shape(text: str) -> str | None:
    """The shape of a text that is a time by its own look."""
    found = whole_moment(text)
    alone = time_shape(text) if found is None else None
    return found if found is not None else None if alone == USUAL else alone
