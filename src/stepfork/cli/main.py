"""Where the `stepfork` command starts: the commands that hooks pay for each time are dispatched before typer loads."""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    match arguments[:1]:
        case ["check-redaction"]:
            from stepfork.cli import check_redaction

            return check_redaction.main(arguments[1:])
        case ["select"]:
            if argv is None:  # a process of its own, which reads tens of thousands of paths once and ends
                import gc

                gc.disable()
            from stepfork.cli import select

            return select.main(arguments[1:])
        case ["--version"]:
            from stepfork.cli.console import err, out
            from stepfork.cli.version import version
            from stepfork.errors import StepforkError

            try:
                out(f"stepfork {version()}")
            except StepforkError as error:
                err(f"stepfork: {error}")
                return error.exit_code
            return 0
    from stepfork.cli import app

    return app.main(arguments)
