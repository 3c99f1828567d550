"""Any string inside Markdown that a host such as GitHub renders: as code alone, where nothing in it is markup.

In code no host makes a link, an image, a heading or HTML, and none tells a person who is mentioned or an issue whose
number is there; CommonMark, "Code spans" and "Fenced code blocks".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from stepfork.cli.escape import escape
from stepfork.cli.render.builds import no_command


def code(text: str) -> str:
    """`text` as a code span on one line: between more backticks than it has in a row."""
    line = no_command(escape(text))
    if not line.strip(" "):
        return "(empty)"
    ticks = "`" * (_longest(line) + 1)
    apart = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{ticks}{apart}{line}{apart}{ticks}"


def fence(lines: Iterable[str], language: str = "") -> list[str]:
    """Lines as a fenced block that none of them can end: none is longer than its line, and the fence is longer than any
    row of backticks."""
    shown = [no_command(escape(line)) for line in lines]
    ticks = "`" * max(_longest("\n".join(shown)) + 1, 3)
    return [f"{ticks}{language}", *shown, ticks]


def details(summary: str, blocks: Sequence[Sequence[str]], *, opened: bool = False) -> list[str]:
    """Blocks of lines that unfold below `summary`, which is HTML."""
    lines = [f"<details{' open' if opened else ''}><summary>{summary}</summary>", ""]
    for block in blocks:
        lines += [*block, ""]
    return [*lines, "</details>"]


def size(lines: Iterable[str]) -> int:
    """Characters of these lines, as GitHub counts a comment (UTF-16), their ends included."""
    return sum(len(line.encode("utf-16-le", "surrogatepass")) // 2 + 1 for line in lines)


def _longest(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
