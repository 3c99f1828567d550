"""Normalised text put together from literal pieces and placeholders."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from stepfork.normalize.placeholders import Placeholder, Typed, escape


def written(*typed: str | Placeholder) -> str:
    return "".join(escape(piece) if isinstance(piece, str) else str(piece) for piece in joined(typed))


def joined(typed: Iterable[str | Placeholder]) -> Typed:
    """The pieces with neighbouring literals put together and empty ones left out."""
    made: list[str | Placeholder] = []
    for is_literal, group in groupby(typed, lambda piece: isinstance(piece, str)):
        pieces = list(group)
        made += ["".join(map(str, pieces))] if is_literal else pieces
    return tuple(piece for piece in made if piece != "")
