"""Test files of one name in two folders: outside of packages pytest imports both as one module, and refuses the second
unless it is told to import by path."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

MOST_FOLDERS = 20_000
"""Folders that are looked into: a note is not worth a walk through a whole disk."""

_SETTINGS = {
    "pytest.toml": b"",
    ".pytest.toml": b"",
    "pytest.ini": b"",
    ".pytest.ini": b"",
    "pyproject.toml": b"[tool.pytest",
    "tox.ini": b"[pytest]",
    "setup.cfg": b"[tool:pytest]",
}
"""Files in which pytest looks for its settings, in its order, with what makes one of them its own."""

_COMMENT = re.compile(rb"^\s*[#;].*$", re.MULTILINE)
_BY_PATH = re.compile(rb"--import-mode[=\s\"',]+importlib\b")


def namesake(path: Path, within: Path, *, beside: bool = False) -> Path | None:
    """Another test file of that name below `within` which pytest would take for the one at `path`: neither of the two
    is in a package, and the settings that hold for both do not have modules imported by path.

    With `beside` folders next to `within` are looked into, too, but not what is below them. Both paths are resolved.
    """
    path = path.parent.resolve() / path.name
    if (path.parent / "__init__.py").exists():
        return None
    within = within.resolve()
    places = [_below(path.name, within), _beside(path.name, within)] if beside else [_below(path.name, within)]
    for other in (found for place in places for found in place):
        if other.parent != path.parent and not _imports_by_path(Path(os.path.commonpath([path.parent, other.parent]))):
            return other
    return None


def _below(name: str, within: Path) -> Iterator[Path]:
    for folder, inner, files in islice(os.walk(within), MOST_FOLDERS):
        inner[:] = sorted(one for one in inner if not one.startswith((".", "__")) and one != "node_modules")
        if "pyvenv.cfg" in files:
            inner.clear()
        elif name in files and "__init__.py" not in files:
            yield Path(folder, name)


def _beside(name: str, folder: Path) -> Iterator[Path]:
    try:
        others = sorted(folder.parent.iterdir())
    except OSError:
        return
    for other in others[:MOST_FOLDERS]:
        if (other / name).is_file() and not (other / "__init__.py").exists():
            yield other / name


def _imports_by_path(folder: Path) -> bool:
    """Whether the settings that pytest finds from `folder` upwards, the first that are its own, say so."""
    for each in (folder, *folder.parents):
        for name, mark in _SETTINGS.items():
            try:
                text = _COMMENT.sub(b"", (each / name).read_bytes())
            except OSError:
                continue
            if mark in text:
                return _BY_PATH.search(text) is not None
    return False
