"""check-redaction --fix: what the command prints once it has redacted."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import NoReturn

from stepfork.cli.check_options import Options
from stepfork.cli.console import err
from stepfork.cli.exit_codes import BAD_INPUT, NO, OK
from stepfork.config.environment import store_override
from stepfork.redact.secrets import Secrets
from stepfork.workflows import fix_redaction as workflow
from stepfork.workflows.fix_redaction import Fix
from stepfork.workflows.fix_task import FixTask


def run(
    options: Options, folder: str, variables: dict[str, str], secrets: Secrets, *, in_hook: bool
) -> tuple[int, str]:
    """Redact what the options name. The exit code, which is that of a check made afterwards, and the report."""
    with _stoppable():
        fix = _fix(options, folder, variables, secrets, in_hook=in_hook)
    after = fix.after
    code = NO if after.findings else BAD_INPUT if after.problems else OK
    if options.json:
        from stepfork.cli.render.check_json import check_document

        return code, check_document(after, secrets, hashes=False, fixed=fix.fixed)
    from stepfork.cli.render.check_text import remarks
    from stepfork.cli.render.fix_text import lines, told

    for line in (*remarks(after, secrets, options.paths), *told(fix, secrets)):
        err(line)
    return code, "\n".join(lines(fix, secrets, in_hook=in_hook))


@contextmanager
def _stoppable() -> Iterator[None]:
    """Have what asks the process to end unwind it, so that no prepared file is left behind in the user's folders."""
    numbers = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    before = {number: signal.getsignal(number) for number in numbers}
    ours = [number for number in numbers if before[number] == signal.SIG_DFL and current_thread() is main_thread()]
    for number in ours:
        signal.signal(number, _stop)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, before[number])


def _stop(number: int, _: object) -> NoReturn:
    raise SystemExit(128 + number)


def _fix(options: Options, folder: str, variables: dict[str, str], secrets: Secrets, *, in_hook: bool) -> Fix:
    task = FixTask(folder, variables, secrets, store_override())
    if options.staged or (in_hook and not options.paths):
        return workflow.fix_staged(task, options.paths)
    if in_hook:
        return workflow.fix_in_hook(task, options.paths)
    if options.paths:
        return workflow.fix_paths(task, options.paths)
    return workflow.fix_store(task)
