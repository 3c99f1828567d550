"""The installed version, read from the package's metadata only when it is asked for."""

from __future__ import annotations


def version() -> str:
    """Such as ``0.1.0``."""
    from importlib.metadata import version as installed

    return installed("stepfork")
