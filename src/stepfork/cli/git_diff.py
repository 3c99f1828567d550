"""stepfork git-diff: the command driver that ``stepfork init --diff-driver`` registers, for ``git diff`` alone.

git gives it what it gives each external diff (``man git``, GIT_EXTERNAL_DIFF): a path, then file, hash and mode of both
sides, and for a renamed file its new path. Nothing is printed, and the exit code is 1, where a side cannot be read
whole: the guard then shows git's own lines.
"""

from __future__ import annotations

from stepfork.cli.console import out, out_bytes
from stepfork.cli.escape import escape
from stepfork.cli.exit_codes import NO, OK
from stepfork.cli.for_git import in_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from stepfork.trace.fixture import Fixture

HELP = """\
Usage: stepfork git-diff PATH [OLD-FILE OLD-HASH OLD-MODE NEW-FILE NEW-HASH
                               NEW-MODE [NEW-PATH INFO]]

Print what changed in meaning in a manifest. git diff runs this once
stepfork init --diff-driver has set it up (docs/how-to/diffs-in-git.md).
"""

_NO_FILE = "/dev/null"


def main(argv: list[str]) -> int:
    """Run the command with the words after its name; the exit code."""
    if argv[:1] == ["--help"]:
        out(HELP.rstrip("\n"))
        return OK
    words = argv[1:] if argv[:1] == ["--"] else argv
    text = in_time(lambda: _report(words))
    if text is None:
        return NO
    out_bytes(text)
    return OK


def _report(words: Sequence[str]) -> bytes | None:
    from stepfork.cli.textconv import as_bytes

    if len(words) == 1:
        return as_bytes([f"* Unmerged path {escape(words[0])}"])
    path, old_file, _, old_mode, new_file, _, new_mode, *renamed = words
    sides = [_side(file) for file in (old_file, new_file)]
    if any(side is None and file != _NO_FILE for side, file in zip(sides, (old_file, new_file), strict=True)):
        return None
    return as_bytes(_lines(path, renamed[0] if renamed else path, (old_mode, new_mode), sides))


def _side(file: str) -> Fixture | None:
    from stepfork.cli.textconv import told_of

    told = None if file == _NO_FILE else told_of(file)
    return told.fixture if told is not None and told.whole else None


def _lines(path: str, new_path: str, modes: tuple[str, str], sides: Sequence[Fixture | None]) -> Iterator[str]:
    from stepfork.cli.render.diff_text import render_report
    from stepfork.diff.fixture_diff import diff_fixtures

    yield f"fixture {escape(path)}" + (f" → {escape(new_path)}" if new_path != path else "")
    old, new = sides
    if old is not None and new is not None and modes[0] != modes[1]:
        yield f"mode {escape(modes[0])} → {escape(modes[1])}"
    if old is not None or new is not None:
        yield from render_report([diff_fixtures(old, new)], how="")
