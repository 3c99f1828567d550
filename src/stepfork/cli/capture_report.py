"""What capture and refresh share: refusing to record in CI, and how a result is told, with an exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stepfork.cli.console import err, out, out_json
from stepfork.cli.destinations import write_result_file
from stepfork.cli.exit_codes import NO, OK, of_signal
from stepfork.errors import UsageError

if TYPE_CHECKING:
    from stepfork.diff.fixture_diff import FixtureDiff
    from stepfork.workflows.capture_result import CaptureResult


@dataclass(frozen=True)
class Output:
    """How a result is told."""

    as_json: bool
    result_file: Path | None
    github: bool

    @property
    def quiet(self) -> bool:
        """Whether stdout is spoken for."""
        return self.as_json or self.github

    @property
    def stdout(self) -> int | None:
        """A file descriptor for what the command prints, None for this process's own stdout."""
        return sys.stderr.fileno() if self.quiet else None


def refuse_in_ci(paths: Sequence[str], locally: str) -> None:
    """Raise UsageError where a CI system runs this: a missing fixture is a red build there, not a paid run. `paths` are
    the fixtures that would be written, `locally` is the command that writes them elsewhere."""
    from stepfork.config.process import may_record

    if may_record():
        return
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    raise UsageError(
        "nothing is recorded in CI without --allow-capture",
        where=", ".join(paths[:3]) + more,
        fix=f"run it on your machine and commit what it writes: {locally}",
    )


def shell_words(command: tuple[str, ...]) -> str:
    """The command as one would type it."""
    import shlex

    return shlex.join(command)


def print_result(
    captured: CaptureResult,
    diff: FixtureDiff | None,
    *,
    clean: Callable[[str], str] | None = None,
    next_step: bool = True,
) -> None:
    """The summary, what changed where there is something to compare with, and what to do next."""
    from stepfork.cli.render.capture_text import capture_lines, next_line
    from stepfork.cli.render.columns import fold

    for line in capture_lines(captured):
        err(fold(line, sys.stderr))
    if captured.explained is not None:
        from stepfork.cli.render.explain_text import explain_lines

        more = show_command(captured)
        for line in explain_lines(captured.redactions, captured.explained, sys.stderr, more=more):
            err(line)
        err("")
    if diff is not None:
        from stepfork.cli.diff import print_diff
        from stepfork.cli.session import redactor

        all_of_it = ("stepfork", "diff", diff.name, "--full")
        print_diff(diff, clean or redactor(), how="" if captured.path is None else shell_words(all_of_it))
    line = next_line(captured, refreshed=diff is not None)
    if line and next_step:
        err(line)


def show_command(captured: CaptureResult) -> str:
    """The command that tells each placeholder of what was kept, empty where nothing was."""
    from stepfork.cli.session import shown_path

    kept = captured.draft or captured.path
    if kept is None:
        return ""
    word = captured.name if captured.draft is None and captured.store is not None else shown_path(kept)
    return f"{shell_words(('stepfork', 'show', word))} --placeholders"


def tell(told: Output, document: bytes, captured: Sequence[CaptureResult]) -> int:
    """Write the document where it is wanted. The exit code of a failure to, 0 for none."""
    failed = OK
    if told.result_file is not None:
        failed = write_result_file("capture", told.result_file, document)
    if told.as_json:
        out_json(document)
    if told.github:
        for result in captured:
            if result.outcome == "not_verified":
                annotate(result.name, result.path, result.causes)
    return failed


def exit_code(captured: CaptureResult) -> int:
    """0 verified or nothing to verify, 1 not verified or no fixture, 130 or 143 interrupted."""
    if captured.signal is not None:
        return of_signal(captured.signal)
    return NO if captured.outcome == "not_verified" else OK


def annotate(name: str, path: Path | None, causes: Sequence[str]) -> None:
    """Put an annotation of a job on the fixture at `path`, one for each cause."""
    from stepfork.cli.render.github import annotation
    from stepfork.cli.session import annotated_path

    file = "" if path is None else annotated_path(path)
    for cause in causes:
        out(annotation("error", cause, file=file, title=f"stepfork capture {name}"))
