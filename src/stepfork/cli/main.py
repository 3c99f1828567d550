"""Where the `stepfork` command starts: the commands that hooks pay for each time are dispatched before typer loads."""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    try:
        return _dispatch(arguments, is_process=argv is None)
    except KeyboardInterrupt:
        from stepfork.cli.endings import interrupted

        return interrupted(_named(arguments))
    except Exception as error:
        from stepfork.cli.endings import failed_inside

        return failed_inside(_named(arguments), error)


def _named(arguments: list[str]) -> str:
    return " ".join(["stepfork", *arguments[:1]])


def _dispatch(arguments: list[str], *, is_process: bool) -> int:
    match arguments[:1]:
        case ["check-redaction"]:
            if is_process:  # a process of its own, which makes no cycles that are worth looking for
                import gc

                gc.disable()
            from stepfork.cli import check_redaction

            return check_redaction.main(arguments[1:])
        case ["select"]:
            if is_process:  # a process of its own, which reads tens of thousands of paths once and ends
                import gc

                gc.disable()
            from stepfork.cli import select

            return select.main(arguments[1:])
        case ["textconv"]:
            if is_process:  # a process of its own for each version of each manifest
                import gc

                gc.disable()
            from stepfork.cli import textconv

            return textconv.main(arguments[1:])
        case ["git-diff"]:
            from stepfork.cli import git_diff

            return git_diff.main(arguments[1:])
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
