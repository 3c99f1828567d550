"""Values of this run that only the recording calls an id.

What a run's conversation is called is known when its spans are in, and an id may stand in a text before it stands in a
field. The recording was read as a whole; a live request is read as it comes. So where no recorded request is equal,
those that differ only in such words are looked for, and the words are told.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from stepfork.normalize.placeholders import LOOK_ALIKE, as_placeholder
from stepfork.normalize.told import is_distinctive
from stepfork.providers.normal_form import NormalRequest
from stepfork.replay.identities import STRICT
from stepfork.replay.reading import Words


def words_for(recorded: NormalRequest, live: NormalRequest) -> Words | None:
    """The words that `live` has where `recorded` has placeholders; None where the two differ in anything else."""
    if (recorded.model, len(recorded.messages), recorded.tools.keys()) != (
        live.model,
        len(live.messages),
        live.tools.keys(),
    ):
        return None
    found: Words = {}
    return found if _same(msgspec.to_builtins(recorded), msgspec.to_builtins(live), found) and found else None


def words_in(recorded: NormalRequest, live: NormalRequest) -> Words:
    """The same as far as the two go together: for a request that differs in something else as well."""
    found: Words = {}
    for old, new in _beside(msgspec.to_builtins(recorded), msgspec.to_builtins(live)):
        words = dict(found)
        if _same_text(old, new, words):
            found = words
    return found


def _beside(recorded: Any, live: Any) -> Iterator[tuple[str, str]]:
    """The texts that stand at one place of both."""
    if isinstance(recorded, str) and isinstance(live, str):
        yield recorded, live
    elif isinstance(recorded, dict) and isinstance(live, dict):
        for name, value in recorded.items():
            if name in live:
                yield from _beside(value, live[name])
    elif isinstance(recorded, list | tuple) and isinstance(live, list | tuple):
        for old, new in zip(recorded, live, strict=False):
            yield from _beside(old, new)


def _same(recorded: Any, live: Any, found: Words) -> bool:
    if isinstance(recorded, str) and isinstance(live, str):
        return _same_text(recorded, live, found)
    if isinstance(recorded, dict) and isinstance(live, dict):
        return recorded.keys() == live.keys() and all(_same(recorded[name], live[name], found) for name in recorded)
    if isinstance(recorded, list | tuple) and isinstance(live, list | tuple):
        return len(recorded) == len(live) and all(
            _same(old, new, found) for old, new in zip(recorded, live, strict=True)
        )
    return type(recorded) is type(live) and bool(recorded == live)


def _same_text(recorded: str, live: str, found: Words) -> bool:
    if "{{" not in recorded:
        return recorded == live
    pieces = [(match, as_placeholder(match)) for match in LOOK_ALIKE.finditer(recorded)]
    numbered = [(match, placeholder.kind) for match, placeholder in pieces if placeholder and placeholder.number]
    at = cursor = 0
    for index, (match, kind) in enumerate(numbered):
        literal = recorded[cursor : match.start()]
        if not live.startswith(literal, at):
            return False
        at += len(literal)
        cursor = match.end()
        following = (
            recorded[cursor : numbered[index + 1][0].start()] if index + 1 < len(numbered) else recorded[cursor:]
        )
        end = _end(live, at, kind, following, found)
        if end is None:
            return False
        at = end
    return live[at:] == recorded[cursor:]


def _end(live: str, at: int, kind: str, following: str, found: Words) -> int | None:
    """Where what stands for a placeholder ends; None where nothing does that may."""
    match = LOOK_ALIKE.match(live, at)
    placeholder = as_placeholder(match) if match else None
    if match and placeholder and placeholder.kind == kind:
        return match.end()
    end = live.find(following, at) if following else len(live)
    word = live[at:end]
    if end < 0 or kind in STRICT or not is_distinctive(word) or found.setdefault(word, kind) != kind:
        return None
    return end
