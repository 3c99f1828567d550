"""Which files are tests in JavaScript or TypeScript, or modules beside them, by the names that their runners go by."""

from __future__ import annotations

import re

from stepfork.select.collection import Collection
from stepfork.select.layout import Layout

_SCRIPT = re.compile(r"(?<!\.d)\.[cm]?[jt]sx?$")
_TEST = re.compile(r"\.(?:test|spec)\.[cm]?[jt]sx?$")
_FOLDER = re.compile(r"(?:^|[^a-z])(?:tests?|testing|specs?|e2e|fixtures?|helpers?|setup|mocks?)(?:$|[^a-z])")
_HELPER = re.compile(r"test|spec|fixture|helper|setup|mock", re.IGNORECASE)
_MARKS = (b".test.", b".spec.", b"__tests__/")


class ScriptLayout(Layout):
    """The scripts of a project, by the questions that a `Layout` answers for its Python files."""

    root: str
    collection: Collection

    def is_test(self, path: str) -> bool:
        """``*.test.ts``, ``*.spec.js`` and their like, and every script in a folder ``__tests__``."""
        parts = self._parts(path)
        return bool(parts and _SCRIPT.search(parts[-1]) and (_TEST.search(parts[-1]) or "__tests__" in parts[:-1]))

    def is_support(self, path: str) -> bool:
        """Another script in a folder of tests, or one whose name says that it is there for tests."""
        parts = self._parts(path)
        if not parts or not _SCRIPT.search(parts[-1]) or self.is_test(path):
            return False
        return _HELPER.search(parts[-1]) is not None or any(map(_FOLDER.search, parts[:-1]))

    def pathspecs(self) -> list[str]:
        """git's pathspecs for all of them, and for some that are neither."""
        start = ":(top,icase)" + (
            "".join(f"\\{c}" if c in "*?[\\" else c for c in self.root) + "/" if self.root else ""
        )
        return [f"{start}*{word}*.*[jt]s*" for word in ("test", "spec", "fixture", "helper", "setup", "mock", "e2e")]

    def node_id(self, path: str, node: object = ()) -> str:  # noqa: ARG002 - a script is selected as a whole
        """The path from the root, such that no program takes it for an option."""
        inner = path.removeprefix(self.root + "/") if self.root else path
        return ("./" if inner[0] in "-@" else "") + inner

    def has_tests(self, listing: bytes) -> bool:
        """Whether a listing of paths, each ended by NUL, has a test. Where no path resembles one, that is a glance."""
        for mark in _MARKS:
            at = listing.find(mark)
            while at >= 0:
                end = listing.find(b"\0", at)
                start = listing.rfind(b"\0", 0, at) + 1
                if self.is_test(listing[start:end].decode("utf-8", "surrogateescape")):
                    return True
                at = listing.find(mark, end)
        return False

    def _parts(self, path: str) -> list[str]:
        if self.root and not path.startswith(self.root + "/"):
            return []
        parts = (path[len(self.root) + 1 :] if self.root else path).split("/")
        return [] if "node_modules" in parts else parts
