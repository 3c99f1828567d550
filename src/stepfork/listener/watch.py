"""Watch a command run: its model calls through the proxy, its spans through the receiver.

Who answers the calls, an upstream or a recording, is the forwarder's business.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec

from stepfork.errors import CaptureError
from stepfork.listener.call_log import Answers
from stepfork.listener.child import Child, find_program
from stepfork.listener.forwarding import Forwarder
from stepfork.listener.limits import Limits
from stepfork.listener.problem import Problem
from stepfork.listener.routes import BUILT_IN, Route
from stepfork.listener.server import Listener
from stepfork.listener.tape import Progress
from stepfork.listener.witness import Witness
from stepfork.trace.call import Call
from stepfork.trace.recorded import Recorded
from stepfork.trace.span import Span

SETTLE_SECONDS = 5.0
"""How long exports that are still coming in are waited for, once the command has ended."""


class Recording(msgspec.Struct):
    """What was seen of one run. Nothing but `take` changes it.

    ``recorded`` stands in order of arrival, ``spans`` in order of their exports. ``exit_code`` is the command's
    (128 + N where signal N ended it), None where there was no command; ``interrupted`` is the number of the signal that
    this process was sent meanwhile. Any of ``problems`` keeps the run from becoming a fixture; ``notices`` do not.
    ``address`` (``127.0.0.1:PORT``) and ``token`` are the listener's. ``calls`` are those that the program's own
    decorators told of, in order of their beginning. Times are Unix nanoseconds.
    """

    recorded: tuple[Recorded, ...]
    spans: tuple[Span, ...]
    exit_code: int | None
    started_ns: int
    ended_ns: int
    interrupted: int | None = None
    problems: tuple[Problem, ...] = ()
    notices: tuple[str, ...] = ()
    address: str = ""
    token: str = ""
    calls: tuple[Call, ...] = ()

    def take(self) -> tuple[Recorded, ...]:
        """``recorded``, which is empty from then on: who makes something of a large run need not hold it twice."""
        taken, self.recorded = self.recorded, ()
        return taken


def watch(
    command: Sequence[str],
    *,
    environment: Callable[[str], Mapping[str, str]],
    cwd: Path,
    forwarder: Forwarder,
    routes: Sequence[Route] = BUILT_IN,
    on_progress: Callable[[Progress], None] | None = None,
    limits: Limits | None = None,
    stdout: int | None = None,
    answers: Answers | None = None,
    witness: Witness | None = None,
) -> Recording:
    """Runs `command` in `cwd` with its calls turned to a listener, until it ends and its last exports are in.

    `environment` makes the command's variables from the listener's base URL (see `child_environment`). `stdout` is a
    file descriptor for what the command prints, None for this process's own. `on_progress` is called from another
    thread, first with nothing seen; `witness` is told of calls as they come in. `answers` decides on instrumented
    calls; without it they are recorded. Raises UsageError, before anything runs, where the command cannot be found or
    started, and CaptureError where no loopback port can be had.
    """
    find_program(command, environment("http://127.0.0.1"), cwd)
    listener = Listener(forwarder, routes=routes, limits=limits, on_progress=on_progress, answers=answers)
    listener.tell(witness)
    if on_progress is not None:
        on_progress(Progress(0, 0))
    with ExitStack() as stack:
        try:
            stack.enter_context(listener)
        except OSError as error:
            raise CaptureError("no loopback port can be had", fix=error.strerror) from None
        started_ns = time.time_ns()
        child = stack.enter_context(Child(command, environ=environment(listener.base_url), cwd=cwd, stdout=stdout))
        exit_code = child.wait()
        ended_ns = time.time_ns()
        listener.settle(SETTLE_SECONDS, lambda: child.interrupted is not None)
    return recording_of(
        listener, exit_code=exit_code, started_ns=started_ns, ended_ns=ended_ns, interrupted=child.interrupted
    )


def recording_of(
    listener: Listener, *, exit_code: int | None, started_ns: int, ended_ns: int, interrupted: int | None = None
) -> Recording:
    """What a listener heard, once its context is left."""
    heard = listener.heard()
    return Recording(
        recorded=heard.exchanges,
        spans=heard.spans,
        exit_code=exit_code,
        started_ns=started_ns,
        ended_ns=ended_ns,
        interrupted=interrupted,
        problems=heard.problems,
        notices=heard.notices,
        calls=heard.calls,
        address=listener.address,
        token=listener.token,
    )
