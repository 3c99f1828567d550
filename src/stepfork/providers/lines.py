"""Any text on one line of bounded length, safe to print."""

from __future__ import annotations

import re

MAX_LINE = 120
"""Characters of one line of a manifest's summary, the mark of what was cut included."""

_SPACE = re.compile(r"[ \t\r\n]+")
# C0 and C1 controls, line and paragraph separators, bidirectional controls, invisible marks, lone surrogates, BOM.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")


def clean_line(text: str, limit: int = MAX_LINE) -> str:
    """`text` with white space folded and control characters spelled out, cut to `limit` characters ending in ``…``."""
    # Nothing past this can be shown; cutting first keeps a text of megabytes cheap.
    head = _SPACE.sub(" ", text[: 8 * limit]).strip(" ")
    line = _UNSAFE.sub(_spelled, head)
    if len(line) <= limit and len(text) <= 8 * limit:
        return line
    return line[: limit - 1].rstrip(" ") + "…"


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
