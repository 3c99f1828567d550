"""Lines that a build prints, so that none of them is a command to what runs it: runners read each line of a log.

GitHub: ``::error::…`` where a line begins, blanks aside, and ``##[error]`` anywhere ("Workflow commands"). Azure
Pipelines: ``##vso[task.setvariable …]`` anywhere ("Logging commands"). TeamCity: ``##teamcity[…]`` ("Service
messages").
"""

from __future__ import annotations

import re

from stepfork.cli.escape import no_mark

_FIRST = re.compile(r"^(\s*):(?=:)")


def no_command(line: str) -> str:
    """`line` with the sign that makes it a command spelled out."""
    return no_mark(_FIRST.sub(r"\1\\x3a", line) if "::" in line else line)
