"""What is looked for by its shape: the table, and how its kinds are found in a text."""

from __future__ import annotations

from stepfork.redact.shaped import pattern_of, shape_at
from stepfork.redact.table import SHAPES
from stepfork.redact.token_spots import token_spots as unanchored_spots
from stepfork.redact.tokens import tokens_in as unanchored_in

__all__ = ["SHAPES", "pattern_of", "shape_at", "unanchored_in", "unanchored_spots"]
