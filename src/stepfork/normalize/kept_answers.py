"""Answers of providers that a run keeps as data: in JSON text, in arguments and results."""

from __future__ import annotations

from typing import Any

from stepfork.normalize.fields import Marks, envelope_marks
from stepfork.normalize.own_marks import names_at
from stepfork.normalize.rules import ANSWERS
from stepfork.rewrite.place import Place


def kept_marks(value: Any, place: Place) -> Marks:
    """The fields of an answer that stands as data at a place; none where it is none, or a body of its own."""
    if not _is_answer(value) or not (place.part == ("trace",) or names_at(place)):
        return {}
    return {(*place.path, *path): mark for path, mark in envelope_marks(value).items()}


def _is_answer(value: Any) -> bool:
    """Whether a value is a provider's whole answer, told by what only answers have."""
    if not isinstance(value, dict):
        return False
    if value.get("object") in ANSWERS:
        return "id" in value and "model" in value
    return ("usage" in value and value.get("type") == "message") or ("usageMetadata" in value and "candidates" in value)
