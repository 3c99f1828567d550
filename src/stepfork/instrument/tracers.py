"""The global OpenTelemetry tracer provider of this process, where the application loaded one."""

from __future__ import annotations

import sys


def flush_tracers() -> str | None:
    """Has the provider export what it holds. Why that did not work, None where it did or where there is none.

    OpenTelemetry is never imported here: an application that did not load it exports nothing.
    """
    api = sys.modules.get("opentelemetry.trace")
    if api is None:
        return None
    try:
        flush = getattr(api.get_tracer_provider(), "force_flush", None)
        done = flush() if callable(flush) else True
    except Exception as error:
        return f"raised {type(error).__name__}"
    return "did not finish" if done is False else None
