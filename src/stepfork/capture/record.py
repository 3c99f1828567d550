"""Watch a command run against the providers' own servers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from stepfork.capture.upstream import UpstreamForwarder, Upstreams
from stepfork.listener.environment import child_environment
from stepfork.listener.limits import Limits
from stepfork.listener.routes import BUILT_IN, Route
from stepfork.listener.tape import Progress as Count
from stepfork.listener.watch import Recording, watch


class Progress(msgspec.Struct, frozen=True):
    """What has come in so far; ``routes`` says where calls go."""

    calls: int
    spans: int
    routes: str


def record_command(
    command: Sequence[str],
    *,
    environ: Mapping[str, str],
    cwd: Path,
    upstreams: Upstreams,
    routes: Sequence[Route] = BUILT_IN,
    on_progress: Callable[[Progress], None] | None = None,
    limits: Limits | None = None,
    stdout: int | None = None,
) -> Recording:
    """`stepfork.listener.watch.watch` with `environ` turned to the listener and calls sent on to `upstreams`."""

    def tell(count: Count) -> None:
        if on_progress is not None:
            on_progress(Progress(count.exchanges, count.spans, upstreams.routes))

    return watch(
        command,
        environment=partial(child_environment, environ, routes=routes),
        cwd=cwd,
        forwarder=UpstreamForwarder(upstreams),
        routes=routes,
        on_progress=tell,
        limits=limits,
        stdout=stdout,
    )
