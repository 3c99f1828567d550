"""Where a stream of server-sent events is cut. Standard library only: the scan for secrets cuts streams too."""

from __future__ import annotations

SEPARATOR = "\n\n"
"""The usual blank line between two events."""


def cut_events(text: str) -> tuple[list[str], str]:
    """The events of a stream and the separator that joins them to `text` again: the first of LF LF, CR LF CR LF and
    CR CR that stands in it. A stream that ends in a separator has an empty last event."""
    separator = next((mark for mark in (SEPARATOR, "\r\n\r\n", "\r\r") if mark in text), SEPARATOR)
    return text.split(separator), separator
