"""Where git has a file's older bytes: in its index, and in any commit that a ref or the reflog knows."""

from __future__ import annotations

from stepfork.git.command import split_nul, to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from stepfork.git.command import GitProgram

#: More pathspecs than these are given as their folder: a command line has an end, and so has git's patience.
MOST_PATHS = 100

#: What an older git has no variable for: one that no protocol is allowed cannot fetch.
_NOTHING = "none"


def without_fetching(environ: Mapping[str, str]) -> dict[str, str]:
    """``environ`` for a git program that never asks a remote for what a partial clone lacks: it says it has it not."""
    return {**environ, "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": _NOTHING}


def indexed_blobs(git: GitProgram, pathspecs: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Path from the repository's root and blob of each entry of the index that a pathspec matches, of all stages."""
    answer = git.run("ls-files", "-z", "--stage", "--full-name", "--", *pathspecs, codes=(0, 128))
    for entry in split_nul(answer.out):
        head, _, path = entry.partition("\t")
        yield path, head.split(" ")[1]


def historic_blobs(git: GitProgram, pathspecs: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Path from the repository's root and each blob that stood there, of the files that a pathspec matches.

    The newest commits come first, and each pair when it is found: who has enough stops asking, and git ends. Nothing
    comes where there is no commit yet.
    """
    # Without --full-history a merge that dropped a file would hide the side that had it.
    words = ("--all", "--reflog", "--full-history", "-m", "--format=", "--no-show-signature", "--no-ext-diff")
    raw = ("--raw", "-z", "--no-abbrev", "--no-renames")
    running = git.start("-c", "log.showRoot=true", "log", *words, *raw, "--", *pathspecs, codes=(0, 128))
    head = ""
    try:
        for field in map(to_text, running.fields()):
            if field.startswith(":"):
                head = field
            elif head and field:
                _, _, old, new, _ = head.split(" ")
                yield from ((field, blob) for blob in (old, new) if blob.strip("0"))
                head = ""
    finally:
        running.stop()
