"""stepfork textconv: what ``git diff``, ``git log -p``, ``git show`` and ``git blame`` show of a fixture's manifest.

git asks for each version of each manifest, so the command starts without typer; and whatever becomes of git decides
here, so it never fails: a file that is no manifest, or takes too long to read, is printed as it is. The guard that git
runs it in asks for nothing instead, since a shell cannot hand on every byte, and prints the file itself.
"""

from __future__ import annotations

import sys
from contextlib import suppress

from stepfork.cli.console import err, out, out_bytes
from stepfork.cli.exit_codes import BAD_INPUT, NO, OK
from stepfork.cli.for_git import in_time
from stepfork.config.environment import environ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from stepfork.workflows.textconv import Told

HELP = """\
Usage: stepfork textconv [--or-nothing] FILE

Print the manifest FILE as text whose lines are worth comparing. git runs this
once stepfork init has set it up (docs/how-to/diffs-in-git.md). Any other file
is printed as it is; with --or-nothing it is not, and the exit code is 1.

STEPFORK_GIT_SECONDS is how long git waits for it (10; 0: as long as it takes).
"""


def main(argv: list[str]) -> int:
    """Run the command with the words after its name; the exit code."""
    if argv[:1] == ["--help"]:
        out(HELP.rstrip("\n"))
        return OK
    or_nothing = argv[:1] == ["--or-nothing"]
    words = argv[1:] if or_nothing else argv
    words = words[1:] if words[:1] == ["--"] else words
    if len(words) != 1:
        err("stepfork textconv: takes one FILE; stepfork textconv --help says what it does")
        return BAD_INPUT
    text = in_time(lambda: _text(words[0]))
    if text is None:
        return NO if or_nothing else _as_it_is(words[0])
    out_bytes(text)
    return OK


def told_of(path: str) -> Told | None:
    """What a file that git hands over tells, None where it is no manifest; git put us at the top."""
    from pathlib import Path

    from stepfork.config.environment import read_dotenv
    from stepfork.errors import ConfigError
    from stepfork.workflows.textconv import read_for_git

    dotenv: dict[str, str] = {}
    with suppress(ConfigError):
        dotenv = read_dotenv(".")
    return read_for_git(Path(path), Path.cwd(), environ(), dotenv)


def _text(path: str) -> bytes | None:
    told = told_of(path)
    if told is None:
        return None
    from stepfork.cli.render.fixture_text import fixture_lines

    return as_bytes(fixture_lines(told))


def as_bytes(lines: Iterable[str]) -> bytes:
    """Lines as git reads them, whatever the terminal's encoding is: as the files that it shows beside them."""
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")


def _as_it_is(path: str) -> int:
    """Copy the file to stdout, byte for byte."""
    try:
        sys.stdout.flush()
        with open(path, "rb") as file:  # noqa: PTH123 - without pathlib
            while piece := file.read(1 << 20):
                out_bytes(piece)
    except OSError as error:
        err(f"stepfork textconv: {error.strerror}")
        return BAD_INPUT
    return OK
