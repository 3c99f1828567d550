"""Which fixtures depend on which files: `[watch]` of config.toml, asked about paths of the repository."""

from __future__ import annotations

from bisect import bisect_left

from stepfork.errors import ConfigError
from stepfork.git.command import split_nul
from stepfork.select.globs import compiled, is_literal, literal_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping, Sequence

_MOST = 12


class _Pattern:
    """One pattern of a list, from the top of the repository."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.folder = literal_folder(pattern)
        self._literal = is_literal(pattern)
        self._expression: re.Pattern[str] | None = None

    def fits(self, path: str) -> bool:
        """Whether a file is meant: by the pattern, or by the plain name of a folder above it."""
        if self._literal:
            return path == self.text or path.startswith(self.folder + "/")
        self._expression = self._expression or compiled(self.text)  # many lists are never asked
        return self._expression.fullmatch(path) is not None

    def among(self, paths: Sequence[str]) -> list[str]:
        """Those of some sorted paths that it fits, and a submodule in which what it means stands: git says no more of
        one than that it changed."""
        if not self.folder:
            return [path for path in paths if self.fits(path)]
        above = [*_above(self.folder), self.folder]
        found = [path for path in above if paths[(at := bisect_left(paths, path)) : at + 1] == [path]]
        start, end = (bisect_left(paths, self.folder + mark) for mark in ("/", "0"))  # 0 is what follows / in order
        return found + [path for path in paths[start:end] if self.fits(path)]


class Watch:
    """The lists of files by name, or glob of names, of fixtures, for the ``project`` in a folder from the top.

    Of each list the last pattern that fits a file counts, as in git's own lists; ``!`` excludes. ConfigError, at
    ``where``, for a pattern that leads out of the repository.
    """

    def __init__(self, lists: Mapping[str, Sequence[str]], project: str, where: str) -> None:
        self._lists: list[tuple[str, list[tuple[bool, _Pattern]]]] = []
        known: dict[str, _Pattern] = {}
        for name, patterns in lists.items():
            rooted = [_rooted(pattern.removeprefix("!"), project, name, where) for pattern in patterns]
            read = [known.setdefault(one, _Pattern(one)) for one in rooted]
            self._lists.append((name, [(pattern[0] != "!", one) for pattern, one in zip(patterns, read, strict=True)]))

    def files_of(self, names: Iterable[str], paths: Iterable[str]) -> dict[str, list[str]]:
        """Of each fixture that depends on any of these ``paths``: which, sorted. Recorded files are none of them."""
        ordered = sorted(path for path in paths if ".stepfork/" not in path and ".sftrace/" not in path)
        every = sorted(names)
        found: dict[str, set[str]] = {}
        fitting: dict[_Pattern, list[str]] = {}  # many lists share a pattern
        for glob, patterns in self._lists:
            files = _files(patterns, ordered, fitting)
            for name in _meant(glob, every) if files else ():
                found.setdefault(name, set()).update(files)
        return {name: sorted(found[name]) for name in sorted(found)}

    def watches(self, name: str) -> bool:
        """Whether any list is that of a fixture."""
        return any(_meant(glob, [name]) for glob, _ in self._lists)

    def pathspecs(self, listing: bytes) -> list[str]:
        """git's pathspecs for all files that could be meant, and for others: folders, which cost git little.

        Many folders become fewer that hold them. ``listing`` (``git ls-files -z``) has the submodules among them.
        """
        wanted = [pattern for _, patterns in self._lists for included, pattern in patterns if included]
        folders = {pattern.folder for pattern in wanted if pattern.folder}
        depth = max((folder.count("/") for folder in folders), default=0)
        while len(folders := _outermost(folders)) > _MOST and depth:
            folders = {"/".join(folder.split("/")[:depth]) for folder in folders}
            depth -= 1
        if b".gitmodules\0" in listing:
            paths = set(split_nul(listing))
            folders |= {path for folder in folders for path in _above(folder) if path in paths}
        anywhere = dict.fromkeys(pattern.text for pattern in wanted if not pattern.folder)
        globs = [text.replace("[", "\\[") + ("**" if text.endswith("/") else "") for text in anywhere]
        return [*(f":(top,literal){folder}" for folder in sorted(folders)), *(f":(top,glob){glob}" for glob in globs)]


def _meant(glob: str, names: Sequence[str]) -> list[str]:
    """The names of fixtures that a glob fits."""
    if is_literal(glob) and not glob.endswith("/"):
        return [glob] if glob in names else []
    expression = compiled(glob)
    return [name for name in names if expression.fullmatch(name)]


def _files(
    patterns: Sequence[tuple[bool, _Pattern]], paths: Sequence[str], fitting: dict[_Pattern, list[str]]
) -> set[str]:
    found: set[str] = set()
    for included, pattern in patterns:
        if included:
            if pattern not in fitting:
                fitting[pattern] = pattern.among(paths)
            found.update(fitting[pattern])
        else:
            found = {path for path in found if not pattern.fits(path)}
    return found


def _outermost(folders: set[str]) -> set[str]:
    """The folders that stand in no other."""
    return {folder for folder in folders if folders.isdisjoint(_above(folder))}


def _above(folder: str) -> list[str]:
    """The folders in which one stands, outermost first."""
    parts = folder.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _rooted(pattern: str, project: str, name: str, where: str) -> str:
    """A pattern from the top of the repository, for one from the project's folder."""
    parts = [part for part in project.split("/") if part]
    while pattern.startswith("../"):
        if not parts:
            raise ConfigError(
                f"a path of watch.{name[:40]!r} leads out of the repository", where=where, fix="leave a ../ out"
            )
        parts.pop()
        pattern = pattern[3:]
    return "/".join([*parts, pattern])
