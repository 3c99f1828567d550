"""Bytes of a file to text: what it is, and what cannot be read is said and never called clean."""

from __future__ import annotations

from stepfork.errors import ScanError
from stepfork.redact.magic import ARCHIVES, binary_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MAX_BYTES = 512 << 20
"""A larger file is not scanned, which is an error and no verdict."""
_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\0\0", "utf-32-le"),
    (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
"""Byte order marks, and how the text behind one is encoded."""
_READABLE = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""gzip and Zstandard data, which are read through."""


class Decoded:
    """The text of a file, what the file is called (a compressed one without its last extension), what it is where it is
    binary, and what of it could not be read; bytes that are no text are lone surrogates. `encode` gives the bytes of
    another text, with the byte order mark of this one and compressed as it was."""

    __slots__ = ("binary", "complaint", "encode", "name", "text")

    def __init__(
        self, text: str, name: str, encode: Callable[[str], bytes], *, binary: str = "", complaint: str = ""
    ) -> None:
        self.text = text
        self.name = name
        self.encode = encode
        self.binary = binary
        self.complaint = complaint


def decode(data: bytes, name: str = "") -> Decoded:
    """The text of the bytes of a file called `name`.

    UTF-8 with or without a byte order mark, UTF-16 and UTF-32 with one. A file that is compressed as a whole is read
    up to a limit, a binary file for the text in it. Raises ScanError for archives and other compressed data, for text
    in another encoding, and for what is too large.
    """
    if len(data) > MAX_BYTES:
        raise ScanError(f"is larger than {MAX_BYTES >> 20} MiB and was not scanned")
    pack: Callable[[bytes], bytes] = bytes
    complaint = ""
    if data.startswith(_READABLE):
        from stepfork.redact.encoded import LIMIT, inflated

        inside = inflated(data, LIMIT)
        if inside is not None:
            data, pack, complaint = inside
            name = name.removesuffix(".gz").removesuffix(".zst")
            if not data and complaint:
                raise ScanError(f"{complaint} and was not scanned")
    for magic, kind in ARCHIVES:
        if data.startswith(magic):
            raise ScanError(f"is {kind} and was not scanned", fix="scan what is inside it")
    try:
        mark, encoding = next((row for row in _MARKS if data.startswith(row[0])), (b"", "utf-8"))
        text = data[len(mark) :].decode(encoding)
        return Decoded(text, name, lambda made: pack(mark + made.encode(encoding)), complaint=complaint)
    except UnicodeDecodeError as error:
        binary = binary_kind(data)
        if not binary and not complaint:
            raise ScanError(
                f"is no UTF-8 text (byte {error.start}) and was not scanned", fix="save it as UTF-8"
            ) from None
    text = data.decode("utf-8", "surrogateescape")
    return Decoded(
        text, name, lambda made: pack(made.encode("utf-8", "surrogateescape")), binary=binary, complaint=complaint
    )
