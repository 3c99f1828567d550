"""A receipt: what a run of a test came to, and of what. It is written by the runner, after the tested process is gone.

It holds hashes of all that the verdict rests on, so that anybody can see later whether it speaks of the files at hand,
and a digest over itself, so that an edit by hand is seen. It is no signature: who can write files can write receipts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from stepfork.canonical.encode import dumps
from stepfork.canonical.names import is_name, name_of
from stepfork.canonical.parse import parse
from stepfork.errors import CanonicalError, StoreError, UsageError
from stepfork.store.files import read_plain, remove_file, temporary_beside, write_atomic, write_new
from stepfork.workflows.code_state import CodeState
from stepfork.workflows.run_verdict import Counts, Word

VERSION = 1
"""The ``receipt_version`` that is written, and the newest that is read."""

MAX_BYTES = 1 << 20
"""Of a receipt that is read."""


class Hashed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file, or a recording, and the BLAKE3 of its bytes; None where it could not be read."""

    path: str
    hash: str | None


class HashedEntrypoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entrypoint as it is written, and the file that its module is in; None where none was found."""

    name: str
    path: str | None
    hash: str | None


class Versions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ran it."""

    stepfork: str
    python: str
    pytest: str
    platform: str


class Receipt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """See ``docs/reference/run.md``. ``exit_status`` is pytest's, None where it was not started; ``bundle``,
    ``entrypoint`` and ``git`` are None where there was no knowing them; ``started_at`` is UTC."""

    receipt_version: int
    verdict: Word
    reason: str | None
    detail: str | None
    exit_status: int | None
    test: Hashed
    bundle: Hashed | None
    entrypoint: HashedEntrypoint | None
    git: CodeState | None
    versions: Versions
    counts: Counts
    command: tuple[str, ...]
    started_at: str
    duration_seconds: float
    digest: str = ""


def receipt_bytes(receipt: Receipt) -> bytes:
    """Canonical JSON, with the digest over all the rest."""
    document = msgspec.to_builtins(receipt)
    document["digest"] = digest_of(document)
    return dumps(document)


def digest_of(document: dict[str, Any]) -> str:
    """BLAKE3 of the canonical form of a receipt without its digest."""
    return name_of(dumps({name: value for name, value in document.items() if name != "digest"}))


def read_receipt(path: Path) -> tuple[Receipt, bool]:
    """A receipt, and whether its digest fits. Raises NotFoundError, StoreError, and UsageError for what is none."""
    where = path.as_posix()
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UsageError("is too large for a receipt", where=where)
    except OSError:
        pass  # told by what reads it
    try:
        document = parse(read_plain(path, where))
    except CanonicalError as error:
        raise UsageError(f"is no receipt: {error.what}", where=where) from None
    except ValueError:
        raise StoreError("cannot be read (its name is no path)", where=where) from None
    if not isinstance(document, dict) or type(document.get("receipt_version")) is not int:
        raise UsageError("is no receipt: it has no receipt_version", where=where)
    if document["receipt_version"] != VERSION:
        raise UsageError("is a receipt of another version", where=where, fix="use the stepfork that wrote it")
    try:
        receipt = msgspec.convert(document, Receipt)
    except (msgspec.ValidationError, OverflowError):
        raise UsageError("is no receipt: a member is absent, unknown or of a wrong type", where=where) from None
    if not is_name(receipt.digest):
        raise UsageError("is no receipt: its digest is none", where=where)
    return receipt, receipt.digest == digest_of(document)


def check_receipt_path(path: Path, protected: tuple[Path, ...]) -> None:
    """Raise UsageError, before anything runs, where a receipt could not be written to `path` afterwards, or would take
    the place of something else than a receipt. `protected` are files and folders that the run rests on."""
    where = path.as_posix()
    try:
        fault = _fault_of(path, protected)
        if fault is None:
            probe = temporary_beside(path)
            write_new(probe, b"")
            probe.unlink()
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        fault = f"cannot be written ({error.strerror if isinstance(error, OSError) else 'its name is no path'})"
    if fault is not None:
        raise UsageError(fault, where=where, fix="name another file with --receipt")


def _fault_of(path: Path, protected: tuple[Path, ...]) -> str | None:
    target = path.resolve()
    if any(target == each or each in target.parents for each in (one.resolve() for one in protected)):
        return "belongs to what is tested"
    if path.is_symlink() or (path.exists() and not path.is_file()):
        return "is not a file"
    if path.exists():
        try:
            read_receipt(path)
        except (UsageError, StoreError):
            return "is there and is no receipt"
    return None


def take_receipt_away(path: Path) -> None:
    """Remove an older receipt, so that a run that ends in no way leaves none that could be taken for its own."""
    try:
        remove_file(path)
    except OSError as error:
        raise UsageError(f"cannot be replaced ({error.strerror})", where=path.as_posix()) from None


def write_receipt(path: Path, document: bytes) -> None:
    """Write it, whole or not at all. Raises StoreError."""
    try:
        write_atomic(path, document)
    except OSError as error:
        raise StoreError(f"the receipt cannot be written ({error.strerror})", where=path.as_posix()) from None
