"""git put to work before anything else is loaded: the two walks that a command needs whatever it will find.

Loading what starts a process with all comforts takes as long as git takes for a quarter of the walk. So these two are
started bare, and where that is not possible or does not succeed, they are run again in the ordinary way.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Files that git does not know and no ignore rule names, and all files of the index: from the top, ended by NUL.
UNTRACKED = ("ls-files", "-z", "--others", "--exclude-standard", "--full-name", "--", ":(top)")
LISTING = ("ls-files", "-z", "--full-name", "--", ":(top)")
_PIPE = 1 << 20


class Ahead:
    """One walk under way. `output` may be asked once; `stop` when it is not wanted."""

    def __init__(self, arguments: tuple[str, ...], environ: Mapping[str, str]) -> None:
        read, write = os.pipe()
        _widen(read)
        try:
            self._process: int | None = os.posix_spawnp(
                "git",
                ["git", *arguments],
                {**environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, write, 1),
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                ],
            )
        except OSError:
            self._process = None
        os.close(write)
        self._pipe: int | None = read

    def output(self) -> bytes | None:
        """What git wrote; None where it did not succeed (the ordinary way then says why)."""
        parts: list[bytes] = []
        while self._pipe is not None and (part := os.read(self._pipe, _PIPE)):
            parts.append(part)
        return b"".join(parts) if self._end() == 0 else None

    def stop(self) -> None:
        """End the walk, if it still goes on."""
        if self._process is not None:
            os.kill(self._process, 15)
        self._end()

    def _end(self) -> int | None:
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None
        if self._process is None:
            return None
        _, status = os.waitpid(self._process, 0)
        self._process = None
        return os.waitstatus_to_exitcode(status)


def start_walks(environ: Mapping[str, str]) -> tuple[Ahead, Ahead] | None:
    """`UNTRACKED` and `LISTING` in the working directory; None in a hook, whose variables must be looked at first, and
    where the system starts processes in another way."""
    if not hasattr(os, "posix_spawnp") or not _LOOK.isdisjoint(environ):
        return None
    return Ahead(UNTRACKED, environ), Ahead(LISTING, environ)


#: Variables that move the repository or change what a pathspec means.
_LOOK = frozenset(
    f"GIT_{name}"
    for name in (
        *("DIR", "WORK_TREE", "COMMON_DIR", "PREFIX", "INDEX_FILE"),
        *("LITERAL_PATHSPECS", "GLOB_PATHSPECS", "NOGLOB_PATHSPECS", "ICASE_PATHSPECS"),
    )
)


def _widen(pipe: int) -> None:
    """Let git write on while nobody reads, where the system allows a larger pipe."""
    try:
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)
    except (ImportError, AttributeError, OSError):
        return
