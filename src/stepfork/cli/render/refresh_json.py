"""What a refresh did as one JSON document: a capture's where one fixture was named, else one with an entry for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stepfork.canonical.encode import dumps
from stepfork.cli.render.capture_json import Document, capture_document, with_diff
from stepfork.workflows.refresh import Item

Clean = Callable[[str], str]


def refresh_bytes(items: Sequence[Item], clean: Clean, *, alone: bool) -> bytes:
    """Canonical JSON. `clean` redacts the texts of differences again. `alone`: one fixture was named, and it ran."""
    if alone:
        return dumps(_result(items[0], clean))
    return dumps(
        {
            "refreshed": [
                {
                    "name": item.name,
                    "status": item.status,
                    "problem": item.problem or None,
                    "result": None if item.done is None else _result(item, clean),
                }
                for item in items
            ]
        }
    )


def _result(item: Item, clean: Clean) -> Document:
    assert item.done is not None
    return with_diff(capture_document(item.done.captured), item.done.diff, clean)
