"""Lines of `[watch]` for fixtures, guessed from their commands: the script, what it imports, the prompts beside it.

A guess that names a file too many costs a test that runs for nothing; one that misses a file is corrected by hand. So
it is only ever proposed.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from stepfork.workflows.local_imports import files_named_in, modules_named

_PROMPTS = (".md", ".txt", ".prompt", ".j2", ".jinja", ".jinja2", ".mustache", ".hbs", ".tmpl")
_NO_PROMPTS = ("readme", "changelog", "license", "contributing", "requirements", "agents", "claude", "security")
_AT_THE_TOP = re.compile(r"prompt|system|instruction", re.IGNORECASE)
_FOLDERS = ("prompt", "prompts", "instructions")
_TESTS = re.compile(r"(^|/)(tests?|testing)/|(^|/)test_[^/]*$|_test\.\w+$|\.(test|spec)\.\w+$")
_MOST = 500
"""Files that are read for one fixture."""


class Recorded(NamedTuple):
    """A fixture's ``command`` and the folder that it ran in, from the project's own (``.`` for that one)."""

    name: str
    command: tuple[str, ...]
    cwd: str


def propose(
    recorded: Sequence[Recorded], names: Collection[str], files: Collection[str], read: Callable[[str], bytes]
) -> dict[str, tuple[str, ...]]:
    """Patterns by name, or glob of names, for those of the fixtures `recorded` whose files can be told.

    `names` are all fixtures, so that no glob takes in another one. `files` are the project's, from its own folder, and
    `read` gives the bytes of one.
    """
    usable = frozenset(file for file in files if file.isprintable() and not set(file) & set("*?\\!"))
    lists: dict[tuple[str, ...], list[str]] = {}
    known: dict[tuple[tuple[str, ...], str], tuple[str, ...]] = {}
    for name, command, cwd in recorded:
        if (command, cwd) not in known:
            known[command, cwd] = tuple(_patterns(_reached(command, posixpath.normpath(cwd), usable, read), usable))
        if known[command, cwd]:
            lists.setdefault(known[command, cwd], []).append(name)
    return {key: patterns for patterns, group in lists.items() for key in _keys(sorted(group), names)}


def toml_lines(proposal: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """A proposal as it is written below ``[watch]``."""
    from stepfork.config.document import quoted

    for name in sorted(proposal):
        key = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted(name)
        yield f"{key} = [{', '.join(map(quoted, proposal[name]))}]"


def _reached(command: tuple[str, ...], cwd: str, files: frozenset[str], read: Callable[[str], bytes]) -> set[str]:
    """The files that a command names, what those import and name, and the prompts beside them."""
    pending = [path for word in command if (path := posixpath.normpath(posixpath.join(cwd, word))) in files]
    if "-m" in command[:-1]:
        pending += modules_named(command[command.index("-m") + 1], _roots(cwd), files)
    starts = {posixpath.dirname(path) for path in pending}
    found: set[str] = set()
    while pending and len(found) < _MOST:
        path = pending.pop()
        if path not in found:
            found.add(path)
            roots = [*starts, *_roots(cwd)]
            pending += files_named_in(path, read(path), roots, files)
    return found | {file for file in files if _is_prompt_beside(file, {posixpath.dirname(path) for path in found})}


def _roots(cwd: str) -> list[str]:
    return [cwd, posixpath.join(cwd, "src"), "", "src"]


def _is_prompt_beside(file: str, folders: Collection[str]) -> bool:
    folder, name = posixpath.split(file)
    above, last = posixpath.split(folder)
    if last.lower() in _FOLDERS and above in folders:
        return True
    stem, ending = posixpath.splitext(name)
    if folder not in folders or ending.lower() not in _PROMPTS or stem.lower().startswith(_NO_PROMPTS):
        return False
    return folder != "" or _AT_THE_TOP.search(stem) is not None


def _patterns(found: set[str], files: frozenset[str]) -> list[str]:
    """A folder with such a file in it as a whole where a fixture depends on a third of what is there, of such kinds and
    no tests; else the files."""
    whole: list[str] = []
    folders = {posixpath.dirname(path) for path in found} - {""}
    kinds = {posixpath.splitext(path)[1] for path in found}
    alike = [file for file in files if posixpath.splitext(file)[1] in kinds and not _TESTS.search(file)]
    for folder in sorted(folders, key=lambda one: (one.count("/"), one)):
        inside = [file for file in alike if file.startswith(folder + "/")]
        ours = found.intersection(inside)
        if len(ours) * 3 >= len(inside) and len(inside) > 1 and not folder.startswith(tuple(f"{w}/" for w in whole)):
            whole.append(folder)
    rest = [path for path in found if not path.startswith(tuple(f"{folder}/" for folder in whole))]
    return sorted([*(f"{folder}/" for folder in whole), *rest])


def _keys(group: Sequence[str], names: Collection[str]) -> list[str]:
    """One glob for a group of fixtures that share a beginning with no other, else their names."""
    start = posixpath.commonprefix(list(group))
    start = start[: 1 + max(start.rfind(mark) for mark in "/-_")]
    alike = [name for name in names if name.startswith(start)]
    if len(group) > 1 and start and set(alike) == set(group) and not any("/" in name[len(start) :] for name in group):
        return [f"{start}*"]
    return list(group)
