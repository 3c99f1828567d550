"""The commands that typer parses, and what an error looks like: one line, exit 2, never a traceback."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import typer

from stepfork.cli import (
    capture,
    care,
    check_redaction,
    diff,
    doctor,
    export,
    init,
    replay,
    run,
    score,
    select,
    show,
    trace,
    validate,
)
from stepfork.cli.console import err, out
from stepfork.cli.endings import failed_inside, interrupted
from stepfork.cli.escape import escape
from stepfork.cli.exit_codes import BAD_INPUT, OK
from stepfork.cli.version import version
from stepfork.errors import StepforkError

# typer brings a click of its own, or uses the one that is installed, depending on its release.
_Refused = cast(type[Exception], next(k for k in typer.BadParameter.__mro__ if k.__name__ == "ClickException"))

app = typer.Typer(
    name="stepfork",
    help="One real agent run as a fixture in git: captured, redacted, byte-stable, diffable.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        out(f"stepfork {version()}")
        raise typer.Exit


@app.callback()
def _root(
    _show: bool = typer.Option(False, "--version", is_eager=True, callback=_version, help="Print the version."),
) -> None:
    """One real agent run as a fixture in git."""


_HANDED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


@app.command("check-redaction", context_settings=_HANDED_ON)
def _check_redaction(context: typer.Context) -> None:
    """Look for secrets in fixtures, bundles and text files."""
    raise typer.Exit(check_redaction.main(context.args))


@app.command("select", context_settings=_HANDED_ON)
def _select(context: typer.Context) -> None:
    """Name the tests that a change of fixtures touches."""
    raise typer.Exit(select.main(context.args))


for _verbs in (init, doctor, capture, replay, export, score, run, diff, show, validate, care, trace):
    _verbs.add_to(app)

# The list of commands begins with the everyday ones.
_EVERYDAY = (
    *("init", "capture", "replay", "diff", "select", "check-redaction", "show", "ls"),
    *("export", "score", "run"),  # from a recorded run to a test, in this order
    "doctor",
)
app.registered_commands.sort(key=lambda verb: _EVERYDAY.index(verb.name) if verb.name in _EVERYDAY else len(_EVERYDAY))


def _command(arguments: list[str]) -> str:
    """What a message begins with: ``stepfork diff``, ``stepfork trace check``."""
    groups = {group.name for group in app.registered_groups}
    words = arguments[: 2 if arguments[:1] and arguments[0] in groups else 1]
    return " ".join(["stepfork", *(word for word in words if not word.startswith("-"))])


def _page(arguments: list[str]) -> str:
    """Whose help tells how it is typed: of the verb, as far as there is one."""
    verbs = {verb.name for verb in app.registered_commands}
    for group in app.registered_groups:
        verbs.add(group.name)
        inner = group.typer_instance.registered_commands if group.typer_instance is not None else []
        if arguments[0] == group.name and arguments[1:2] and arguments[1] in {verb.name for verb in inner}:
            return f"stepfork {arguments[0]} {arguments[1]}"
    return f"stepfork {arguments[0]}" if arguments[0] in verbs else "stepfork"


def _hidden(text: str) -> str:
    """What an error says, without secrets: it may name files, fixtures and commands, and holds no payload."""
    from stepfork.cli.session import redactor

    try:
        return redactor(warn=False)(text)
    except (StepforkError, OSError):  # what this very error is about
        return text


@cache
def _parser() -> Callable[..., Any]:
    """What typer makes of the signatures of all commands: once for a process that runs several command lines."""
    return typer.main.get_command(app)


def main(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    command = _command(arguments)
    try:
        code = _parser()(arguments or ["--help"], standalone_mode=False, prog_name="stepfork")
    except StepforkError as error:
        err(f"{escape(command)}: {escape(_hidden(str(error)))}")
        return error.exit_code
    except _Refused as error:
        message = str(cast(Any, error).format_message()).replace("\n", " ").rstrip(".")
        see = f" See {_page(arguments)}" if message.endswith("?") else f"; see {_page(arguments)}"
        err(f"{escape(command)}: {escape(message)}{see} --help")
        return BAD_INPUT
    except (KeyboardInterrupt, typer.Abort):
        return interrupted(command)
    except (BrokenPipeError, SystemExit):  # typer exits with 1 where the reader of a help text has seen enough
        return OK
    except OSError as error:
        where = error.filename or "the working folder or the output"
        err(f"{escape(command)}: {escape(str(where))}: {escape(error.strerror or 'cannot be used')}")
        return BAD_INPUT
    except Exception as error:
        return failed_inside(command, error)
    return code if isinstance(code, int) else OK
