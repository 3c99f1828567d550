"""A text as it reads with lines joined that an encoder broke: base64 in lines of 64 or 76, quoted-printable.

Known values alone are looked for here: what joined lines happen to spell is no shape of anything. Standard library
only.
"""

from __future__ import annotations

from stepfork.redact.pattern import pattern
from stepfork.redact.views import characters, decoded_view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from stepfork.redact.views import View

_BREAK = pattern(
    r"(?:\n(?<=[A-Za-z0-9+/_-]{40}\n)|\r\n(?<=[A-Za-z0-9+/_-]{40}\r\n))[ \t]*(?=[A-Za-z0-9+/_=-])",
)
_QUOTED = pattern(r"(?:=(?:[0-9A-F]{2}|\r?\n))+")
_QUOTED_BYTE = pattern(r"=([0-9A-F]{2})(?:=\r?\n)*")


_QUOTES = pattern(r"=(?:3D|[C-F][0-9A-F]=[89AB]|\r?\n)")
"""What tells quoted-printable from other text: one of these, a character of several bytes, a soft break."""
_LINE = 40
"""Base64 is broken into lines of so many characters, or more."""


def unbroken(core: str) -> tuple[str, ...]:
    """Parts of a base64 text, of which one at least stands in one piece however it is broken into lines."""
    parts = max(2, 2 * len(core) // _LINE)
    return tuple(core[len(core) * number // parts : len(core) * (number + 1) // parts] for number in range(parts))


def folds(view: View) -> Iterator[View]:
    """Each way in which lines of a view may belong together."""
    if "\n" in view.text:
        joined = decoded_view(view, _BREAK, lambda _: [])
        if joined is not None:
            yield joined
    if "=" in view.text and _QUOTES.search(view.text):
        joined = decoded_view(view, _QUOTED, _from_quoted)
        if joined is not None:
            yield joined


def _from_quoted(run: str) -> list[tuple[str, int]]:
    found = list(_QUOTED_BYTE.finditer(run))
    widths = [len(match.group()) for match in found]
    made: list[tuple[str, int]] = []
    for char, count in characters(bytes(int(match.group(1), 16) for match in found), 1):
        made.append((char, sum(widths[:count])))
        del widths[:count]
    return made
