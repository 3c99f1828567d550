"""What pytest collects in a project, read from the file that configures it: patterns of names, folders of tests."""

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

_ALWAYS = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
_AMONG_OTHERS = ("pyproject.toml", "tox.ini", "setup.cfg")
#: The files that may configure pytest, the first one that does counts.
CONFIGURING = (*_ALWAYS, *_AMONG_OTHERS)


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


def configured_in(folder: str) -> Collection | None:
    """What the first file of a folder that configures pytest says; None where none does.

    `ConfigError` where such a file cannot be read.
    """
    options = _options(folder)
    if options is None:
        return None
    plain = Collection()
    return Collection(
        files=_words(options, "python_files") or plain.files,
        classes=_words(options, "python_classes") or plain.classes,
        functions=_words(options, "python_functions") or plain.functions,
        testpaths=tuple(path for path in _words(options, "testpaths") if not any(char in path for char in "*?[")),
    )


def _named(name: str, patterns: Sequence[str]) -> bool:
    return any(
        name.startswith(pattern) or (any(char in pattern for char in "*?[") and fnmatchcase(name, pattern))
        for pattern in patterns
    )


def _words(options: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = options.get(key)
    if isinstance(value, str):
        return tuple(word.strip("\"'") for word in value.split())
    return tuple(str(word) for word in value) if isinstance(value, list) else ()


def says_otherwise(name: str, data: bytes | None, old: bytes | None) -> bool:
    """Whether a file of `CONFIGURING` says something else of pytest than it said; None: it is not there.

    A file that cannot be read says something else: nothing is certain then.
    """
    if name in _ALWAYS:
        return data != old
    try:
        now, before = (
            None if text is None or b"pytest" not in text else next(_tables(text, name, whole=True), None)
            for text in (data, old)
        )
    except ConfigError:
        return True
    return now != before


def _options(folder: str) -> Mapping[str, Any] | None:
    """pytest's options in a folder, from the first of its files that configures pytest; None where none does."""
    for name in _ALWAYS:
        data = _read(folder, name)
        if data is not None:
            return next(_tables(data, os.path.join(folder, name)), {})
    for name in _AMONG_OTHERS:
        data = _read(folder, name)
        if data is not None and b"pytest" in data:  # parsing costs more than looking
            options = next(_tables(data, os.path.join(folder, name)), None)
            if options is not None:
                return options
    return None


def _tables(data: bytes, path: str, *, whole: bool = False) -> Iterator[Mapping[str, Any]]:
    """The table of pytest's options; but for ``whole``, an empty one where it says nothing that matters here."""
    try:
        text = data.decode("utf-8-sig")
        if path.endswith(".toml"):
            yield from _from_toml(text, path, whole=whole)
        else:
            yield from _from_ini(text, path)
    except UnicodeDecodeError:
        raise ConfigError("is not UTF-8 text", where=path) from None


def _from_toml(text: str, path: str, *, whole: bool) -> Iterator[Mapping[str, Any]]:
    if not whole and path.endswith("pyproject.toml") and _says_nothing_of_use(text):
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
