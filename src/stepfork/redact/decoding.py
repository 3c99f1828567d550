"""Bytes of a file to text: what it is, and what cannot be read is said and never called clean."""

from __future__ import annotations

from stepfork.errors import ScanError

MAX_BYTES = 512 << 20
"""A larger file is not scanned, which is an error and no verdict."""

_SNIFFED = 8000
"""So many bytes are looked at for a NUL, as git does, to tell a binary file."""

_COMPRESSED = (
    (b"\x1f\x8b", "gzip data"),
    (b"PK\x03\x04", "a zip archive"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\x00", "xz data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"\x04\x22\x4d\x18", "lz4 data"),
    (b"Rar!\x1a\x07", "a rar archive"),
)
_BINARY = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF file"),
    (b"SQLite format 3\x00", "a SQLite database"),
    (b"\x7fELF", "an ELF file"),
)


class Decoded:
    """The text of a file, and (for a binary one) what it is; its bytes that are no text are lone surrogates."""

    __slots__ = ("binary", "text")

    def __init__(self, text: str, binary: str = "") -> None:
        self.text = text
        self.binary = binary


def decode(data: bytes) -> Decoded:
    """The text of a file's bytes.

    UTF-8 with or without a byte order mark, UTF-16 and UTF-32 with one. A binary file is read for the text in it.
    Raises ScanError for compressed data, for text in another encoding, and for what is too large.
    """
    if len(data) > MAX_BYTES:
        raise ScanError(f"is larger than {MAX_BYTES >> 20} MiB and was not scanned")
    for magic, kind in _COMPRESSED:
        if data.startswith(magic):
            raise ScanError(f"is {kind} and was not scanned", fix="scan what is inside it")
    try:
        return Decoded(_text(data))
    except UnicodeDecodeError as error:
        binary = binary_kind(data)
        if not binary:
            raise ScanError(
                f"is no UTF-8 text (byte {error.start}) and was not scanned", fix="save it as UTF-8"
            ) from None
    return Decoded(data.decode("utf-8", "surrogateescape"), binary)


def binary_kind(data: bytes) -> str:
    """What a binary file is, or nothing for a text."""
    for magic, kind in _BINARY:
        if data.startswith(magic):
            return kind
    return "binary data" if b"\0" in data[:_SNIFFED] else ""


def _text(data: bytes) -> str:
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return data.decode("utf-32")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16")
    return data.decode("utf-8-sig")
