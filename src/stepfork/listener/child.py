"""The watched program: a process group of its own, told once of each signal, and never left behind."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Self

from stepfork.errors import UsageError
from stepfork.listener.group import end_group

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_PASSED_ON = [signal.Signals[name] for name in _NAMES if name in signal.Signals.__members__]
_UNKNOWN_EXIT = 255


def find_program(command: Sequence[str], environ: Mapping[str, str], cwd: Path) -> str:
    """The file that `command` will run, found as the system finds it. Raises UsageError where there is none."""
    if not command or not command[0]:
        raise UsageError("there is no command to run", fix="give one after --")
    if any("\0" in word for word in command):
        raise UsageError("a word of the command holds a NUL character")
    if not cwd.is_dir():
        raise UsageError("the folder to run the command in does not exist", where=str(cwd))
    name = command[0]
    variable, is_assigned, _ = name.partition("=")
    if is_assigned and variable.isidentifier():
        # Its value may be a secret, and what no shell reads sets no variable.
        raise UsageError("the command begins with a variable", where=variable, fix="write env before it")
    is_path = os.sep in name or (os.altsep is not None and os.altsep in name)
    found = shutil.which(str(cwd / name) if is_path else name, path=environ.get("PATH", os.defpath))
    if found is None:
        if is_path and (cwd / name).is_file():
            raise UsageError("the command is not executable", where=name, fix="chmod +x, or name its interpreter")
        raise UsageError("command not found", where=name, fix="check its spelling and PATH")
    return found


class Child:
    """Runs `command` from entering to leaving the context, with the standard streams of this process (or `stdout`, a
    file descriptor, as its standard output).

    Where this is the main thread, SIGINT, SIGTERM and SIGHUP go to the command's process group instead: the first one
    as it is, a second one of any of them as SIGKILL. ``interrupted`` is the number of the first, None for none. Leaving
    the context ends whatever of the group is still there. Entering raises UsageError where the command cannot start.
    """

    def __init__(
        self, command: Sequence[str], *, environ: Mapping[str, str], cwd: Path, stdout: int | None = None
    ) -> None:
        self._command = list(command)
        self._stdout = stdout
        self._environ = dict(environ)
        self._cwd = cwd
        self._process: subprocess.Popen[bytes] | None = None
        self._handlers: dict[signal.Signals, Any] = {}
        self._terminal: int | None = None
        self.interrupted: int | None = None

    def __enter__(self) -> Self:
        # Before the start, so that no signal falls in between; and caught signals are reset to their default in the new
        # program, also where a shell had them ignored for its background jobs.
        self._catch()
        try:
            self._process = self._start()
        except BaseException:
            self._let_go()
            raise
        if self.interrupted is not None:
            self._send(self.interrupted)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._end_group()
        finally:
            self._take_terminal_back()
            self._let_go()

    def wait(self) -> int:
        """Waits for the command itself; its exit code, 128 + N where signal N ended it (as shells say it)."""
        process = self._process
        assert process is not None
        if sys.platform == "win32":
            code = process.wait()
        else:
            code = process.returncode = self._wait_untraced(process.pid)
        if code == -signal.SIGINT and self._terminal is not None:
            self.interrupted = self.interrupted or signal.SIGINT  # Ctrl-C went to it alone
        return code if code >= 0 else 128 - code

    def interrupt(self, number: int) -> None:
        """What a signal to this process does; for callers that are not the main thread."""
        if self.interrupted is None:
            self.interrupted = number
            self._send(number)
        else:
            self._send(getattr(signal, "SIGKILL", signal.SIGTERM))

    def _start(self) -> subprocess.Popen[bytes]:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()  # what was printed before the command stands before what the command prints
        try:
            if sys.platform == "win32":
                group = subprocess.CREATE_NEW_PROCESS_GROUP
                return self._popen(creationflags=group)
            return self._popen(process_group=0)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            raise UsageError("the command cannot be started", where=self._command[0], fix=reason) from None

    def _popen(self, *, creationflags: int = 0, process_group: int | None = None) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._command,
            env=self._environ,
            cwd=self._cwd,
            stdout=self._stdout,
            creationflags=creationflags,
            process_group=process_group,
        )

    def _send(self, number: int) -> None:
        if self._process is None:
            return
        with contextlib.suppress(OSError):
            if sys.platform == "win32":
                self._process.send_signal(signal.CTRL_BREAK_EVENT if number == signal.SIGINT else number)
            else:
                os.killpg(self._process.pid, number)
                # A stopped program does not hear anything before it goes on.
                os.killpg(self._process.pid, signal.SIGCONT)

    def _wait_untraced(self, pid: int) -> int:
        while True:
            try:
                _, status = os.waitpid(pid, os.WUNTRACED)
            except ChildProcessError:
                return _UNKNOWN_EXIT  # this process was started with SIGCHLD ignored
            if not os.WIFSTOPPED(status):
                return os.waitstatus_to_exitcode(status)
            if os.WSTOPSIG(status) in (signal.SIGTTIN, signal.SIGTTOU):
                self._lend_terminal()

    def _lend_terminal(self) -> None:
        """A group in the background may not read from the terminal; one that tries to is given it.

        Not before: as long as the terminal is ours, Ctrl-C comes to us, and is passed on as any other signal.
        """
        assert self._process is not None
        with contextlib.suppress(OSError):
            terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
            if os.tcgetpgrp(terminal) != os.getpgrp():
                os.close(terminal)
                return  # we are in the background ourselves
            os.tcsetpgrp(terminal, self._process.pid)
            self._terminal = terminal
            os.killpg(self._process.pid, signal.SIGCONT)

    def _take_terminal_back(self) -> None:
        if self._terminal is None:
            return
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
        with contextlib.suppress(OSError):
            os.tcsetpgrp(self._terminal, os.getpgrp())
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        os.close(self._terminal)
        self._terminal = None

    def _end_group(self) -> None:
        """No orphan: whatever the command has left running would talk to a listener that is gone."""
        process = self._process
        if process is None:
            return
        if sys.platform == "win32":
            if process.poll() is None:
                process.kill()
                process.wait()
            return
        if process.returncode is None:  # left by an exception
            self._send(signal.SIGKILL)
            process.wait()
        end_group(process.pid, told=self.interrupted is not None)

    def _catch(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # only the main thread may set handlers
        for number in _PASSED_ON:
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup
                self._handlers[number] = signal.signal(number, self._on_signal)

    def _let_go(self) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        self._handlers = {}

    def _on_signal(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        self.interrupt(number)
