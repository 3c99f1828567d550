"""Where in a large text something encoded may stand that is worth a look: asked at literals, at the price of a few
characters. Loads nothing until one of them is met."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_COMPRESSED = ("H4sI", "KLUv", "1f8b08", "1F8B08", *(f"eJ{end}" for end in "wxyz"), *(f"eN{end}" for end in "opqr"))
"""What gzip, Zstandard and zlib data in base64 (or gzip in hex) begin with."""
_READABLE = ("eyJ", "ewo", "ew0K", "W3s", "PD94")
"""What JSON and XML in base64 begin with."""
_ESCAPED = ("\\x1F\\x8B", "\\x1f\\x8b", "\\u001f\\u008b", "\\u001F\\u008B")
"""gzip data as escaped characters."""
_TOLD = ("base64", "Base64", "BASE64", "!binary", "!!binary")
CODINGS = ("ontent-encoding", "ontent-Encoding", "ONTENT-ENCODING")
ANCHORS = (*_COMPRESSED, *_READABLE, *_ESCAPED, *_TOLD, *CODINGS)

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"
_LEAST = 20
_NEAR = 300
_SMALL = 16_384
"""So many characters are decoded to see whether they are worth a look; what is longer is."""


def may_be_encoded(text: str, start: int, end: int, is_worth: Callable[[str], bool]) -> bool:
    """Whether at the literal of `ANCHORS` at `start` to `end` something encoded stands in which `is_worth` finds
    something, or of which that cannot be told in passing."""
    literal = text[start:end]
    if literal in _ESCAPED:
        return True
    if literal in CODINGS:
        near = text[end : end + 80].lower()
        return any(coding in near for coding in ("br", "zstd", "deflate"))
    if literal in _TOLD:
        return any(_holds(text, begin, is_worth, is_binary=True) for begin in _runs_near(text, start, end))
    begins = start == 0 or text[start - 1] not in _LETTERS or text[start - 2 : start] == "\\n"
    return begins and _holds(text, start, is_worth)


def _holds(text: str, begin: int, is_worth: Callable[[str], bool], *, is_binary: bool = False) -> bool:
    """Whether the run that begins there is compressed, or long, or a text worth a look; an image or an id is not.
    `is_binary`: it stands for bytes of whatever kind."""
    piece = text[begin : begin + _SMALL].replace("\\/", "/")
    length = len(piece) - len(piece.lstrip(_LETTERS))
    if length < _LEAST:
        return False
    from stepfork.redact.encoded import KNOWN, find_encoded, kind_of

    kind = kind_of(piece[: min(length, 64)])
    if kind == KNOWN or (not kind and not is_binary):
        return False
    if kind not in ("text", "", "deflate"):
        return True
    if kind == "deflate" and length < _SMALL - 8:  # two bytes tell little
        return any(True for _ in find_encoded(piece[:length], _SMALL))
    goes_on = length > _SMALL - 8 or piece[length : length + 2].startswith(("\n", "\r", "\\n", "\\r"))
    return goes_on or any(is_worth(inner.text) for _, _, inner in find_encoded(piece[:length], _SMALL, "", is_binary))


def _runs_near(text: str, start: int, end: int) -> Iterator[int]:
    """The beginnings of runs that follow a word such as ``base64``, and of the one that ends before it."""
    index, limit = end, min(len(text), end + _NEAR)
    while index < limit:
        length = _length(text, index, limit + _LEAST)
        if length >= _LEAST:
            yield index
        index += length + 1
    quote = text.rfind('"', max(0, start - _NEAR), start)
    while quote > start - _NEAR and quote > 0:
        begin = text.rfind('"', 0, quote) + 1
        if quote - begin >= _LEAST:
            yield begin
            return
        quote = begin - 1


def _length(text: str, begin: int, limit: int) -> int:
    piece = text[begin:limit]
    return len(piece) - len(piece.lstrip(_LETTERS))
