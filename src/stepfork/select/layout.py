"""Where a project's tests are and what pytest calls them: its root, its file patterns, its node ids."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase

from stepfork.errors import ConfigError
from stepfork.git.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

_NO_GLOB = str.maketrans("*?[]", "    ")
_TEST_FOLDERS = ("test", "tests", "testing")


class Collection(Record):
    """What pytest collects: patterns of file, class and function names (its own defaults), and the test folders set."""

    files: tuple[str, ...] = ("test_*.py", "*_test.py")
    classes: tuple[str, ...] = ("Test",)
    functions: tuple[str, ...] = ("test",)
    testpaths: tuple[str, ...] = ()

    def is_test_function(self, name: str) -> bool:
        """Whether pytest takes a function or method of this name for a test."""
        return _named(name, self.functions)

    def is_test_class(self, name: str) -> bool:
        """Whether pytest looks for tests in a class of this name."""
        return _named(name, self.classes)

    def is_test_file(self, path: str) -> bool:
        """Whether pytest collects a file, given by its path from the pytest root."""
        base = path.rsplit("/", 1)[-1]
        return base.endswith(".py") and any(
            fnmatchcase("/" + path, "*/" + pattern) if "/" in pattern else fnmatchcase(base, pattern)
            for pattern in self.files
        )


class Layout(Record):
    """The tests of one project. ``root`` is the pytest root: a folder from the top of the repository, or ``""``."""

    root: str
    collection: Collection

    def is_test(self, path: str) -> bool:
        """Whether a file of the repository is a test file of this project."""
        inner = self._inner(path)
        return inner is not None and self.collection.is_test_file(inner)

    def is_support(self, path: str) -> bool:
        """Whether a file is a ``conftest.py``, or another module in a folder of tests, that tests may go through."""
        inner = self._inner(path)
        if inner is None or not inner.endswith(".py") or self.collection.is_test_file(inner):
            return False
        parts = inner.split("/")
        return (
            parts[-1] == "conftest.py"
            or any(part in _TEST_FOLDERS for part in parts[:-1])
            or any(inner.startswith(folder.strip("/") + "/") for folder in self.collection.testpaths)
        )

    def pathspecs(self) -> list[str]:
        """git's pathspecs for all files that `is_test` or `is_support` accept, and for some that they do not.

        One loose pattern covers pytest's own file names, ``conftest.py`` and the usual folders: git compares every
        pattern with every path of the repository, which takes longer than reading a few files too many.
        """
        start = ":(top)" + (_escaped(self.root) + "/" if self.root else "")
        specs = [f"{start}*test*.py"]
        names = [pattern.rsplit("/", 1)[-1] for pattern in self.collection.files]
        specs += [f"{start}*{name}" for name in names if "test" not in name.translate(_NO_GLOB)]
        folders = [folder.strip("/") for folder in self.collection.testpaths if folder.strip("/.")]
        specs += [f"{start}{_escaped(folder)}/*.py" for folder in folders if "test" not in folder]
        return specs

    def marks(self) -> list[str]:
        """Few words, of which every path that `is_test` or `is_support` accepts has one."""
        folders = [folder.strip("/") for folder in self.collection.testpaths if folder.strip("/.")]
        return ["test", *(word for word in (*self.module_marks(), *folders) if "test" not in word)]

    def module_marks(self) -> list[str]:
        """The fixed parts of test file names: what an import of a test module must mention."""
        marks = {
            max(pattern.rsplit("/", 1)[-1].removesuffix(".py").replace("?", "*").split("*"), key=len)
            for pattern in self.collection.files
        }
        return sorted(mark for mark in marks if mark.strip("_"))

    def node_id(self, path: str, node: Sequence[str]) -> str:
        """pytest's id of a file, class or function, made safe to be handed to pytest as an argument.

        Names are as pytest has them. A path that pytest would not read as a path (it holds ``[`` or ``::``) gives
        way to the nearest folder above that it can; one that begins like an option is written ``./…``.
        """
        inner = self._inner(path) or path
        parts = inner.split("/")
        odd = next((index for index, part in enumerate(parts) if "[" in part or "::" in part), None)
        if odd is not None:
            return "./" + "/".join(parts[:odd]) if odd else "."
        if inner[0] in "-@":
            inner = "./" + inner
        return "::".join([inner, *node])

    def _inner(self, path: str) -> str | None:
        if not self.root:
            return path
        return path.removeprefix(self.root + "/") if path.startswith(self.root + "/") else None


def find_layout(top: str, project: str) -> Layout:
    """The layout of the project in the folder ``project`` of the repository at ``top``.

    The pytest root is found as pytest finds it: the nearest folder, from the project up to the top of the repository,
    with a file that configures pytest; else the nearest with a ``pyproject.toml``; else the project's own folder.
    `ConfigError` where such a file cannot be read.
    """
    parts = [part for part in project.split("/") if part]
    folders = ["/".join(parts[:count]) for count in range(len(parts), -1, -1)]
    fallback: str | None = None
    for folder in folders:
        place = os.path.join(top, folder) if folder else top
        options = _configured(place)
        if options is not None:
            return Layout(folder, _collection(options))
        if fallback is None and os.path.isfile(os.path.join(place, "pyproject.toml")):
            fallback = folder
    return Layout(folders[0] if fallback is None else fallback, Collection())


def _named(name: str, patterns: Sequence[str]) -> bool:
    return any(
        name.startswith(pattern) or (any(char in pattern for char in "*?[") and fnmatchcase(name, pattern))
        for pattern in patterns
    )


def _escaped(path: str) -> str:
    return "".join(f"\\{char}" if char in "*?[\\" else char for char in path)


def _collection(options: Mapping[str, Any]) -> Collection:
    plain = Collection()
    return Collection(
        files=_words(options, "python_files") or plain.files,
        classes=_words(options, "python_classes") or plain.classes,
        functions=_words(options, "python_functions") or plain.functions,
        testpaths=tuple(path for path in _words(options, "testpaths") if not any(char in path for char in "*?[")),
    )


def _words(options: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = options.get(key)
    if isinstance(value, str):
        return tuple(word.strip("\"'") for word in value.split())
    return tuple(str(word) for word in value) if isinstance(value, list) else ()


def _configured(folder: str) -> Mapping[str, Any] | None:
    """pytest's options in a folder, from the first of its files that configures pytest; None where none does."""
    for name, always in (("pytest.toml", True), (".pytest.toml", True), ("pytest.ini", True), (".pytest.ini", True)):
        data = _read(folder, name)
        if data is not None:
            found = _tables(data, os.path.join(folder, name))
            return next(found, {}) if always else next(found, None)
    for name in ("pyproject.toml", "tox.ini", "setup.cfg"):
        data = _read(folder, name)
        if data is not None and b"pytest" in data:  # parsing costs more than looking
            options = next(_tables(data, os.path.join(folder, name)), None)
            if options is not None:
                return options
    return None


def _tables(data: bytes, path: str) -> Iterator[Mapping[str, Any]]:
    try:
        text = data.decode("utf-8-sig")
        if path.endswith(".toml"):
            yield from _from_toml(text, path)
        else:
            yield from _from_ini(text, path)
    except UnicodeDecodeError:
        raise ConfigError("is not UTF-8 text", where=path) from None


def _from_toml(text: str, path: str) -> Iterator[Mapping[str, Any]]:
    if path.endswith("pyproject.toml") and _says_nothing_of_use(text):
        yield {}
        return
    import tomllib

    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError("is not TOML", where=path, fix=str(error)[:80]) from None
    if not path.endswith("pyproject.toml"):
        table = document.get("pytest")
        if isinstance(table, dict):
            yield table
        return
    tool = document.get("tool")
    table = tool.get("pytest") if isinstance(tool, dict) else None
    if isinstance(table, dict):
        inner = table.get("ini_options")
        yield inner if isinstance(inner, dict) else table


def _says_nothing_of_use(text: str) -> bool:
    """Whether pytest is configured here, without patterns of names and with usual test folders: TOML loads slowly."""
    lines = text.splitlines()
    if "[tool.pytest.ini_options]" not in lines or "python_" in text:
        return False
    folders = [line.partition("=")[2] for line in lines if line.lstrip().startswith("testpaths")]
    return all(
        re.fullmatch(r"""\s*\[?\s*(["'][\w./-]*test[\w./-]*["']\s*,?\s*)+\]?\s*""", folder) for folder in folders
    ) and text.count("testpaths") == len(folders)


def _from_ini(text: str, path: str) -> Iterator[Mapping[str, Any]]:
    import configparser

    section = "tool:pytest" if path.endswith("setup.cfg") else "pytest"
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        raise ConfigError("is not an ini file", where=path) from None
    if parser.has_section(section):
        yield {key: value for key, value in parser.items(section) if value is not None}


def _read(folder: str, name: str) -> bytes | None:
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"cannot be read ({error.strerror})", where=os.path.join(folder, name)) from None
