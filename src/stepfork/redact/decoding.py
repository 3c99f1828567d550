"""Bytes of a file to text: what it is, and what cannot be read is said and never called clean."""

from __future__ import annotations

from codecs import utf_8_decode

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
_STRETCH = 1 << 20
"""Bytes that are decoded at a time."""
_READABLE = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""gzip and Zstandard data, which are read through."""


class Decoded:
    """The text of a file as UTF-8, what the file is called (a compressed one without its last extension), what it is
    where it is binary, and what of it could not be read; bytes that are no text are lone surrogates. `encode` gives the
    bytes of another text, with the byte order mark of this one and compressed as it was."""

    __slots__ = ("_errors", "_text", "binary", "complaint", "data", "encode", "name")

    def __init__(
        self,
        data: bytes,
        name: str,
        encode: Callable[[str], bytes],
        *,
        errors: str = "strict",
        binary: str = "",
        complaint: str = "",
    ) -> None:
        self.data = data
        self.name = name
        self.encode = encode
        self.binary = binary
        self.complaint = complaint
        self._errors = errors
        self._text: str | None = None

    @property
    def text(self) -> str:
        """The text itself, which may take four times the room."""
        if self._text is None:
            self._text = self.data.decode("utf-8", self._errors)
        return self._text


def of_text(text: str, name: str) -> Decoded:
    """A text that was read already."""
    return Decoded(text.encode("utf-8", "surrogatepass"), name, str.encode, errors="surrogatepass")


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

        packed = inflated(data, LIMIT)
        if packed is not None:
            data, pack, complaint = packed
            name = name.removesuffix(".gz").removesuffix(".zst")
            if not data and complaint:
                raise ScanError(f"{complaint} and was not scanned")
    for magic, kind in ARCHIVES:
        if data.startswith(magic):
            raise ScanError(f"is {kind} and was not scanned", fix="scan what is inside it")
    try:
        mark, encoding = next((row for row in _MARKS if data.startswith(row[0])), (b"", "utf-8"))
        inside = data[len(mark) :]
        if encoding != "utf-8":
            inside = inside.decode(encoding).encode("utf-8")
        check_utf8(inside)
        return Decoded(inside, name, lambda made: pack(mark + made.encode(encoding)), complaint=complaint)
    except UnicodeDecodeError as error:
        binary = binary_kind(data)
        if not binary and not complaint:
            raise ScanError(
                f"is no UTF-8 text (byte {error.start}) and was not scanned", fix="save it as UTF-8"
            ) from None
    return Decoded(
        data,
        name,
        lambda made: pack(made.encode("utf-8", "surrogateescape")),
        errors="surrogateescape",
        binary=binary,
        complaint=complaint,
    )


def check_utf8(data: bytes) -> None:
    """Raises UnicodeDecodeError for what is no UTF-8. A large text is read bit by bit: as a whole it may take four
    times its bytes."""
    view, at = memoryview(data), 0
    while at < len(data):
        try:
            at += utf_8_decode(view[at : at + _STRETCH], "strict", at + _STRETCH >= len(data))[1]
        except UnicodeDecodeError as error:
            error.start += at
            raise
