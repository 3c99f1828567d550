"""stepfork run."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from stepfork.cli.console import counted, err, out, out_json
from stepfork.cli.escape import escape
from stepfork.cli.exit_codes import BAD_INPUT, NO, OK
from stepfork.cli.session import redactor
from stepfork.cli.verb import typed_as
from stepfork.errors import UsageError

if TYPE_CHECKING:
    from stepfork.workflows.run_verdict import Verdict

_EXITS = (
    "Exit codes: 0 passed; 1 failed; 2 it could not be executed, or not all of it. With --verify-receipt: 0 the "
    "receipt is about these files, whatever its verdict; 1 it is not; 2 it cannot be read."
)
_CODES = {"passed": OK, "failed": NO, "could_not_execute": BAD_INPUT}
_SECONDS = 600.0


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    usage = typed_as("[OPTIONS] TEST", "TEST --verify-receipt FILE")
    app.command("run", cls=usage, short_help="Run an exported test: passed is only what ran.", epilog=_EXITS)(run)


def run(
    test: Path = typer.Argument(..., metavar="TEST", help="A test that stepfork export wrote."),
    receipt: Path | None = typer.Option(
        None, "--receipt", metavar="FILE", help="Write what ran, its hashes and its verdict (receipt.schema.json)."
    ),
    timeout: float = typer.Option(
        _SECONDS, "--timeout", metavar="SECONDS", help="Stop it after so many seconds; 0 is never.", show_default="600"
    ),
    verify: Path | None = typer.Option(
        None, "--verify-receipt", metavar="FILE", help="Run nothing: is this receipt about these files?"
    ),
    as_json: bool = typer.Option(
        False, "--json", help="The receipt, or its check (receipt-check.schema.json), on stdout."
    ),
) -> None:
    """Run an exported test with pytest. Passed is only what ran: what is skipped, or not found, is not."""
    from stepfork.config.environment import environ
    from stepfork.workflows.run import RunRequest
    from stepfork.workflows.run import run as execute

    clean = redactor()
    if verify is not None:
        if receipt is not None:
            raise UsageError("--receipt and --verify-receipt are two commands", fix="leave one out")
        raise typer.Exit(_verified(test, verify, clean, as_json=as_json))
    if not math.isfinite(timeout) or timeout < 0:
        raise UsageError("--timeout is a number of seconds, from 0")
    result = execute(
        RunRequest(
            test=test,
            environ=environ(),
            cwd=Path.cwd(),
            clean=clean,
            command=_typed(test, receipt, timeout, as_json=as_json),
            seconds=timeout or None,
            receipt=receipt,
            stdout=_messages(),
        )
    )
    if as_json:
        out_json(result.document)
    else:
        out(escape(clean(verdict_line(result.verdict))))
    raise typer.Exit(_CODES[result.verdict.verdict])


def verdict_line(verdict: Verdict) -> str:
    """Such as ``passed: 1 test`` and ``could_not_execute (bundle_missing): inc.sftrace: there is no such bundle``."""
    from stepfork.workflows.run_verdict import REASONS

    counts = verdict.counts
    if verdict.verdict == "passed":
        return f"passed: {counted(counts.passed, 'test')}"
    if verdict.verdict == "failed":
        return f"failed: {counts.failed} of {counted(counts.collected, 'test')}"
    told = [f"{number} {word}" for word, number in _counts(verdict) if number]
    why = verdict.detail or " ".join([REASONS[verdict.reason or ""], *([f"({', '.join(told)})"] if told else [])])
    return f"could_not_execute ({verdict.reason}): {why}"


def _counts(verdict: Verdict) -> list[tuple[str, int]]:
    counts = verdict.counts
    return [
        ("passed", counts.passed),
        ("failed", counts.failed),
        ("errors", counts.errors),
        ("skipped", counts.skipped),
        ("xfailed", counts.xfailed),
        ("xpassed", counts.xpassed),
        ("deselected", counts.deselected),
        ("not run", counts.not_run),
    ]


def _verified(test: Path, receipt: Path, clean: Callable[[str], str], *, as_json: bool) -> int:
    from stepfork.config.environment import environ
    from stepfork.workflows.verify_receipt import verify_receipt

    found = verify_receipt(test, receipt, environ())
    verdict = (
        found.receipt.verdict if found.receipt.reason is None else f"{found.receipt.verdict} ({found.receipt.reason})"
    )
    if as_json:
        from stepfork.canonical.encode import dumps

        out_json(
            dumps(
                {
                    "holds": not found.differences,
                    "verdict": found.receipt.verdict,
                    "reason": found.receipt.reason,
                    "differences": [{"of": word, "says": clean(why)} for word, why in found.differences],
                }
            )
        )
    elif found.differences:
        for word, why in found.differences:
            out(escape(clean(f"{word}: {why}")))
    else:
        out(escape(f"the receipt holds: {verdict}, test, bundle and entrypoint as they were"))
    if found.differences and not as_json:
        err(f"stepfork run: {escape(receipt.as_posix())} does not hold for what is here")
    return NO if found.differences else OK


def _messages() -> int:
    """Where messages go: what pytest prints is none of the result."""
    try:
        return sys.stderr.fileno()
    except (AttributeError, OSError, ValueError):  # closed, or a stand-in
        return subprocess.DEVNULL


def _typed(test: Path, receipt: Path | None, timeout: float, *, as_json: bool) -> tuple[str, ...]:
    words = ["stepfork", "run", test.as_posix()]
    if receipt is not None:
        words += ["--receipt", receipt.as_posix()]
    if timeout != _SECONDS:
        words += ["--timeout", f"{timeout:g}"]
    return (*words, *(["--json"] if as_json else []))
