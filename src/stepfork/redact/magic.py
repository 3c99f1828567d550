"""What bytes are by their beginning."""

from __future__ import annotations

_SNIFFED = 8000
"""So many bytes are looked at for a NUL, as git does, to tell a binary file."""

KNOWN = "known"
"""Images, sounds and the like."""
_GZIP, _ZSTD = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r")) + b"\x7f"

ARCHIVES = (
    (b"PK\x03\x04", "a zip archive"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\x00", "xz data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x04\x22\x4d\x18", "lz4 data"),
    (b"Rar!\x1a\x07", "a rar archive"),
)
"""What holds files that cannot be looked into."""
_BINARY = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a WebP image, WAV sound or AVI film"),
    (b"\0\0\1\0", "an icon"),
    (b"wOF2", "a font"),
    (b"wOFF", "a font"),
    (b"OggS", "Ogg sound"),
    (b"ID3", "MP3 sound"),
    (b"%PDF-", "a PDF file"),
    (b"SQLite format 3\x00", "a SQLite database"),
    (b"\x7fELF", "an ELF file"),
)


def binary_kind(data: bytes) -> str:
    """What a binary file is, or nothing for a text."""
    return known_kind(data) or ("binary data" if b"\0" in data[:_SNIFFED] else "")


def known_kind(data: bytes) -> str:
    """What bytes are by their beginning, or nothing where that says nothing."""
    return next((kind for magic, kind in _BINARY if data.startswith(magic)), "")


def kind_by_head(head: bytes) -> str:
    """What the first bytes of a body show: the name of a coding, ``text``, `KNOWN`, or nothing."""
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
    return "text" if is_text(head, cut=True) else ""


def is_text(data: bytes, *, cut: bool = False) -> bool:
    """Whether bytes are text that a person could have written; `cut`: they may end inside a character."""
    if len(data.translate(None, _CONTROLS)) != len(data):
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return cut and error.start > len(data) - 4 and error.reason == "unexpected end of data"
    return True
