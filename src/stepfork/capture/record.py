"""Watch a command run against the providers' own servers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from stepfork.capture.upstream import UpstreamForwarder, Upstreams
from stepfork.listener.environment import child_environment
from stepfork.listener.forwarding import Forwarder
from stepfork.listener.limits import Limits
from stepfork.listener.routes import BUILT_IN, Route
from stepfork.listener.tape import Progress as Count
from stepfork.listener.watch import Recording, watch
from stepfork.listener.witness import Witness


class Progress(msgspec.Struct, frozen=True):
    """What has come in so far; ``routes`` says where calls go. For ``waiting`` calls nothing has come back yet."""

    calls: int
    spans: int
    routes: str
    waiting: int = 0


class Before(Protocol):
    """Something that may answer a call before it goes out."""

    def listens_at(self, base_url: str) -> None:
        """Told before the command starts where it will find the listener."""

    def forwarder(self, live: Forwarder) -> Forwarder:
        """What answers the calls, with `live` for those that it does not answer itself."""


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
    before: Before | None = None,
    witness: Witness | None = None,
) -> Recording:
    """`stepfork.listener.watch.watch` with `environ` turned to the listener and calls sent on to `upstreams`, unless
    `before` answers them."""
    live = UpstreamForwarder(upstreams)

    def environment(base_url: str) -> Mapping[str, str]:
        if before is not None:
            before.listens_at(base_url)
        return child_environment(environ, base_url, routes=routes)

    def tell(count: Count) -> None:
        if on_progress is not None:
            on_progress(Progress(count.exchanges, count.spans, upstreams.routes, count.waiting))

    recording = watch(
        command,
        environment=environment,
        cwd=cwd,
        forwarder=live if before is None else before.forwarder(live),
        routes=routes,
        on_progress=tell,
        limits=limits,
        stdout=stdout,
        witness=witness,
    )
    return msgspec.structs.replace(recording, notices=(*recording.notices, *upstreams.notices))
