"""Lines that a build prints, so that none of them is a command to what runs it: runners read each line of a log.

GitHub: ``::error::…`` where a line begins, blanks aside, and ``##[error]`` anywhere ("Workflow commands"). Azure
Pipelines: ``##vso[task.setvariable …]`` anywhere ("Logging commands"). TeamCity: ``##teamcity[…]`` ("Service
messages").
"""

from __future__ import annotations

import re

_COMMAND = re.compile(r"^(\s*):(?=:)|(##\w*)\[")


def no_command(line: str) -> str:
    """`line` with the sign that makes it a command spelled out."""
    return _COMMAND.sub(_spelled, line) if "::" in line or "##" in line else line


def _spelled(match: re.Match[str]) -> str:
    return f"{match[1]}\\x3a" if match[2] is None else f"{match[2]}\\x5b"
