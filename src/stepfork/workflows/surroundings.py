"""Where a run runs and who runs it: the values that normalisation takes out and a refresh gives back."""

from __future__ import annotations

import socket
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from stepfork.config.project import Settings
from stepfork.normalize.known import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stepfork.listener.watch import Recording


def surroundings(environ: Mapping[str, str], cwd: Path, recording: Recording | None, settings: Settings) -> Context:
    """The context of a recording, or of a run that begins now (None), with what the project asks for."""
    now = time.time_ns()
    return Context(
        started_ns=recording.started_ns if recording else now,
        ended_ns=recording.ended_ns if recording else now,
        cwd=str(cwd),
        home=environ.get("HOME") or environ.get("USERPROFILE", ""),
        tmp=environ.get("TMPDIR") or tempfile.gettempdir(),
        hostname=socket.gethostname(),
        user=environ.get("USER") or environ.get("USERNAME", ""),
        listener=recording.address if recording else "",
        token=recording.token if recording else "",
        finds_today=settings.today,
        own=settings.normalize,
        personal=settings.redact.personal,
        names=settings.redact.names,
        ids=_ids(recording) if recording else (),
    )


def _ids(recording: Recording) -> tuple[str, ...]:
    """Ids of the traces and spans that were exported, each once, in order of arrival."""
    return tuple(dict.fromkeys(word for span in recording.spans for word in (span.trace_id, span.span_id)))
