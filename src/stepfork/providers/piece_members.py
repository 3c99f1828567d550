"""What the shapes of `delta_places` have in common, for those that look for events without parsing each: no imports."""

from __future__ import annotations

ROOTS = ("choices", "delta", "content_block", "candidates", "completion", "done", "contentBlockDelta", "token")
"""Members at the top of an event of which one stands in each event that holds a piece of a longer text."""
TOLD_BY = frozenset(("type", "index", "item_id", "output_index", "content_index", "summary_index", "contentBlockIndex"))
"""Members whose texts and numbers tell to which text a piece belongs; those of all other members never do."""
