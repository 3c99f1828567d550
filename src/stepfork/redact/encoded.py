"""What a text or bytes hold in an encoding: base64 or hex, of compressed data or of text as it is.

Cassettes keep bodies so, tools answer so. What is inside is read as any text is, and what was changed in it is packed
again in the same way: the same alphabet, padding and line length, the same coding, and nothing of the clock.
"""

from __future__ import annotations

import binascii

from stepfork.redact.magic import known_kind
from stepfork.redact.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LIMIT = 64 << 20
"""Bytes that the bodies of one document may grow to when they are inflated."""
TOLD = ("br", "zstd", "deflate")
"""Codings that the headers of a message tell, as bytes do not always show them."""
KNOWN = "known"
"""Images, sounds and the like."""
_PACKAGES = {"br": "brotli", "zstd": "zstandard"}
"""What makes codings readable that Python does not know everywhere."""

_LEAST = 20
_HEAD = pattern(r"\s*[A-Za-z0-9+/_-]{20}")
_BODY = pattern(r"[A-Za-z0-9+/_-]+={0,2}\Z")
_HEX = pattern(r"(?:[0-9a-f]{2}){10,}\Z|(?:[0-9A-F]{2}){10,}\Z")
_RUN = pattern(
    r"(?:(?<=base64,)|(?<![A-Za-z0-9+/_-])(?=H4sI|KLUv/|eyJ|ewo|ew0K|W3s|PD94))[A-Za-z0-9+/_-]{20,}={0,2}"
    r"|(?<![0-9A-Za-z])1[fF]8[bB]08[0-9A-Fa-f]{20,}"
)
_RUNS = ("base64,", "H4sI", "KLUv/", "eyJ", "ewo", "ew0K", "W3s", "PD94", "1f8b08", "1F8B08")
"""What an encoded part of a text begins with: compressed data, JSON, XML; or what says that it comes."""
_LATIN_GZIP = "\x1f\x8b\x08"
_GZIP, _ZSTD = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"
_BLOB = 4096
_NO_LETTERS = dict.fromkeys(map(ord, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"))
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r")) + b"\x7f"
_URL_SAFE = str.maketrans("-_", "+/")
_TO_URL_SAFE = str.maketrans("+/", "-_")


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
    return _HEAD.match(text) is not None or text.startswith(_LATIN_GZIP)


def _has_runs(text: str) -> bool:
    for literal in _RUNS:  # noqa: SIM110 (a generator takes twice as long)
        if literal in text:
            return True
    return False


def _opened(text: str, limit: int, coding: str = "", is_binary: bool = False) -> Opened | None:
    spelled = _spelled(text, whatever=is_binary or coding in TOLD)
    if spelled is None:
        return None
    data, respell = spelled
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
    kind = _kind(data[:64])
    if kind == KNOWN:
        return None
    as_it_is = (data, bytes, "") if is_binary or _is_text(data) else None
    if kind == "text" or (not kind and coding not in TOLD):
        return as_it_is
    from stepfork.trace.coding import CodingError, Undo, apply, supported

    kind = kind or coding
    if kind not in supported():
        return b"", bytes, f"holds {kind} data, which cannot be read here; pip install {_PACKAGES[kind]}"
    undoing = Undo(kind, limit)
    try:
        made = undoing.feed(data)
    except CodingError:
        return (b"", bytes, "holds gzip data that is damaged") if kind == "gzip" else as_it_is
    over = f"grows to more than {limit >> 20} MiB, of which the rest was not read" if undoing.over else ""
    return made, lambda new: apply(kind, new, like=data), over


def kind_of(head: str) -> str:
    """What the first 64 characters of hex or base64 show: the name of a coding, ``text``, `KNOWN`, or nothing."""
    return next((kind for kind in map(_kind, (_unhexed(head), _decoded(head))) if kind), "")


def _kind(head: bytes) -> str:
    if len(head) < 10:
        return ""
    if head.startswith(_GZIP):
        return "gzip"
    if head.startswith(_ZSTD):
        return "zstd"
    if head[0] & 0x8F == 8 and not head[1] & 0x20 and int.from_bytes(head[:2], "big") % 31 == 0:
        return "deflate"
    if known_kind(head):
        return KNOWN
    return "text" if _is_text(head, cut=True) else ""


def _is_text(data: bytes, *, cut: bool = False) -> bool:
    """Whether bytes are text that a person could have written; `cut`: they may end inside a character."""
    if len(data.translate(None, _CONTROLS)) != len(data):
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return cut and error.start > len(data) - 4 and error.reason == "unexpected end of data"
    return True


def _spelled(text: str, *, whatever: bool) -> tuple[bytes, Callable[[bytes], str]] | None:
    """The bytes of a text in hex, base64 or (from before there were bytes) Latin-1, and how to spell others; only those
    whose beginning says something, unless `whatever` they are will do."""
    if text.startswith(_LATIN_GZIP):
        try:
            return text.encode("latin-1"), lambda data: data.decode("latin-1")
        except UnicodeEncodeError:
            return None
    kind = kind_of("".join(text[:200].split())[:64])
    if kind == KNOWN or not (kind or whatever):
        return None
    compact = "".join(text.split())
    if _HEX.match(compact):
        upper = compact != compact.lower()
        return bytes.fromhex(compact), lambda data: _wrapped(data.hex().upper() if upper else data.hex(), text)
    return _base64(compact, text) if _BODY.match(compact) else None


def _base64(compact: str, text: str) -> tuple[bytes, Callable[[bytes], str]] | None:
    body = compact.rstrip("=")
    data = _decoded(body)
    if not data:
        return None
    url_safe, padded = "-" in body or "_" in body, len(compact) % 4 == 0

    def spell(data: bytes) -> str:
        made = binascii.b2a_base64(data, newline=False).decode("ascii")
        made = made.translate(_TO_URL_SAFE) if url_safe else made
        return _wrapped(made if padded else made.rstrip("="), text)

    return data, spell


def _decoded(body: str) -> bytes:
    """The bytes of base64 of either alphabet; none where it is not base64."""
    body = body.rstrip("=")
    try:
        return binascii.a2b_base64(body.translate(_URL_SAFE) + "=" * (-len(body) % 4))
    except (binascii.Error, ValueError):
        return b""


def _unhexed(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def _wrapped(made: str, like: str) -> str:
    """`made` in lines of the length that those of `like` have, with the white space around it."""
    inner = like.strip()
    start = like[: len(like) - len(like.lstrip())]
    end = like[len(like.rstrip()) :]
    first = inner.split(None, 1)
    if len(first) == 2:
        width = len(first[0])
        gap = inner[width : len(inner) - len(first[1])]
        made = gap.join(made[index : index + width] for index in range(0, len(made), width))
    return start + made + end
