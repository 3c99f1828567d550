"""run --verify-receipt: does a receipt speak of the files at hand? Nothing is run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from stepfork.errors import NotFoundError, StoreError
from stepfork.workflows.receipt import Receipt, read_receipt
from stepfork.workflows.run import Inputs, read_inputs


@dataclass(frozen=True)
class Verified:
    """What the receipt says, and what of it does not hold: a word (``receipt``, ``test``, ``bundle``, ``entrypoint``)
    and why, each."""

    receipt: Receipt
    differences: tuple[tuple[str, str], ...]


def verify_receipt(test: Path, receipt: Path, environ: Mapping[str, str]) -> Verified:
    """Hash what the receipt has hashes of again. Raises StepforkError where the receipt, or the test, cannot be read.

    A hash that the receipt lacks cannot be held against anything, so it does not hold.
    """
    told, is_sealed = read_receipt(receipt)
    now = read_inputs(test, environ)
    if now.test.hash is None and now.failure is not None:
        kind = NotFoundError if now.failure.reason == "test_missing" else StoreError
        raise kind(now.failure.detail or "the test cannot be read")
    return Verified(told, tuple(_differences(told, now, is_sealed=is_sealed)))


def _differences(told: Receipt, now: Inputs, *, is_sealed: bool) -> Iterator[tuple[str, str]]:
    if not is_sealed:
        yield "receipt", "was edited: its digest does not fit"
    for word, then, here in (
        ("test", told.test, now.test),
        ("bundle", told.bundle, now.bundle),
        ("entrypoint", told.entrypoint, now.entrypoint),
    ):
        if then is None or then.hash is None:
            yield word, "the receipt has no hash of it"
        elif here is None or here.hash is None:
            why = now.failure.detail if word == "bundle" and now.failure is not None else None
            yield word, why or "cannot be found any more"
        elif then.hash != here.hash:
            yield word, "is not the one that was run"
    if told.entrypoint is not None and now.entrypoint is not None and told.entrypoint.name != now.entrypoint.name:
        yield "entrypoint", "the test names another one"
