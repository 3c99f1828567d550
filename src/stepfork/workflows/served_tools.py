"""The tools of services that routes lead to."""

from __future__ import annotations

from stepfork.config.project import Settings
from stepfork.providers.calls import bare_tool


def served_tools(settings: Settings) -> frozenset[str]:
    """The tools whose calls a route answers."""
    return frozenset(bare_tool(tool) for route in settings.routes for tool in route.tools)
