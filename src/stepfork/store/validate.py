"""Is a fixture that could be read whole, and is it what this version writes of its run?"""

from __future__ import annotations

from typing import Any

from stepfork.canonical.encode import dumps
from stepfork.canonical.parse import parse
from stepfork.errors import CanonicalError
from stepfork.store.drafts import draft_causes
from stepfork.store.finding import Finding
from stepfork.store.manifest import seal_of
from stepfork.trace.fixture import Fixture

_FREE = frozenset({"name", "seal"})
"""A manifest may be moved; the seal is looked at apart."""


def find_differences(fixture: Fixture, manifest: bytes, *, where: str, partial: bool = False) -> list[Finding]:
    """What is wrong with a fixture beyond what reading it refuses, none where all is well.

    It is a draft, or a response in it did not end (both accepted with `partial`); its manifest is not canonical, was
    edited, or, its summary lines apart, is not the one that encoding the run gives. `manifest` are the bytes that the
    fixture was read from, `where` is their path.
    """
    from stepfork.store.codec import encode_fixture

    findings, document = find_edits(fixture, manifest, where=where, partial=partial), parse(manifest)
    try:
        encoded = parse(encode_fixture(fixture).manifest)
    except CanonicalError as error:
        return [*findings, Finding("content", where, error.what)]
    differing = [name for name in encoded if name not in _FREE and _plain(encoded[name]) != _plain(document[name])]
    if differing:
        names = ", ".join(differing)
        findings.append(Finding("content", where, f"does not fit its own objects: {names} would be written otherwise"))
    return findings


def find_edits(fixture: Fixture, manifest: bytes, *, where: str, partial: bool = False) -> list[Finding]:
    """The same, but for what encoding the run gives: a later version may write a run otherwise, and what an earlier one
    has written is none the worse for it."""
    findings = [] if partial else _unfinished(fixture, where)
    document = parse(manifest)
    if dumps(document) != manifest:
        findings.append(Finding("noncanonical", where, "is not written in canonical form"))
    if seal_of(document) != document["seal"]:
        findings.append(Finding("edited", where, "was edited: its seal does not fit"))
    return findings


def _unfinished(fixture: Fixture, where: str) -> list[Finding]:
    findings = []
    if draft_causes(fixture) is not None:
        findings.append(Finding("draft", where, "is the draft of a failed capture"))
    for index, exchange in enumerate(fixture.run.exchanges):
        if exchange.response.ending != "complete":
            findings.append(Finding("draft", where, f"exchange {index} did not end: {exchange.response.ending}"))
    return findings


def _plain(value: Any) -> bytes:
    """Bytes to compare, without the summary lines, whose wording may change between versions."""
    if isinstance(value, list):
        value = [
            {key: item for key, item in entry.items() if key != "says"} if isinstance(entry, dict) else entry
            for entry in value
        ]
    return dumps(value)
