"""Fixtures that have another name on the new side: a manifest that went and one that came whose runs are alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stepfork.canonical.parse import parse
from stepfork.errors import CanonicalError, GitError, StoreError
from stepfork.providers.shapes import dict_of, list_of
from stepfork.workflows.diff_sides import Side

ALIKE = 0.5
"""How much of two manifests must be the same, as git has it for files."""
COMPARED = 40_000
"""Pairs that are compared by likeness at most; with more, only equal runs are paired."""


def renames(old: Side, new: Side) -> dict[str, str]:
    """New name → old name: first where manifests, then where runs are equal, then those most alike, each once."""
    gone = sorted(old.fingerprints.keys() - new.fingerprints.keys())
    come = sorted(new.fingerprints.keys() - old.fingerprints.keys())
    if not gone or not come:
        return {}
    made: dict[str, str] = {}
    _pair_equal(made, old.fingerprints, new.fingerprints, gone, come)
    before, after = ({name: _read(side, name) for name in names} for side, names in ((old, gone), (new, come)))
    old_runs, new_runs = ({name: _run(read) for name, read in side.items()} for side in (before, after))
    _pair_equal(made, old_runs, new_runs, gone, come)
    rest = [name for name in gone if name not in made.values()], [name for name in come if name not in made]
    if len(rest[0]) * len(rest[1]) <= COMPARED:
        _pair_alike(made, before, after, *rest)
    return made


def _pair_equal(
    made: dict[str, str], old: Mapping[str, str], new: Mapping[str, str], gone: Sequence[str], come: Sequence[str]
) -> None:
    waiting: dict[str, list[str]] = {}
    for name in gone:
        if old[name] and name not in made.values():
            waiting.setdefault(old[name], []).append(name)
    for name in come:
        if name not in made and (found := waiting.get(new[name])):
            made[name] = found.pop(0)


def _pair_alike(
    made: dict[str, str],
    before: Mapping[str, dict[str, Any]],
    after: Mapping[str, dict[str, Any]],
    gone: Sequence[str],
    come: Sequence[str],
) -> None:
    """The most alike first; of equally alike ones those that stand first by name."""
    told = [{name: frozenset(_told(side[name])) for name in names} for side, names in ((before, gone), (after, come))]
    pairs = [(_likeness(told[0][one], told[1][other]), one, other) for one in gone for other in come]
    for likeness, one, other in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if likeness < ALIKE:
            return
        if other not in made and one not in made.values():
            made[other] = one


def _read(side: Side, name: str) -> dict[str, Any]:
    """A manifest as far as it can be read: whoever opens it says what is wrong with it."""
    try:
        return dict_of(parse(side.manifest(name) or b""))
    except (CanonicalError, StoreError, GitError):
        return {}


def _run(document: dict[str, Any]) -> str:
    """What binds the objects of a run together, the trace's name with it; empty where a manifest does not say."""
    run, trace = document.get("run"), document.get("trace")
    return f"{run} {trace}" if isinstance(run, str) and isinstance(trace, str) else ""


def _told(document: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """What the exchanges of a manifest say, each in its place: content, prompt, tools, and their summary lines."""
    for at, entry in enumerate(map(dict_of, list_of(document.get("exchanges")))):
        for said in (*list_of(entry.get("says")), *(entry.get(name) for name in ("object", "system", "tools"))):
            if isinstance(said, str):
                yield at, said
    for word in list_of(dict_of(document.get("source")).get("command")):
        if isinstance(word, str):
            yield -1, word


def _likeness(one: frozenset[tuple[int, str]], other: frozenset[tuple[int, str]]) -> float:
    """0 for nothing in common to 1 for the same."""
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0
