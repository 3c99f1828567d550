"""How a YAML scalar is spelled, and the same spelling with some of its characters replaced.

A scalar may be plain, quoted, folded over lines or in a block; an edit of its value becomes an edit of the characters
that spell it, so that nothing else of the file changes. Where that cannot be, the scalar is spelled anew in quotes.
"""

from __future__ import annotations

import json

from stepfork.redact.pattern import pattern
from stepfork.redact.yaml_pieces import pieces_of
from stepfork.rewrite.place import Edit, apply_edits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepfork.redact.yaml_pieces import Pieces

_PROPERTIES = pattern(r"(?:(?:![^\s,\[\]{}]*|&[^\s,\[\]{}]+)\s+)+")
_UNSEEN = pattern("[\x7f-\xa0\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_SAFE_PLAIN = pattern(r"[A-Za-z0-9\[\]+/=._-]*\Z")


def properties_end(raw: str) -> int:
    """Where a scalar begins after its tag and its anchor."""
    found = _PROPERTIES.match(raw)
    return found.end() if found else 0


def respelled(raw: str, style: str, value: str, edits: Sequence[Edit], *, in_flow: bool) -> str:
    """The spelling `raw` of `value` with `edits` of the value made; `in_flow`: it stands between brackets."""
    pieces = pieces_of(raw, style, value)
    made = None if pieces is None else _edited(raw, style, pieces, edits, in_flow=in_flow)
    return quoted(apply_edits(value, edits), raw) if made is None else made


def quoted(value: str, raw: str) -> str:
    """`value` in double quotes, to stand where `raw` stood."""
    text = _UNSEEN.sub(lambda match: _numbered(match.group()), json.dumps(value, ensure_ascii=False))
    end = raw[len(raw.rstrip()) :]
    return text + end if end.splitlines() != [end] else text


def _numbered(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _edited(raw: str, style: str, pieces: Pieces, edits: Sequence[Edit], *, in_flow: bool) -> str | None:
    """None where the text of an edit cannot be spelled in this style."""
    made: list[Edit] = []
    for edit in edits:
        text: str | None = edit.text
        if style == '"':
            text = json.dumps(edit.text, ensure_ascii=False)[1:-1]
            text = _UNSEEN.sub(lambda match: _numbered(match.group()), text)
        elif style in ("|", ">"):
            text = _in_block(edit.text, raw, style)
        elif "\n" in edit.text or _UNSEEN.search(edit.text):
            text = None
        elif style == "'":
            text = edit.text.replace("'", "''")
        elif in_flow or edit.start == 0 or not _SAFE_PLAIN.match(edit.text):
            text = None
        if text is None:
            return None
        if edit.start < edit.end:
            made.append(Edit(pieces.starts[edit.start], pieces.ends[edit.end - 1], text))
    return apply_edits(raw, made)


def _in_block(text: str, raw: str, style: str) -> str | None:
    if "\n" not in text:
        return None if _UNSEEN.search(text) else text
    if style == ">":
        return None
    line = next((line for line in raw.split("\n")[1:] if line.strip()), "")
    indent = line[: len(line) - len(line.lstrip(" "))]
    whole, end = text.rstrip("\n"), text[len(text.rstrip("\n")) :]
    return whole.replace("\n", "\n" + indent) + end
