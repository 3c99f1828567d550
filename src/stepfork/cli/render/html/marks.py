"""What became of a thing, by a sign and a word: never by colour alone."""

from __future__ import annotations

from stepfork.cli.render.html.elements import Html, element, words

SIGNS = {
    "same": "=",
    "changed": "~",
    "added": "+",
    "removed": "−",
    "moved": "↕",
    "as before": "≈",
    "unchanged": "=",
    "breaking": "!",
    "info": "i",
}
LEGEND = ("same", "changed", "added", "removed", "moved", "as before")


def mark(kind: str) -> Html:
    """``~ changed``."""
    return element("b", words(f"{SIGNS[kind]} {kind}"), class_=f"mark {css(kind)}")


def css(kind: str) -> str:
    """The class of a kind."""
    return kind.replace(" ", "-")
