"""The bytes of a fixture's objects by name: small ones at hand, large ones set aside in an unnamed temporary file.

A run of half a gigabyte is held in memory while its fixture is written; its bytes must not stand beside it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from typing import IO

import msgspec

ASIDE = 1 << 20
"""Bytes from which on an object is set aside."""


class Objects(Mapping[str, bytes]):
    """Objects by name; `size` is the bytes of all of them.

    What is set aside has been redacted, and lies in a file that has no name (or, where there are such, is removed with
    this process). Where no such file can be had, or it is full, the objects stay in memory.
    """

    def __init__(self, objects: Mapping[str, bytes] | None = None) -> None:
        self.size = 0
        self._at_hand: dict[str, bytes | tuple[int, int]] = {}
        self._file: IO[bytes] | None = None
        self._end = 0
        for name, data in (objects or {}).items():
            self.put(name, data)

    def put(self, name: str, data: bytes) -> None:
        """Keeps an object, once."""
        if name not in self._at_hand:
            self.size += len(data)
            self._at_hand[name] = self._set_aside(data) if len(data) >= ASIDE else data

    def _set_aside(self, data: bytes) -> bytes | tuple[int, int]:
        try:
            self._file = self._file or tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the objects do
            self._file.seek(self._end)
            self._file.write(data)
            self._file.flush()
        except OSError:
            return data
        self._end += len(data)
        return self._end - len(data), len(data)

    def __getitem__(self, name: str) -> bytes:
        found = self._at_hand[name]
        if isinstance(found, bytes):
            return found
        assert self._file is not None
        self._file.seek(found[0])
        return self._file.read(found[1])

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()

    def __iter__(self) -> Iterator[str]:
        return iter(self._at_hand)

    def __len__(self) -> int:
        return len(self._at_hand)


class Encoded(msgspec.Struct, frozen=True):
    """The bytes of a manifest, and of each object that it reaches by name."""

    manifest: bytes
    objects: Objects

    @property
    def files(self) -> int:
        """How many files that is."""
        return len(self.objects) + 1

    @property
    def size(self) -> int:
        """How many bytes those are."""
        return len(self.manifest) + self.objects.size
