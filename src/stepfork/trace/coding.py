"""Content codings: undone piece by piece and under a limit, so that a small body cannot fill the memory; and applied.

gzip and deflate come with Python. Brotli and Zstandard are undone where a package for them is installed (Zstandard is
in the standard library from 3.14); `supported()` says which, and the proxy asks an upstream for no other, since a body
that cannot be undone cannot be searched for secrets.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

_GZIP = b"\x1f\x8b"
_PIECE = 1 << 16  # what is handed to a decoder at a time
_BITE = 256  # the same, for decoders that have no limit of their own on what comes out


class CodingError(Exception):
    """Bytes that are not what their Content-Encoding says, or a coding that cannot be undone here."""


class _Decoder(Protocol):
    has_tail: bool

    def decode(self, data: bytes, limit: int) -> bytes: ...  # at most about `limit` bytes; raises CodingError

    @property
    def finished(self) -> bool: ...


class _Zlib:
    """gzip, of several members too, and deflate, which servers send with and without the zlib header."""

    def __init__(self, *, gzip: bool) -> None:
        self._is_gzip = gzip
        self._inflater: Any = None
        self._head = b""  # the start of a member, until it is enough to tell what it is
        self._members = 0
        self._is_padding = False
        self.has_tail = False

    def decode(self, data: bytes, limit: int) -> bytes:
        out: list[bytes] = []
        room = limit
        while data and room > 0 and not self._is_padding:
            if self._inflater is None:
                data = self._begin(data)
                continue
            try:
                piece = self._inflater.decompress(data, room)
            except zlib.error:
                raise CodingError("is not what its Content-Encoding says") from None
            out.append(piece)
            room -= len(piece)
            data = self._inflater.unconsumed_tail
            if self._inflater.eof:
                data = self._inflater.unused_data
                self._inflater = None
                self._members += 1
        self.has_tail = self.has_tail or (self._is_padding and bool(data.strip(b"\0")))
        return b"".join(out)

    def _begin(self, data: bytes) -> bytes:
        """Begins a member if there is enough of it; what is to be inflated."""
        data = self._head + data
        if len(data) < 2:
            self._head = data
            return b""
        self._head = b""
        if self._members and not (self._is_gzip and data.startswith(_GZIP)):
            self._is_padding = True  # after the last member, as some servers send it
        elif self._is_gzip:
            self._inflater = zlib.decompressobj(16 + zlib.MAX_WBITS)
        else:
            self._inflater = zlib.decompressobj(zlib.MAX_WBITS if _has_header(data) else -zlib.MAX_WBITS)
        return data

    @property
    def finished(self) -> bool:
        return self._inflater is None and self._members > 0


class _Foreign:
    """A decoder of another package: `step` gives all that a small piece of input grows to."""

    has_tail = False  # such bytes are an error to these packages

    def __init__(self, step: Callable[[bytes], bytes], is_finished: Callable[[], bool]) -> None:
        self._step = step
        self._is_finished = is_finished

    def decode(self, data: bytes, limit: int) -> bytes:
        out: list[bytes] = []
        size = 0
        for start in range(0, len(data), _BITE):
            try:
                piece = self._step(data[start : start + _BITE])
            except Exception:  # each package raises classes of its own
                raise CodingError("is not what its Content-Encoding says") from None
            out.append(piece)
            size += len(piece)
            if size >= limit:
                break
        return b"".join(out)

    @property
    def finished(self) -> bool:
        return self._is_finished()


def _brotli() -> Callable[[], _Decoder] | None:
    for name in ("brotli", "brotlicffi"):
        module = _optional(name)
        if module is not None:
            return lambda made=module: _of_brotli(made.Decompressor())  # type: ignore[misc]
    return None


def _of_brotli(decompressor: Any) -> _Decoder:
    step = getattr(decompressor, "process", None) or decompressor.decompress
    return _Foreign(step, getattr(decompressor, "is_finished", lambda: True))


def _zstd() -> Callable[[], _Decoder] | None:
    module = _optional("compression.zstd")
    if module is not None:
        return lambda: _of_zstd(module.ZstdDecompressor())
    module = _optional("zstandard")
    if module is not None:
        return lambda: _of_zstd(module.ZstdDecompressor().decompressobj())
    return None


def _of_zstd(decompressor: Any) -> _Decoder:
    return _Foreign(decompressor.decompress, lambda: bool(decompressor.eof))


def apply(name: str, data: bytes, *, like: bytes) -> bytes:
    """`data` in a coding that can be undone here. The same bytes give the same bytes: no name, no time of day.

    `like` is what stood there before: deflate has two forms.
    """
    if name in ("gzip", "x-gzip"):
        ends = (zlib.crc32(data).to_bytes(4, "little"), (len(data) & 0xFFFFFFFF).to_bytes(4, "little"))
        return b"".join((_GZIP, b"\x08", bytes(5), b"\x02\xff", _deflated(data, -zlib.MAX_WBITS), *ends))
    if name == "deflate":
        return _deflated(data, zlib.MAX_WBITS if _has_header(like) else -zlib.MAX_WBITS)
    modules = ("brotli", "brotlicffi") if name == "br" else ("compression.zstd", "zstandard")
    module: Any = next(found for found in map(_optional, modules) if found is not None)
    return bytes(module.compress(data))


def _deflated(data: bytes, bits: int) -> bytes:
    making = zlib.compressobj(9, zlib.DEFLATED, bits)
    return making.compress(data) + making.flush()


def _has_header(data: bytes) -> bool:
    """Whether deflated data begins with a zlib header (RFC 1950, 2.2)."""
    return data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0


def _optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


@cache
def _codings() -> dict[str, Callable[[], _Decoder]]:
    known: dict[str, Callable[[], _Decoder] | None] = {
        "gzip": lambda: _Zlib(gzip=True),
        "x-gzip": lambda: _Zlib(gzip=True),
        "deflate": lambda: _Zlib(gzip=False),
        "br": _brotli(),
        "zstd": _zstd(),
    }
    return {name: make for name, make in known.items() if make is not None}


def supported() -> frozenset[str]:
    """The codings that can be undone here, in lower case."""
    return frozenset(_codings())


class Undo:
    """Undoes the codings of one body as its pieces come; `limit` is on the bytes that come out.

    Raises CodingError at once for a coding that is not supported. An empty body undoes to nothing whatever its header
    says: HEAD, 204 and 304 answers carry the header without a body. ``over`` says that there was more than the limit.
    """

    def __init__(self, content_encoding: str, limit: int) -> None:
        names = [name.strip().lower() for name in content_encoding.split(",")]
        names = [name for name in names if name not in ("", "identity")]
        if len(names) > 2 or not set(names) <= supported():
            raise CodingError("has a Content-Encoding that cannot be undone here")
        self._chain = [_codings()[name]() for name in reversed(names)]
        self._left = limit
        self._between = max(limit, _PIECE)  # what one coding may hand to the next at a time
        self._fed = False
        self.over = False

    def feed(self, data: bytes) -> bytes:
        """What `data` undoes to, cut at the limit. Raises CodingError."""
        self._fed = self._fed or bool(data)
        out: list[bytes] = []
        for start in range(0, len(data), _PIECE):
            piece = data[start : start + _PIECE]
            for decoder in self._chain[:-1]:
                piece = decoder.decode(piece, self._between + 1)
                self.over = self.over or len(piece) > self._between
            for decoder in self._chain[-1:]:
                piece = decoder.decode(piece, self._left + 1)
            self.over = self.over or len(piece) > self._left
            out.append(piece[: self._left])
            self._left -= len(out[-1])
            if self.over:
                break
        return b"".join(out)

    @property
    def finished(self) -> bool:
        """Whether the body has come to its own end; a compressed one that was cut off has not."""
        return not self._fed or all(decoder.finished for decoder in self._chain)

    @property
    def has_tail(self) -> bool:
        """Whether bytes stood behind the end of the body that are no padding; they were passed over."""
        return any(decoder.has_tail for decoder in self._chain)
