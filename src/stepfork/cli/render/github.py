"""Annotations of a pull request: lines that a GitHub Actions runner reads from a step's output and shows at a file.

The form and what must be escaped in it are the runner's: "Workflow commands for GitHub Actions" in GitHub's manual.
"""

from __future__ import annotations

from typing import Literal

from stepfork.cli.escape import escape

Level = Literal["error", "warning", "notice"]

LIMIT = 4000
"""Characters of a message; GitHub cuts a longer annotation."""


def annotation(level: Level, message: str, *, file: str = "", title: str = "", line: int | None = None) -> str:
    """One line such as ``::error file=a.json,title=replay refund::miss at call 3``.

    `message` may have several lines. Control characters are spelled out, so that no text can begin a command of its
    own. `file` is relative to the repository's root, with forward slashes. The texts are redacted by the caller.
    """
    properties = {"file": file, "line": "" if line is None else str(line), "title": title}
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    shown = "\n".join(escape(piece) for piece in message.split("\n"))
    if len(shown) > LIMIT:
        shown = f"{shown[: LIMIT - 1]}…"
    return f"::{level}{' ' if told else ''}{told}::{_data(shown)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(escape(text)).replace(":", "%3A").replace(",", "%2C")
