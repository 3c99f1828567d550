"""The environment of the watched program: the parent's, with the variables for models and traces turned here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stepfork.listener.call_messages import ANSWERED, CALLS
from stepfork.listener.routes import BUILT_IN, TRACES, Route

LOOPBACK = ("127.0.0.1", "localhost", "::1")

CALLS_VARIABLE = "STEPFORK_CALLS"
"""Where a program's own decorators tell of their calls."""
PLACE_VARIABLE = "STEPFORK_PLACE"
"""In whose body, and on which line of control, a process was started by another one that tells of its calls."""

# Set by git for its hooks. A command that is run from a hook must find the repository that it stands in, not the one
# (or the temporary index) that git is just committing.
GIT_HOOK_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INDEX_VERSION",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REFLOG_ACTION",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)

_OTLP = "OTEL_EXPORTER_OTLP"
_SIGNALS = ("TRACES", "METRICS", "LOGS")


def child_environment(
    parent: Mapping[str, str], base_url: str, routes: Sequence[Route] = BUILT_IN, *, answered: bool = False
) -> dict[str, str]:
    """The variables for a program that is watched through `base_url` (``http://127.0.0.1:PORT/TOKEN``).

    Base URLs and the traces endpoint lead to the listener, which no proxy may stand in front of; nothing that the
    program exports reaches a collector that the parent had set; variables of a git hook are left out. With `answered`
    instrumented calls are not recorded but answered.
    """
    child = {name: value for name, value in parent.items() if name not in GIT_HOOK_VARIABLES}
    child.update({route.variable: base_url + route.prefix for route in routes})
    child[CALLS_VARIABLE] = f"{base_url}{CALLS}?{ANSWERED}" if answered else base_url + CALLS
    child.pop(PLACE_VARIABLE, None)  # of a capture around this one
    _turn_exporters(child, base_url)
    _extend_no_proxy(child)
    return child


def _turn_exporters(child: dict[str, str], base_url: str) -> None:
    # Endpoints of metrics and logs, where the parent set any, lead to a path of the listener that is not served (404,
    # which exporters do not repeat): left as they are, a captured run would write into the real collector; taken away,
    # the exporters would fall back to port 4317 or 4318 of this machine, where one may be running.
    if child.get(f"{_OTLP}_ENDPOINT"):
        child[f"{_OTLP}_ENDPOINT"] = base_url
    for signal in ("METRICS", "LOGS"):
        if child.get(f"{_OTLP}_{signal}_ENDPOINT"):
            child[f"{_OTLP}_{signal}_ENDPOINT"] = f"{base_url}/v1/{signal.lower()}"
    child[f"{_OTLP}_TRACES_ENDPOINT"] = base_url + TRACES
    # The collector's credentials have no business on any of these paths.
    child.pop(f"{_OTLP}_HEADERS", None)
    for signal in _SIGNALS:
        child.pop(f"{_OTLP}_{signal}_HEADERS", None)
        # Whatever speaks gRPC cannot be received here. Unset counts as gRPC: it is the default of Python's
        # auto-instrumentation, though the specification's is http/protobuf.
        protocol = child.get(f"{_OTLP}_{signal}_PROTOCOL") or child.get(f"{_OTLP}_PROTOCOL") or ""
        if not protocol.startswith("http/") and (signal == "TRACES" or protocol):
            child[f"{_OTLP}_{signal}_PROTOCOL"] = "http/protobuf"
        compression = child.get(f"{_OTLP}_{signal}_COMPRESSION") or child.get(f"{_OTLP}_COMPRESSION") or "none"
        if compression not in ("none", "gzip", "deflate"):
            child[f"{_OTLP}_{signal}_COMPRESSION"] = "gzip"


def _extend_no_proxy(child: dict[str, str]) -> None:
    # Programs read one spelling or the other, so both get the entries of both.
    given = [entry.strip() for entry in f"{child.get('NO_PROXY', '')},{child.get('no_proxy', '')}".split(",")]
    # A star means every host, and only where it stands alone.
    entries = ["*"] if "*" in given else dict.fromkeys((*given, *LOOPBACK))
    child["NO_PROXY"] = child["no_proxy"] = ",".join(entry for entry in entries if entry)
