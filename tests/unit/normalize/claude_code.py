"""Requests of the kinds that Claude Code sends, made up."""

from __future__ import annotations

import json
from typing import Any

IDENTITY = "You are a Claude agent, built on Anthropic's Claude Agent SDK."


def surroundings(
    day: str = "2026-11-30",
    folder: str = "/srv/shop",
    system: str = "Linux 6.1",
    model: str = "Opus 9",
    more: tuple[str, ...] | None = ("/data/a",),
) -> str:
    """What a message of role system says of the machine, with a line or two that are instructions."""
    return "\n".join(
        [
            "# Environment",
            "You have been invoked in the following environment: ",
            f" - Primary working directory: {folder}",
            f" - Is a git repository: {'true' if more else 'false'}",
            *([" - Additional working directories:", *(f"   - {path}" for path in more)] if more is not None else []),
            " - Platform: linux",
            " - Shell: bash",
            f" - OS Version: {system}",
            " - In `curl`, quote values.",
            "",
            f"You are powered by the model named {model}. The exact model ID is m-{model[-1]}."
            f" Assistant knowledge cutoff is June 202{model[-1]}.",
            "",
            "- init: make notes",
            "",
            f"Today's date is {day}.",
        ]
    )


def reminder(
    status: str = "?? a.txt",
    branch: str = "main",
    day: str = "2026-11-30",
    memory: str = "Say please.",
    left: int = 9000,
) -> str:
    """A reminder in a turn of the user's: project memory, the date, the state of git, tokens."""
    return "\n".join(
        [
            "<system-reminder>",
            "As you answer the user's questions, you can use the following context:",
            f"# claudeMd\n{memory}",
            f"# currentDate\nToday's date is {day}.",
            "# gitStatus",
            f"Snapshot of the start.\n\nCurrent branch: {branch}\n\nMain branch (for PRs): main\n\nGit user: {branch}",
            f"\nStatus:\n{status}\n\nRecent commits:\n{branch} first\n{status} second\n",
            "Use what is relevant.",
            f"<total_tokens>{left} tokens left</total_tokens>",
            "</system-reminder>",
        ]
    )


def body(
    *,
    prompt: str = "You refund once.",
    said: str = "Refund it.",
    told: str | None = None,
    version: str = "1.2.3",
    context: str | None = None,
    result: str = "40",
) -> dict[str, Any]:
    """The body of a request."""
    return {
        "model": "claude-opus-9",
        "system": [
            {"type": "text", "text": f"x-anthropic-billing-header: cc_version={version}; cc_entrypoint=sdk-py;"},
            {"type": "text", "text": IDENTITY},
            {"type": "text", "text": prompt},
        ],
        "metadata": {"user_id": json.dumps({"device_id": version, "account_uuid": "", "session_id": version})},
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": told or reminder()}, {"type": "text", "text": said}]},
            {"role": "system", "content": context or surroundings()},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": result}]},
        ],
    }


OTHER_DAY: dict[str, Any] = {
    "version": "7.0.1",
    "context": surroundings("2027-01-02", "/home/ada/shop", "Darwin 25.1", "Haiku 7", ("/x", "/y")),
    "told": reminder("(clean)", "fix-1", "2027-01-02", left=17),
}
