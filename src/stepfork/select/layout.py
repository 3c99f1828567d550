"""Where a project's tests are, by its root and its patterns of names, and what pytest calls them: their node ids."""

from __future__ import annotations

import os

from stepfork.git.record import Record
from stepfork.select.collection import CONFIGURING, Collection, configured_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_NO_GLOB = str.maketrans("*?[]", "    ")
#: The endings of files of data.
DATA_ENDINGS = ("json", "jsonl", "yaml", "yml", "toml", "ini", "cfg", "csv", "tsv", "txt")
#: One pattern of names for git, which fits all of the endings and a few more.
_DATA = "*.[cijty][a-z]*"
_TEST_FOLDERS = ("test", "tests", "testing")
#: As many folders as git is asked for by name.
_MOST = 12


class Layout(Record):
    """The tests of one project. ``root`` is the pytest root: a folder from the top of the repository, or ``""``.

    ``beside`` are the folders, from that top, that hold tests and are not called so, ``data`` git's pathspecs for the
    data beside the tests; None: not looked for (see `beside.with_listing`).
    """

    root: str
    collection: Collection
    beside: frozenset[str] = frozenset()
    data: tuple[str, ...] | None = None

    def is_test(self, path: str) -> bool:
        """Whether a file of the repository is a test file of this project."""
        inner = self._inner(path)
        return inner is not None and self.collection.is_test_file(inner)

    def is_support(self, path: str) -> bool:
        """Whether a file is a ``conftest.py``, or another module in a folder of tests, that tests may go through.

        A folder that holds a test is one of tests, whatever its name: pytest lets its tests import what is in it.
        """
        inner = self._inner(path)
        if inner is None or not inner.endswith(".py") or self.collection.is_test_file(inner):
            return False
        base = inner.rsplit("/", 1)[-1]
        return base == "conftest.py" or folder_of(path) in self.beside or self._is_beside(inner)

    def is_data(self, path: str) -> bool:
        """Whether a file holds data (see `data`) in a folder of tests."""
        inner = self._inner(path)
        if inner is None or inner.rpartition(".")[2].lower() not in DATA_ENDINGS or ".stepfork/" in inner:
            return False
        return ".sftrace/" not in inner and self._is_beside(inner)

    def data_pathspecs(self) -> list[str]:
        """git's pathspecs for all files that `is_data` accepts, and for some that it does not."""
        return list(self.patterns_of_data(None) if self.data is None else self.data)

    def patterns_of_data(self, folders: Sequence[str] | None) -> tuple[str, ...]:
        """git's pathspecs for data in some folders, which are those of tests that hold any; None: in all of tests."""
        if folders is None or len(folders) > _MOST:
            others = [folder for folder in self.test_folders() if "test" not in folder]
            return (f"{self._start()}*test*{_DATA[1:]}", *(f":(top){_escaped(folder)}/{_DATA}" for folder in others))
        return tuple(f":(top){_escaped(folder)}/{_DATA}" for folder in folders)

    def test_folders(self) -> list[str]:
        """The folders of tests that pytest's settings name, from the top of the repository."""
        start = self.root + "/" if self.root else ""
        return [start + folder.strip("/") for folder in self.collection.testpaths if folder.strip("/.")]

    def usual_folder(self, path: str) -> str | None:
        """The outermost folder of tests, by its name or by pytest's settings, in which a path stands."""
        inner = self._inner(path)
        if inner is None:
            return None
        above = len(path) - len(inner)
        parts = inner.split("/")[:-1]
        found = [path[: above + len("/".join(parts[: at + 1]))] for at, one in enumerate(parts) if one in _TEST_FOLDERS]
        found += [folder for folder in self.test_folders() if path.startswith(folder + "/")]
        return min(found, key=len, default=None)

    def _is_beside(self, inner: str) -> bool:
        """Whether a path from the pytest root leads into a folder of tests."""
        return any(part in _TEST_FOLDERS for part in inner.split("/")[:-1]) or any(
            inner.startswith(folder.strip("/") + "/") for folder in self.collection.testpaths
        )

    def _start(self) -> str:
        return ":(top)" + (_escaped(self.root) + "/" if self.root else "")

    def configuring(self, project: str) -> list[str]:
        """The paths that may configure pytest for the project in a folder: from there up to the pytest root."""
        folders = [project]
        while folders[-1] not in ("", self.root):
            folders.append(folders[-1].rpartition("/")[0])
        return [f"{folder}/{name}".lstrip("/") for folder in folders for name in CONFIGURING]

    def pathspecs(self) -> list[str]:
        """git's pathspecs for all files that `is_test` or `is_support` accept, and for some that they do not.

        One loose pattern covers pytest's own file names, ``conftest.py`` and the usual folders: git compares every
        pattern with every path of the repository, which takes longer than reading a few files too many.
        """
        if len(self.beside) > _MOST:
            return [f"{self._start()}*.py"]
        start = self._start()
        specs = [f"{start}*test*.py"]
        names = [pattern.rsplit("/", 1)[-1] for pattern in self.collection.files]
        specs += [f"{start}*{name}" for name in names if "test" not in name.translate(_NO_GLOB)]
        specs += [f":(top){_escaped(folder)}/*.py" for folder in self.test_folders() if "test" not in folder]
        return specs + self.pathspecs_beside()

    def pathspecs_beside(self) -> list[str]:
        """git's pathspecs for the modules in folders that hold tests and are not called so."""
        folders = [_escaped(folder) + "/" if folder else "" for folder in sorted(self.beside)]
        return [f":(top,glob){folder}*.py" for folder in folders]

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
        collection = configured_in(place)
        if collection is not None:
            return Layout(folder, collection)
        if fallback is None and os.path.isfile(os.path.join(place, "pyproject.toml")):
            fallback = folder
    return Layout(folders[0] if fallback is None else fallback, Collection())


def folder_of(path: str) -> str:
    """The folder in which a path of the repository stands; empty at the top."""
    return path.rpartition("/")[0]


def _escaped(path: str) -> str:
    return "".join(f"\\{char}" if char in "*?[\\" else char for char in path)
