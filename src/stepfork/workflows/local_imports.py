"""Which files of a project a source file names: by imports of Python and JavaScript, and by texts that are paths."""

from __future__ import annotations

import ast
import posixpath
import re
import warnings
from collections.abc import Collection, Iterator, Sequence

_SCRIPTS = (".ts", ".tsx", ".mts", ".js", ".mjs", ".cjs", ".jsx")
_TEXT = re.compile(rb"""["'`]([^"'`\r\n]{1,200})["'`]""")


def files_named_in(path: str, data: bytes, roots: Sequence[str], files: Collection[str]) -> list[str]:
    """The `files` that the source at `path` names; `roots` are the folders in which modules and paths are looked for,
    beside its own. Nothing for a file of another kind, or one that cannot be read."""
    here = posixpath.dirname(path)
    if path.endswith(".py"):
        return list(_in_python(data, here, [here, *roots], files))
    if path.endswith(_SCRIPTS):
        texts = [text.decode("utf-8", "replace") for text in _TEXT.findall(data)]
        return [file for text in texts for file in (*_script(text, here, files), *_path(text, [here, *roots], files))]
    return []


def modules_named(module: str, roots: Sequence[str], files: Collection[str]) -> list[str]:
    """The files of a dotted module and of the packages that hold it, in the first of some folders that has it."""
    parts = module.split(".")
    for root in roots:
        found = [
            file
            for count in range(1, len(parts) + 1)
            for ending in (".py", "/__init__.py", *(("/__main__.py",) if count == len(parts) else ()))
            if (file := posixpath.normpath(posixpath.join(root, *parts[:count]) + ending)) in files
        ]
        if found:
            return found
    return []


def _in_python(data: bytes, here: str, roots: Sequence[str], files: Collection[str]) -> Iterator[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield from modules_named(alias.name, roots, files)
            case ast.ImportFrom(module=module, names=names, level=level):
                top = [posixpath.normpath(posixpath.join(here, *[".."] * (level - 1)))] if level else roots
                for alias in names:
                    yield from modules_named(".".join(filter(None, (module, alias.name))), top, files)
            case ast.Constant(value=str(text)):
                yield from _path(text, roots, files)


def _script(text: str, here: str, files: Collection[str]) -> Iterator[str]:
    """What ``./agent`` or ``./agent.js`` means beside a script."""
    if not text.startswith(("./", "../")):
        return
    place = posixpath.normpath(posixpath.join(here, text))
    stems = [place, posixpath.splitext(place)[0], f"{place}/index"]
    yield from (file for stem in stems for ending in _SCRIPTS if (file := stem + ending) in files)


def _path(text: str, roots: Sequence[str], files: Collection[str]) -> Iterator[str]:
    """The file of a text that is a path with an ending; a word alone names too much."""
    if 3 <= len(text) <= 200 and "." in text and text.isprintable():
        for root in roots:
            place = posixpath.normpath(posixpath.join(root, text))
            if place in files:
                yield place
                return
