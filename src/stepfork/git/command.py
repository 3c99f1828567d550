"""Running the git program: bytes in, bytes out, one line when it fails."""

from __future__ import annotations

import os
import subprocess

from stepfork.errors import GitError
from stepfork.git.environment import for_reading
from stepfork.git.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence


def to_bytes(path: str) -> bytes:
    """A path as git stores it: UTF-8, and whatever bytes stood where it was not."""
    return path.encode("utf-8", "surrogateescape")


def to_text(path: bytes) -> str:
    """The inverse of `to_bytes`; a path of any bytes survives the way there and back."""
    return path.decode("utf-8", "surrogateescape")


def split_nul(data: bytes) -> list[str]:
    """The fields of an answer in git's ``-z`` form, as text."""
    return [to_text(part) for part in data.split(b"\0")[:-1]] if data else []


#: Bytes of a pipe where the system lets us choose: git goes on while we do something else.
_PIPE = 1 << 20


class Answer(Record):
    """What one run of git gave back: its exit ``code``, standard output, and standard error as text."""

    code: int
    out: bytes
    err: str


class Running:
    """A git program at work; `answer` waits for it. Nothing is left behind when it is never asked."""

    def __init__(self, process: subprocess.Popen[bytes], verb: str, codes: Collection[int]) -> None:
        self._process = process
        self._verb = verb
        self._codes = codes

    def answer(self, data: bytes | None = None) -> Answer:
        """Feed ``data``, wait, and return what came; `GitError` where the exit code is none of those allowed."""
        out, err = self._process.communicate(data)
        message = err.decode("utf-8", "replace").strip()
        code = self._process.returncode
        if code not in self._codes and "from promisor remote" in message:
            raise GitError(
                f"this partial clone lacks an object, which could not be fetched: {_first_line(message, code)}",
                fix="its remote must be reachable; git fetch --refetch brings everything here",
            )
        if code not in self._codes:
            raise GitError(f"git {self._verb} failed: {_first_line(message, code)}")
        return Answer(code, out, message)

    def object(self, one: str) -> bytes | None:
        """What a ``cat-file --batch`` says of an object; None where it has none of that id."""
        asked, told = self._process.stdin, self._process.stdout
        assert asked is not None
        assert told is not None
        try:
            asked.write(to_bytes(one) + b"\n")
            asked.flush()
        except OSError:
            pass  # it has ended, and its answer says why
        head = told.readline().split(b" ")
        if len(head) != 3:
            if head == [b""]:
                self.answer()
            return None
        size = int(head[2])
        data = told.read(size)
        told.read(1)
        if len(data) < size:
            self.answer()
        return data

    def fields(self) -> Iterator[bytes]:
        """What the program writes in git's ``-z`` form, each field when it comes; `GitError` as for `answer`."""
        told = self._process.stdout
        assert told is not None
        rest = b""
        while piece := os.read(told.fileno(), 1 << 16):
            *whole, rest = (rest + piece).split(b"\0")
            yield from whole
        self.answer()

    def stop(self) -> None:
        """End the program without reading its answer; nothing happens where it has given it already."""
        if self._process.returncode is None:
            self._process.kill()
            self._process.communicate()


class GitProgram(Record):
    """The git program in one folder with one environment; None: the one that this process has."""

    folder: str
    environment: Mapping[str, str] | None

    @classmethod
    def at(
        cls, folder: str | os.PathLike[str], *, environ: Mapping[str, str] | None = None, hook: bool = True
    ) -> GitProgram:
        """The program in ``folder`` with ``environ`` made fit for reading; ``hook`` keeps the variables of a hook.

        Without ``environ`` the program inherits this process's environment as it is.
        """
        return cls(os.fspath(folder), None if environ is None else for_reading(environ, hook=hook))

    def start(self, *arguments: str, feed: bool = False, codes: Collection[int] = (0,)) -> Running:
        """Start ``git ARGUMENTS``; ``feed`` opens its standard input; ``codes`` are the exit codes that are answers."""
        words: Sequence[str | bytes] = ["git", *(to_bytes(word) for word in arguments)]
        if os.name == "nt":
            words = ["git", *arguments]
        try:
            process = subprocess.Popen(
                words,
                cwd=self.folder,
                env=None if self.environment is None else dict(self.environment),
                stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pipesize=_PIPE,
            )
        except (FileNotFoundError, NotADirectoryError) as error:
            if not os.path.isdir(self.folder):
                raise GitError("no such folder", where=self.folder) from None
            raise GitError("the git program was not found", fix="install git or put it on the PATH") from error
        except (OSError, ValueError) as error:
            raise GitError(f"git could not be started: {error}") from None
        return Running(process, _verb(arguments), codes)

    def run(self, *arguments: str, data: bytes | None = None, codes: Collection[int] = (0,)) -> Answer:
        """Run ``git ARGUMENTS`` to its end; ``data`` is its standard input; `GitError` for any other exit code."""
        return self.start(*arguments, feed=data is not None, codes=codes).answer(data)

    def objects(self, ids: Sequence[str]) -> Iterator[bytes | None]:
        """The bytes of each object, None for one that is not there. Each is read when it is asked for."""
        if not ids:
            return
        running = self.start("cat-file", "--batch", feed=True)
        try:
            for one in ids:
                yield running.object(one)
        finally:
            running.stop()


def _verb(arguments: Sequence[str]) -> str:
    skip = False
    for word in arguments:
        if skip or word == "-c":
            skip = not skip
        elif not word.startswith("-"):
            return word
    return ""


def _first_line(message: str, code: int) -> str:
    lines = [line for line in message.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "error:"))]
    line = (fatal or lines or [f"exit {code}"])[0].removeprefix("fatal: ").removeprefix("error: ")
    return _without_login(line)


def _without_login(line: str) -> str:
    """A remote's address may carry a password: what stands before its ``@`` is never repeated."""
    words = []
    for word in line.split(" "):
        head, found, rest = word.partition("://")
        host = rest.rpartition("@")[2] if found else rest
        words.append(head + found + host)
    return " ".join(words)
