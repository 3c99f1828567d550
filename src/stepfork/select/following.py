"""Which files may use what other modules have: modules that lead to a fixture are followed in rounds.

A round follows all modules that the one before found, with one search of the tests, and reads each file that it finds
once: a repository in which everything leads to everything costs its size and not its square.
"""

from __future__ import annotations

import re

from stepfork.select.layout import folder_of
from stepfork.select.module import Carrier

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol

    from stepfork.select.layout import Layout
    from stepfork.select.module import ModuleReferences
    from stepfork.select.units import Reference

    #: The path of a module, and what it has.
    Followed = tuple[str, Carrier]

    class Sources(Protocol):
        """The test files of a project and the modules beside them, as they are in the state that is asked about."""

        def search(self, *patterns: str) -> Sequence[str]:
            """The files with a line that matches one of some extended regular expressions."""

        def search_data(self, *patterns: str) -> Sequence[str]:
            """The files of data beside the tests (see `data`) with a line that matches a pattern."""

        def under(self, folder: str) -> Sequence[str]:
            """All of these files below a folder from the top of the repository."""

        def read(self, path: str) -> bytes | None:
            """The bytes of a file; None where it is gone."""

        def read_old(self, path: str) -> bytes | None:
            """The bytes that a file had in the state compared with; None where it was not there."""

        def fixture_names(self) -> Iterable[str]:
            """The names of all fixtures, in the present state and in the one compared with."""


#: How a module is imported without its name, or by one that may be computed.
_BY_NAME = (b"import_module", b"__import__", b"importorskip", b"from .")
#: Where a name is put together before something is asked for by it.
_LOOKS_UP = "get(fixturevalue|attr)[(].*[{+%]"
_WORD = re.compile(rb"[A-Za-z0-9_]+")
#: As many words as one search looks for, and as many searches as cost less than a look into every file.
_WORDS, _SEARCHES = 300, 5


class Following:
    """What was followed already. ``importers`` are the files that may import a test module."""

    def __init__(self, layout: Layout, sources: Sources, importers: Iterable[str]) -> None:
        self._layout = layout
        self._sources = sources
        self._importers = list(importers)
        self._imports: dict[str, bytes] = {}
        self._seen: set[tuple[str, str]] = set()
        self._plugins: bool | None = None

    def new_in(self, said: Iterable[tuple[str, ModuleReferences]]) -> list[Followed]:
        """What modules have that was not followed yet: of each module once, with all that leads to a name."""
        merged: dict[str, tuple[dict[str, list[Reference]], set[str], list[Reference], dict[str, list[Reference]]]] = {}
        for path, one in said:
            symbols, gathers, on_import, parts = merged.setdefault(path, ({}, set(), [], {}))
            gathers |= one.gathers
            for have, more in ((symbols, one.carried), (parts, one.parts)):
                for name, why in more.items():
                    if (path, name) not in self._seen:
                        have.setdefault(name, []).extend(why)
            if (path, "") not in self._seen:
                on_import += one.on_import
        found: list[Followed] = []
        for path, (symbols, gathers, on_import, parts) in merged.items():
            self._seen.update((path, name) for name in (*symbols, *parts, *([""] if on_import else [])))
            if symbols or parts or on_import:
                found.append((path, Carrier(_stem(path), symbols, frozenset(gathers), tuple(on_import), parts)))
        return found

    def users(self, followed: Sequence[Followed]) -> dict[str, list[Followed]]:
        """The files that may use what modules have, each with those modules, in order of path."""
        found: dict[str, list[Followed]] = {}
        tests = [one for one in followed if self._layout.is_test(one[0])]
        self._add_importers(tests, found)
        self._add_users([one for one in followed if not self._layout.is_test(one[0])], found)
        return dict(sorted(found.items()))

    def _add_importers(self, followed: Sequence[Followed], found: dict[str, list[Followed]]) -> None:
        """Only an import makes a test module's names known elsewhere."""
        plain: dict[bytes, list[Followed]] = {}
        odd: list[tuple[bytes, Followed]] = []
        for one in followed:
            stem = _bytes(one[1].stem)
            if _WORD.fullmatch(stem):
                plain.setdefault(stem, []).append(one)
            else:
                odd.append((stem, one))
        for other in self._importers if followed else ():
            if other not in self._imports:
                self._imports[other] = _imports(self._sources.read(other) or b"")
            text = self._imports[other]
            those = [one for word in set(_WORD.findall(text)) for one in plain.get(word, ())]
            those += [one for stem, one in odd if stem in text]
            for one in sorted(those, key=_path):
                if one[0] != other:
                    found.setdefault(other, []).append(one)

    def _add_users(self, followed: Sequence[Followed], found: dict[str, list[Followed]]) -> None:
        words = {path: _words(carrier) for path, carrier in followed}
        every = sorted(set().union(*words.values()))
        stars = [f"{one.stem} +import +[*]" for _, one in followed if one.stem.isidentifier()]
        for other in self._search(every, stars):
            data = self._sources.read(other) or b""
            spoken = set(_WORD.findall(data)) if len(followed) > 1 else None
            for path, carrier in followed:
                alone = spoken is None or _mentions(data, spoken, words[path], carrier.stem)
                if alone and other != path and self._may_use(other, data, path, carrier):
                    found.setdefault(other, []).append((path, carrier))

    def _search(self, words: Sequence[str], stars: Sequence[str]) -> Sequence[str]:
        """The files that have one of some words, a name put together, or one of some imports."""
        if len(words) + len(stars) > _WORDS * _SEARCHES:
            return self._sources.search(".")
        found: set[str] = set()
        for start in range(0, max(len(words), len(stars)), _WORDS):
            some = "|".join(words[start : start + _WORDS])
            searched = [f"(^|[^A-Za-z0-9_])({some})([^A-Za-z0-9_]|$)", _LOOKS_UP] if some else []
            searched += stars[start : start + _WORDS]
            found.update(self._sources.search(*searched))
        return sorted(found)

    def _may_use(self, other: str, data: bytes, path: str, carrier: Carrier) -> bool:
        """Whether a file sees a module's names: it stands below a ``conftest.py``, or imports the module."""
        if path.endswith("conftest.py"):
            top = folder_of(path)
            return not top or other.startswith(top + "/")
        if self._plugins is None:
            self._plugins = bool(self._sources.search("pytest_plugins"))
        return self._plugins or any(word in data for word in (_bytes(carrier.stem), *_BY_NAME))


def users_of_module(path: str, layout: Layout, sources: Sources) -> set[str]:
    """The tests that may go through a module, by what imports it and, of a ``conftest.py``, what lies below."""
    found: set[str] = set()
    pending, seen = [path], {path}
    while pending:
        module = pending.pop()
        if module.endswith("conftest.py"):
            users = sources.under(folder_of(module))
        else:
            stem = re.sub(r"[^A-Za-z0-9_]", ".", _stem(module))
            users = sources.search(f"(^|[^A-Za-z0-9_])({stem})([^A-Za-z0-9_]|$)")
        found.update(user for user in users if layout.is_test(user))
        new = [user for user in users if user not in seen and not layout.is_test(user)]
        seen.update(new)
        pending += new
    return found


def _words(carrier: Carrier) -> set[str]:
    symbols = {*carrier.symbols, *carrier.parts, *([carrier.stem] if carrier.on_import else [])}
    return {name for name in symbols if name.isidentifier()}


def _mentions(data: bytes, spoken: set[bytes], words: Iterable[str], stem: str) -> bool:
    """What the search asks, of one module among several: whether a file has one of its words, or may have."""
    if any(word.encode() in (spoken if word.isascii() else data) for word in words):
        return True
    if words and re.search(_LOOKS_UP.encode(), data):
        return True
    return stem.isidentifier() and re.search(rf"{stem} +import +[*]".encode(), data) is not None


def _path(one: Followed) -> str:
    return one[0]


def _imports(data: bytes) -> bytes:
    return b"\n".join(line for line in data.splitlines() if b"import" in line)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _stem(path: str) -> str:
    base = path.rsplit("/", 1)[-1].removesuffix(".py")
    return folder_of(path).rsplit("/", 1)[-1] if base == "__init__" else base
