"""pytest on one file, in a process of its own whose results come through a file outside of the tree that is tested."""

from __future__ import annotations

import signal
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path

from stepfork.errors import UsageError
from stepfork.git.environment import without_hook_variables
from stepfork.listener.child import Child
from stepfork.workflows.run_results import OPTION, PLUGIN, Results, read_results

_TOLD_SECONDS = 2.0
"""What pytest is given to end after it was interrupted."""

_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


@dataclass(frozen=True)
class Ended:
    """How the process ended. ``exit_status`` is 128 + N where signal N ended it; ``results`` None: it told nothing.

    ``timed_out`` and ``signal`` (the number of the first that interrupted this process meanwhile) are why it did not
    end by itself.
    """

    exit_status: int
    results: Results | None
    timed_out: bool = False
    signal: int | None = None


def run_pytest(
    test: Path, *, environ: Mapping[str, str], cwd: Path, seconds: float | None, stdout: int | None
) -> Ended:
    """Run the tests of a file with the Python that runs this, for at most `seconds` (None: as long as it takes).

    Its whole process group is gone when this returns. What it prints goes to `stdout`, a descriptor, and to this
    process's standard error. The folder that it starts in is not on its path of modules, as with ``pytest`` itself.
    """
    if not sys.executable:
        raise UsageError("there is no Python to run pytest with", fix="install stepfork in an environment of its own")
    with tempfile.TemporaryDirectory(prefix="stepfork-run-", ignore_cleanup_errors=True) as private:
        told = Path(private) / "results.json"
        command = [sys.executable, "-P", "-m", "pytest", "-p", PLUGIN, f"{OPTION}={told}", "--", _argument(test)]
        with Child(command, environ=without_hook_variables(environ), cwd=cwd, stdout=stdout) as child:
            watch = _Watch(child, seconds)
            watch.start()
            status = child.wait()
            watch.stop()
        return Ended(status, read_results(told), watch.timed_out, None if watch.timed_out else child.interrupted)


def forget_compiled(source: Path) -> None:
    """Remove what Python and pytest have compiled of a file: they take it for current by its size and the second of its
    last change, and a file that was changed twice in one second would run as it was."""
    try:
        folder = Path(cache_from_source(str(source))).parent
        for compiled in folder.iterdir():
            if compiled.name.startswith(f"{source.stem}.") and compiled.suffix == ".pyc":
                compiled.unlink()
    except (OSError, NotImplementedError):  # there is none, or it is not ours to remove
        return


class _Watch(threading.Thread):
    """Ends a child that takes too long, or that goes on after it was interrupted."""

    def __init__(self, child: Child, seconds: float | None) -> None:
        super().__init__(daemon=True)
        self._child = child
        self._until = None if seconds is None else time.monotonic() + seconds
        self._ended = threading.Event()
        self.timed_out = False

    def stop(self) -> None:
        self._ended.set()
        self.join()

    def run(self) -> None:
        told: float | None = None
        while not self._ended.wait(0.05):
            now = time.monotonic()
            if told is None and self._child.interrupted is not None:
                told = now
            if told is not None and now > told + _TOLD_SECONDS:
                self._child.interrupt(_KILL)
                return
            if told is None and self._until is not None and now > self._until:
                self.timed_out = True
                self._child.interrupt(_KILL)
                return


def _argument(test: Path) -> str:
    return str(test.absolute())
