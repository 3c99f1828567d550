"""Names that are made up for temporary files and folders: told by how the libraries of languages make them."""

from __future__ import annotations

import re

from stepfork.normalize.rules import ORDINARY_ID, UUID, WORDS

_SEGMENT = re.compile(r"[/\\]([A-Za-z0-9_.-]{4,120})")
_NUMBERED = re.compile(r"[/\\]pytest-of-[^/\\\s]{1,64}[/\\](pytest-[0-9]{1,9})")
_WHOLE = re.compile(
    r"tmp[a-z0-9_]{8}"  # Python
    r"|tmp\.[A-Za-z0-9]{6,12}"  # mktemp
)
_TAILS = (re.compile(r"[-.]([A-Za-z0-9_]{6,12})\Z"), re.compile(r"[-_.]([A-Za-z0-9]{6,12})\Z"))
_MIXED = re.compile(r"(?=[a-z_]*[0-9])(?=[0-9_]*[a-z])[a-z0-9_]{8}|(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9]{6,12}")
_HEX = re.compile(r"(?:.*[-_.])?(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{12,40}")
_GO = re.compile(r"[A-Za-z_.-]*[0-9]{9,10}")
_HARD = re.compile(r"[bcdfghjklmnpqrstvwxz]{4}")


def random_name(text: str, end: int) -> tuple[int, int] | None:
    """Start and end of a made-up name right below the temporary folder, which ends at `end` of a text; what follows its
    first dot (an extension) is no part of it. None where the name is somebody's own."""
    numbered = _NUMBERED.match(text, end)
    if numbered:
        return numbered.span(1)
    found = _SEGMENT.match(text, end)
    if not found:
        return None
    name = found[1]
    whole = _WHOLE.match(name)
    if whole and (whole.end() == len(name) or name[whole.end()] == "."):
        return found.start(1), found.start(1) + whole.end()
    stem = name.partition(".")[0]
    return (found.start(1), found.start(1) + len(stem)) if stem and _is_random(stem) else None


def _is_random(stem: str) -> bool:
    if UUID.search(stem) or _GO.fullmatch(stem) or _HEX.fullmatch(stem):
        return True
    return any(_looks_random(match[1]) for form in _TAILS if (match := form.search(stem)))


def _looks_random(tail: str) -> bool:
    """Whether a library made up the end of a name, behind what a program chose: letters and digits that are neither
    words nor a word's number."""
    if tail.isalpha() and tail.islower():
        return len(tail) == 8 and bool(_HARD.search(tail))
    return bool(_MIXED.fullmatch(tail)) and not ORDINARY_ID.fullmatch(tail) and not WORDS.fullmatch(tail)
