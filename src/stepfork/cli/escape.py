"""Any string made safe to print: nothing in it moves a cursor, opens a link or hides its neighbour. Standard library.

escape(text)         what a terminal would act on, spelled out: \\x1b, \\u202e; one line
pieces(text)         the same in turn: what is as it was, and what is spelled out
json_escapes(text)   a JSON document, with JSON's own escapes
no_mark(text)        no command to a build either, wherever in a line it stands
escape_fully(text)   all that is not visible ASCII too: for two strings that would look the same
fit(text, encoding)  what an output's encoding cannot carry, replaced
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# C0 and C1 controls, the soft hyphen, invisible and joining marks, bidirectional controls, line and paragraph
# separators, variation selectors, lone surrogates, the byte order mark, interlinear marks, tag characters.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
_MARK = re.compile(r"(##\w*)\[")
_PLAIN = {"→": "->", "…": "...", "–": "-", "−": "-", "×": "x", "│": "|", "·": "."}
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def escape(text: str) -> str:
    """`text` on one line, with what a terminal acts on or does not show spelled out.

    A joiner between two emoji or in a script that needs it is spelled out too: a report is read, not typeset.
    """
    return text if text.isascii() and text.isprintable() else _UNSAFE.sub(_spelled, text)


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """``escape(text)`` in pieces, each with whether it is spelled out: a view can then tell ``\\t`` from a tab."""
    at = 0
    for match in _UNSAFE.finditer(text):
        if match.start() > at:
            yield text[at : match.start()], False
        yield _spelled(match), True
        at = match.end()
    if at < len(text):
        yield text[at:], False


def json_escapes(document: str) -> str:
    """A JSON document that says the same, with such characters of its strings as JSON's own escapes."""
    return _UNSAFE.sub(_as_json, document)


def no_mark(text: str) -> str:
    """`text` without what makes a line a command to a build wherever it stands: ``##vso[``, ``##[`` (see
    ``render/builds``)."""
    return _MARK.sub(r"\1\\x5b", text) if "##" in text else text


def escape_fully(text: str) -> str:
    """`text` with everything spelled out that is not visible ASCII or a single blank between two words; a backslash
    becomes two, so that different strings stay different."""
    spelled = re.sub(r"[^\x20-\x7e]", _spelled, text.replace("\\", "\\\\"))
    return re.sub(r"^ +| +$| {2,}", lambda match: "\\x20" * len(match[0]), spelled)


def fit(text: str, encoding: str | None) -> str:
    """`text` in characters that `encoding` has: arrows and dashes become ASCII ones, the rest is spelled out.

    An encoding that Python does not know counts as ASCII.
    """
    name = encoding or "ascii"
    try:
        text.encode(name)
    except LookupError:
        name = "ascii"
    except UnicodeEncodeError:
        pass
    else:
        return text
    return "".join(_fitted(char, name) for char in text)


def _fitted(char: str, encoding: str) -> str:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return _PLAIN.get(char) or char.encode("ascii", "backslashreplace").decode("ascii")
    return char


def _spelled(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _as_json(match: re.Match[str]) -> str:
    char = match[0]
    if char in "\t\n\r":  # between the members: in a string they are spelled out already
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2))
