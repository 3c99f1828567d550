"""Values as programming languages print them: ids in reprs of frameworks' own classes, and where an object lies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stepfork.normalize.rules import DURATION_FIELDS, GENERATED, REPR_CLASSES, REPR_NAMES
from stepfork.normalize.told import is_distinctive

_ID = r"(?P<id>[^'\"\s]{1,200})"
_CLASS = re.compile(rf"\b(?:{'|'.join(sorted(REPR_CLASSES))})\(|\bmodels_usage=")
_IN_CLASS = re.compile(rf"\b(?:{'|'.join(sorted(REPR_NAMES))})=(?P<q>['\"]){_ID}(?P=q)")
_CALL = re.compile(
    rf"(?P<q>['\"])id(?P=q): (?P=q){_ID}(?P=q), (?:(?P=q)index(?P=q): [0-9]+, )?(?P=q)type(?P=q): (?P=q)function(?P=q)"
)
_DUMPED = re.compile(
    r"(?P<q>['\"])type(?P=q): (?P=q)(?:human|ai|system|tool|function)(?P=q), (?P=q)name(?P=q): "
    rf"(?:None|null|(?P=q)[^'\"]*(?P=q)), (?P=q)id(?P=q): (?P=q){_ID}(?P=q)"
)
_DURATION = re.compile(rf"'(?:{'|'.join(sorted(DURATION_FIELDS))})': (?P<length>[0-9]+(?:\.[0-9]+)?)(?=[,}}])")
_POINTER = re.compile(r"(?:(?<= at 0x)[0-9a-fA-F]{6,16}(?=>)|(?<=:0x)0000[0-9a-f]{12}(?=[ >]))")


def ids_in_reprs(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each id that a framework made up: a keyword of its own class, a call of a tool, a dumped
    message."""
    forms = []
    if ("id='" in text or 'id="' in text) and _CLASS.search(text):
        forms.append(_IN_CLASS)
    if "'id': '" in text or '"id": "' in text:
        forms += (_CALL, _DUMPED)
    for form in forms:
        for match in form.finditer(text):
            if GENERATED.fullmatch(match["id"]) or is_distinctive(match["id"]):
                yield match.span("id")


def durations_in_reprs(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each duration that a framework prints with the metadata of an answer."""
    if "response_metadata=" in text:
        for match in _DURATION.finditer(text):
            yield match.span("length")


def pointers(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of the digits of each address of an object (``<Order object at 0x7f3a2c1d5e50>``); a memory that
    was used again would show in a number by value."""
    if "0x" in text:
        for match in _POINTER.finditer(text):
            yield match.span()
