"""What stands beside the tests of a project, told by a listing of paths: it is looked through once, and never split."""

from __future__ import annotations

from stepfork.git.command import to_bytes, to_text
from stepfork.select.layout import DATA_ENDINGS, Layout, folder_of
from stepfork.select.narrow import end_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_TEST = b"test"
_ENDINGS = tuple(f".{ending}\0".encode() for ending in DATA_ENDINGS)
#: What follows ``test`` in the name of a usual folder, and in pytest's own names of files.
_FOLLOWING = (b"s/", b"_", b"/", b"ing/", b".py\0")


def with_listing(layout: Layout, listing: bytes) -> Layout:
    """The layout that knows, from the paths of ``listing`` (each ended by NUL, in order), which folders by other than
    the usual names hold tests, and which folders of tests hold data."""
    folders: set[str] = set()
    data: set[str] = set()
    for folder in layout.test_folders():
        start = _start_of(listing, to_bytes(folder) + b"/")
        if start is not None and _has_data(
            listing, start, end_of(listing, start, len(listing), to_bytes(folder) + b"/")
        ):
            data.add(folder)
    for mark in dict.fromkeys([_TEST, *map(to_bytes, layout.module_marks())]):
        if mark != _TEST and _TEST in mark:
            continue
        at = listing.find(mark)
        while at >= 0:
            if mark == _TEST and not listing.startswith(_FOLLOWING, at + len(mark)):
                at = listing.find(mark, at + 1)
                continue
            start = listing.rfind(b"\0", 0, at) + 1
            end = listing.find(b"\0", at)
            path = to_text(listing[start:end])
            usual = layout.usual_folder(path)
            if usual is not None:
                end = end_of(listing, start, len(listing), to_bytes(usual) + b"/") - 1
                if mark == _TEST and _has_data(listing, start, end + 1):
                    data.add(usual)
            elif layout.is_test(path):
                folders.add(folder_of(path))
            at = listing.find(mark, end)
    return Layout(layout.root, layout.collection, frozenset(folders), layout.patterns_of_data(sorted(data)))


def with_tests(layout: Layout, paths: Iterable[str]) -> Layout:
    """The layout that knows the folders of some more paths too, as far as they are tests."""
    more = {folder_of(path) for path in paths if layout.usual_folder(path) is None and layout.is_test(path)}
    return (
        layout if more <= layout.beside else Layout(layout.root, layout.collection, layout.beside | more, layout.data)
    )


def _start_of(listing: bytes, prefix: bytes) -> int | None:
    """Where the paths begin that have a prefix."""
    at = 0 if listing.startswith(prefix) else listing.find(b"\0" + prefix) + 1
    return at if at or listing.startswith(prefix) else None


def _has_data(listing: bytes, start: int, end: int) -> bool:
    return any(listing.find(ending, start, end) >= 0 for ending in _ENDINGS)
