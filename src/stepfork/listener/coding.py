"""Content codings: undone piece by piece and under a limit, so that a small body cannot fill the memory.

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
    def decode(self, data: bytes, limit: int) -> bytes: ...  # at most about `limit` bytes; raises CodingError

    @property
    def finished(self) -> bool: ...


class _Zlib:
    """gzip (several members too) and deflate, which servers send with and without the zlib header."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._inflater = zlib.decompressobj(window)
        self._started = False

    def decode(self, data: bytes, limit: int) -> bytes:
        out: list[bytes] = []
        room = limit
        while data and room > 0:
            if self._inflater.eof:
                if not data.startswith(_GZIP):
                    break  # padding after the last member, as some servers send it
                self._inflater = zlib.decompressobj(self._window)
            piece = self._inflate(data, room)
            out.append(piece)
            room -= len(piece)
            data = self._inflater.unused_data if self._inflater.eof else self._inflater.unconsumed_tail
        return b"".join(out)

    def _inflate(self, data: bytes, room: int) -> bytes:
        try:
            piece = self._inflater.decompress(data, room)
        except zlib.error:
            if self._started or self._window != zlib.MAX_WBITS:
                raise CodingError("is not what its Content-Encoding says") from None
            self._window = -zlib.MAX_WBITS
            self._started = True
            self._inflater = zlib.decompressobj(self._window)
            return self._inflate(data, room)
        self._started = True
        return piece

    @property
    def finished(self) -> bool:
        return self._inflater.eof


class _Foreign:
    """A decoder of another package: `step` gives all that a small piece of input grows to."""

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


def _optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


@cache
def _codings() -> dict[str, Callable[[], _Decoder]]:
    known: dict[str, Callable[[], _Decoder] | None] = {
        "gzip": lambda: _Zlib(16 + zlib.MAX_WBITS),
        "x-gzip": lambda: _Zlib(16 + zlib.MAX_WBITS),
        "deflate": lambda: _Zlib(zlib.MAX_WBITS),
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
        self._fed = False
        self.over = False

    def feed(self, data: bytes) -> bytes:
        """What `data` undoes to, cut at the limit. Raises CodingError."""
        self._fed = self._fed or bool(data)
        out: list[bytes] = []
        for start in range(0, len(data), _PIECE):
            piece = data[start : start + _PIECE]
            for decoder in self._chain:
                piece = decoder.decode(piece, self._left + 1)
                self.over = self.over or len(piece) > self._left
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
