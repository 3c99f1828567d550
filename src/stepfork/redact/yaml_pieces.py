"""How each character of a YAML scalar's value is spelled: escapes, doubled quotes, folded lines, indented blocks."""

from __future__ import annotations

from stepfork.redact.pattern import pattern

_BREAK = r"(?:\r\n|\r|\n)"
_SPACE = pattern(rf"[ \t]*(?:{_BREAK}[ \t]*)*")
_LINE = pattern(rf"([^\r\n]*)({_BREAK}|\Z)")
_ESCAPED_BREAK = pattern(rf"\\{_BREAK}[ \t]*(?P<more>(?:{_BREAK}[ \t]*)*)")
_ESCAPE = pattern(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)")
_WORD = pattern(r"[^ \t\r\n\\']+")
_NAMED = {"0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}
_NAMED |= {"e": "\x1b", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029"}


class Pieces:
    """The characters of a value, and from where to where each is spelled."""

    __slots__ = ("chars", "ends", "starts")

    def __init__(self) -> None:
        self.chars: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def copied(self, text: str, start: int) -> None:
        """Characters that stand for themselves."""
        self.chars.append(text)
        self.starts.extend(range(start, start + len(text)))
        self.ends.extend(range(start + 1, start + len(text) + 1))

    def made(self, text: str, start: int, end: int) -> None:
        """Characters that an escape or a fold stands for."""
        self.chars.append(text)
        self.starts.extend([start] * len(text))
        self.ends.extend([end] * len(text))


def pieces_of(raw: str, style: str, value: str) -> Pieces | None:
    """How each character of `value` is spelled in `raw`; None where that cannot be told."""
    pieces = Pieces()
    if style in ("|", ">"):
        _block(raw, value, pieces, folds=style == ">")
    else:
        quote = style if style in ("'", '"') else ""
        _flow(raw, quote, pieces)
    spelled = "".join(pieces.chars)
    return pieces if spelled.startswith(value) and not spelled[len(value) :].strip("\n") else None


def _flow(raw: str, quote: str, pieces: Pieces) -> None:
    index, end = len(quote), len(raw) - len(quote)
    while index < end:
        index = _one(raw, index, end, quote, pieces)


def _one(raw: str, index: int, end: int, quote: str, pieces: Pieces) -> int:
    """One piece of a flow scalar; where the next begins."""
    char = raw[index]
    if char in " \t\r\n" and (found := _SPACE.match(raw, index, end)) is not None:
        breaks = _breaks(found.group())
        if breaks:
            pieces.made("\n" * (breaks - 1) or " ", index, found.end())
        else:
            pieces.copied(found.group(), index)
        return found.end()
    if char == "'" and quote == "'":
        pieces.made("'", index, index + 2)
        return index + 2
    if char == "\\" and quote == '"' and (found := _ESCAPED_BREAK.match(raw, index, end)) is not None:
        pieces.made("\n" * _breaks(found["more"]), index, found.end())
        return found.end()
    if char == "\\" and quote == '"' and (found := _ESCAPE.match(raw, index, end)) is not None:
        pieces.made(_unescaped(found.group()), index, found.end())
        return found.end()
    found = _WORD.match(raw, index, end)
    stop = index + 1 if found is None else found.end()
    pieces.copied(raw[index:stop], index)
    return stop


def _unescaped(escape: str) -> str:
    letter = escape[1]
    return chr(int(escape[2:], 16)) if letter in "xuU" else _NAMED.get(letter, letter)  # noqa: FURB166 (as in views)


def _breaks(text: str) -> int:
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _block(raw: str, value: str, pieces: Pieces, *, folds: bool) -> None:
    """The lines of a block without their indentation."""
    header = _LINE.match(raw)
    lines = [match for match in _LINE.finditer(raw, header.end() if header else 0) if match.group()]
    first = next((match.group(1) for match in lines if match.group(1).strip()), "")
    shown = next((line for line in value.split("\n") if line.strip()), "")
    indent = len(first) - len(first.lstrip(" ")) - (len(shown) - len(shown.lstrip(" ")))
    texts = [match.group(1)[indent:] for match in lines]
    for number, (match, text) in enumerate(zip(lines, texts, strict=True)):
        pieces.copied(text, match.start() + min(indent, len(match.group(1))))
        if match.group(2):
            joint = _joint(texts, number) if folds else "\n"
            pieces.made(joint, match.end(1), match.end())


def _joint(texts: list[str], number: int) -> str:
    """What the line break after a line of a folded block stands for."""
    text = texts[number]
    following = texts[number + 1] if number + 1 < len(texts) else ""
    if not text:
        return "\n"
    if not following:  # the first of several breaks is dropped between two lines of the same kind
        after = next((line for line in texts[number + 1 :] if line), "")
        return "\n" if not after or text[0] in " \t" or after[0] in " \t" else ""
    return "\n" if text[0] in " \t" or following[0] in " \t" else " "
