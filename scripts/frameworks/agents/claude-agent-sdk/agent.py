"""The refund agent on the Claude Agent SDK: tools in process, and Claude Code's own spans."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, SdkMcpTool, create_sdk_mcp_server, query
from tools import FUNCTIONS, schemas


def as_tool(name: str, description: str, schema: dict[str, Any]) -> SdkMcpTool[Any]:
    """One of our functions as a tool of an MCP server."""
    function: Callable[..., Any] = FUNCTIONS[name]

    async def call(arguments: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": json.dumps(function(**arguments))}]}

    return SdkMcpTool(name=name, description=description, input_schema=schema, handler=call)


options = ClaudeAgentOptions(
    system_prompt=Path("prompt.md").read_text(encoding="utf-8"),
    mcp_servers={"shop": create_sdk_mcp_server("shop", tools=[as_tool(*told) for told in schemas()])},
    allowed_tools=[f"mcp__shop__{name}" for name in FUNCTIONS],
    max_turns=10,
)


async def main() -> None:
    """Let Claude Code work on the task."""
    async for message in query(prompt="Please refund order O-1042.", options=options):
        if isinstance(message, ResultMessage):
            print(message.result)


asyncio.run(main())
