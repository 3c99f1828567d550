"""Where a telephone number begins and ends in a text: what may stand beside it, and which brackets are its own."""

from __future__ import annotations

from stepfork.redact.cards import DASHES


def is_closed(piece: str) -> bool:
    """Whether each bracket in a number is closed in it; the one that it may begin with stands around it else."""
    return "(" not in piece[1:].partition(")")[0] if ")" not in piece else piece.count("(") <= piece.count(")")


def free_left(text: str, start: int) -> bool:
    """Whether what begins at `start` is no later part of a word, a number, a sum of money or a path."""
    left = text[start - 1 : start]
    if not left:
        return True
    if left in "_+#$€£¥%\\@" or _is_ascii_word(left):
        return False
    before = text[start - 2 : start - 1] if start > 1 else ""
    if left == "/":
        return before.isalpha() or before.isspace() or text[start] == "+"
    return not (left in f".,:'{DASHES}" and _is_ascii_word(before)) or (left == ":" and before.isalpha())


def free_right(text: str, end: int) -> bool:
    """Whether what ends at `end` is no earlier part of a word, a number or an address."""
    following, after = text[end : end + 1], text[end + 1 : end + 2]
    if following in ("_", "@") or _is_ascii_word(following):
        return False
    if following and following in DASHES:
        return not _is_ascii_word(after)
    return not (following in (".", ":", "/") and after.isdigit())


def _is_ascii_word(char: str) -> bool:
    return char.isascii() and char.isalnum()


def balanced(text: str, start: int, end: int) -> int:
    """Where a number begins, with the bracket before it only where that is closed in it: ``(+44) 20``, ``(020 …)``."""
    piece = text[start:end]
    if piece.startswith("(") and ")" not in piece:
        return start + 1
    return start - 1 if piece.count(")") > piece.count("(") and text[start - 1 : start] == "(" else start
