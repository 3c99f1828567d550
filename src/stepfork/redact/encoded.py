"""What a text or bytes hold in an encoding: base64 or hex, of compressed data or of text as it is.

Cassettes keep bodies so, tools answer so. What is inside is read as any text is, and what was changed in it is packed
again in the same way: the same alphabet, padding and line length, the same coding, and nothing of the clock.
"""

from __future__ import annotations

from stepfork.redact.bytes_spelled import LATIN_GZIP, kind_of, spelled
from stepfork.redact.magic import KNOWN, is_text, kind_by_head
from stepfork.redact.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["KNOWN", "LIMIT", "TOLD", "Opened", "find_encoded", "inflated", "kind_of", "may_be_encoded"]

LIMIT = 64 << 20
"""Bytes that the bodies of one document may grow to when they are inflated."""
TOLD = ("br", "zstd", "deflate")
"""Codings that the headers of a message tell, as bytes do not always show them."""
_SURE = ("gzip", "zstd")
"""Codings whose first bytes are nothing else's: what cannot be undone then is damaged, and no other kind of data."""
_PACKAGES = {"br": "brotli", "zstd": "zstandard"}
"""What makes codings readable that Python does not know everywhere."""

_LEAST = 20
_HEAD = pattern(r"\s*[A-Za-z0-9+/_-]{20}")
_RUN = pattern(
    r"(?:(?<=base64,)|(?<![A-Za-z0-9+/_-])(?=H4sI|KLUv/|eyJ|ewo|ew0K|W3s|PD94))[A-Za-z0-9+/_-]{20,}={0,2}"
    r"|(?<![0-9A-Za-z])1[fF]8[bB]08[0-9A-Fa-f]{20,}"
)
_RUNS = ("base64,", "H4sI", "KLUv/", "eyJ", "ewo", "ew0K", "W3s", "PD94", "1f8b08", "1F8B08")
"""What an encoded part of a text begins with: compressed data, JSON, XML; or what says that it comes."""
_BLOB = 4096
_NO_LETTERS = dict.fromkeys(map(ord, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"))


class Opened:
    """The text that was found inside, and whether it is compressed there; `complaint` says what of it could not be
    read, and `pack` spells another text as this one was spelled."""

    __slots__ = ("complaint", "is_compressed", "pack", "text")

    def __init__(self, text: str, pack: Callable[[str], str], complaint: str, *, is_compressed: bool) -> None:
        self.text = text
        self.pack = pack
        self.complaint = complaint
        self.is_compressed = is_compressed


def find_encoded(text: str, limit: int, coding: str = "", is_binary: bool = False) -> Iterator[tuple[int, int, Opened]]:
    """What stands encoded in a text, from where to where: all of it, or parts that begin as only such parts do.

    `coding` is what the headers beside the text say of it, `is_binary` that it stands for bytes of whatever kind;
    together the parts may grow to `limit` bytes.
    """
    if _begins(text):
        whole = _opened(text, limit, coding, is_binary)
        if whole is not None:
            yield 0, len(text), whole
        if whole is not None or _is_blob(text):
            return
    if _has_runs(text):
        for match in _RUN.finditer(text):
            part = _opened(match.group(), limit)
            if part is not None:
                limit -= len(part.text)
                yield *match.span(), part


def _is_blob(text: str) -> bool:
    """Whether a text is one long run, such as an image, in which no other begins."""
    return len(text) > _BLOB and text[:_BLOB].translate(_NO_LETTERS) == ""


def may_be_encoded(text: str) -> bool:
    """Whether `find_encoded` may find anything; asked of every text of a run."""
    return len(text) >= _LEAST and (_begins(text) or _has_runs(text))


def _begins(text: str) -> bool:
    return _HEAD.match(text) is not None or text.startswith(LATIN_GZIP)


def _has_runs(text: str) -> bool:
    for literal in _RUNS:  # noqa: SIM110 (a generator takes twice as long)
        if literal in text:
            return True
    return False


def _opened(text: str, limit: int, coding: str = "", is_binary: bool = False) -> Opened | None:
    found = spelled(text, whatever=is_binary or coding in TOLD)
    if found is None:
        return None
    data, respell = found
    inside = inflated(data, limit, coding, is_binary)
    if inside is None:
        return None
    made, repack, complaint = inside
    return Opened(
        made.decode("utf-8", "surrogateescape"),
        lambda new: respell(repack(new.encode("utf-8", "surrogateescape"))),
        complaint,
        is_compressed=made is not data,
    )


def inflated(
    data: bytes, limit: int, coding: str = "", is_binary: bool = False
) -> tuple[bytes, Callable[[bytes], bytes], str] | None:
    """The text in bytes that may be compressed, how to compress another, and what of it could not be read; None where
    there is none."""
    shown = kind_by_head(data[:64])
    if shown == KNOWN:
        return None
    as_it_is = (data, bytes, "") if is_binary or is_text(data) else None
    if shown == "text" or (not shown and coding not in TOLD):
        return as_it_is
    from stepfork.trace.coding import CodingError, Undo, apply, supported

    kind = shown or coding
    if kind not in supported():
        return b"", bytes, f"holds {kind} data, which cannot be read here; pip install {_PACKAGES[kind]}"
    undoing = Undo(kind, limit)
    try:
        made = undoing.feed(data)
    except CodingError:
        return (b"", bytes, f"holds {kind} data that is damaged") if shown in _SURE else as_it_is
    complaint = "is followed by bytes that were not read" if undoing.has_tail else ""
    if undoing.over:
        complaint = f"grows to more than {limit >> 20} MiB, of which the rest was not read"
    return made, lambda new: apply(kind, new, like=data), complaint
