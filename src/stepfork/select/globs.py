"""Patterns of paths, as git's ``:(glob)`` has them: ``*`` and ``?`` within a folder, ``**`` for any folders between.

``[`` stands for itself, since folders are called so (``app/[id]/route.ts``), and there is no escape. A pattern that
ends in ``/`` is a whole folder. Case counts.
"""

from __future__ import annotations

import re

_WILD = re.compile(r"[*?]")


def compiled(pattern: str) -> re.Pattern[str]:
    """The expression that fits (``fullmatch``) the paths that a pattern means.

    It takes time in the product of both lengths at most: what stands between two stars is taken where it comes first,
    and never given back.
    """
    parts = (pattern + "**" if pattern.endswith("/") else pattern).split("/")
    parts = [part for at, part in enumerate(parts) if part != "**" or parts[at - 1 : at] != ["**"]]
    runs = _runs(parts)
    last = runs.pop()
    if not runs:
        return re.compile(_joined(last), re.DOTALL)
    found = _joined(runs[0]) + "/" if runs[0] else ""
    found += "".join(f"(?>(?:[^/]+/)*?{_joined(run)}/)" for run in runs[1:] if run)
    return re.compile(found + ("(?:[^/]+/)*?" + _joined(last) if last else ".+"), re.DOTALL)


def literal_folder(pattern: str) -> str:
    """The folder, without a last ``/``, in which everything stands that a pattern fits; ``""`` where it is any.

    Of a pattern without ``*`` and ``?``, itself.
    """
    wild = _WILD.search(pattern)
    return pattern.rstrip("/") if wild is None else pattern[: wild.start()].rpartition("/")[0]


def is_literal(pattern: str) -> bool:
    """Whether a pattern is the name of one file or folder."""
    return _WILD.search(pattern) is None


def _runs(parts: list[str]) -> list[list[str]]:
    """The parts between the ``**``; the first and the last list may be empty."""
    runs: list[list[str]] = [[]]
    for part in parts:
        if part == "**":
            runs.append([])
        else:
            runs[-1].append(part)
    return runs


def _joined(parts: list[str]) -> str:
    return "/".join(map(_part, parts))


def _part(part: str) -> str:
    pieces = [_piece(piece) for piece in re.split(r"\*+", part)]
    if len(pieces) == 1:
        return pieces[0]
    middle = "".join(f"(?>[^/]*?{piece})" for piece in pieces[1:-1])
    return f"{pieces[0]}{middle}[^/]*{pieces[-1]}"


def _piece(piece: str) -> str:
    return "[^/]".join(map(re.escape, piece.split("?")))
