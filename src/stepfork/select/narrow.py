"""Pathspecs that cost git little: the folders that hold tests, by name, instead of patterns.

git compares every pattern with every path of a repository; with 50,000 of them each pattern takes as long as reading
a thousand files. A folder's name costs nothing. Where the tests lie in too many places, the patterns stay.

The listing of a large repository is a million bytes, sorted by path. It is never split: a folder is a slice of it,
and what is asked of a slice (how many files, any tests) is asked of its bytes.
"""

from __future__ import annotations

from stepfork.git.command import to_bytes, to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stepfork.select.layout import Layout

_MOST = 12
#: Files that may be looked at for nothing: as many again as there are tests in a folder, and these.
_SPARE = 200


def pathspecs_of_tests(listing: bytes, layout: Layout) -> list[str]:
    """Pathspecs for every test file and module beside the tests that ``listing`` has (``git ls-files -z``)."""
    root = to_bytes(layout.root) + b"/" if layout.root else b""
    start = 0 if not root or listing.startswith(root) else listing.find(b"\0" + root) + 1
    if root and not listing.startswith(root, start):
        return []
    end = end_of(listing, start, len(listing), root) if root else len(listing)
    marks = [to_bytes(mark) for mark in layout.marks()]
    found = _places(listing, start, end, len(root), marks)
    if found is None or len(layout.beside) > _MOST:
        return layout.pathspecs()
    return [*(f":(top,literal){to_text(path)}" for path in found), *layout.pathspecs_beside()]


def pathspecs_of_others(listing: bytes, store: str) -> list[str]:
    """Pathspecs for the bundles that ``listing`` has, and for the stores of other projects than that of ``store``."""
    specs = []
    if b".sftrace/" in listing:
        specs.append(":(top)*.sftrace/*")
    own = to_bytes(store) + b"/"
    start = 0 if listing.startswith(own) else listing.find(b"\0" + own) + 1
    end = end_of(listing, start, len(listing), own) if listing.startswith(own, start) else start
    if listing.find(b".stepfork/", 0, start) >= 0 or listing.find(b".stepfork/", end) >= 0:
        specs.append(":(top)*.stepfork/*")
    return specs


def _places(listing: bytes, start: int, end: int, depth: int, marks: list[bytes]) -> list[bytes] | None:
    """The highest folders of whose files about half are tests, and single files, among the paths of a slice.

    All paths of the slice have the same first ``depth`` bytes. None where there are too many such places.
    """
    found: list[bytes] = []
    while start < end:
        stop = listing.find(b"\0", start)
        slash = listing.find(b"/", start + depth, stop)
        after = stop + 1 if slash < 0 else end_of(listing, start, end, listing[start : slash + 1])
        if any(listing.find(mark, start, after) >= 0 for mark in marks) and listing.find(b".py\0", start, after) >= 0:
            if slash < 0:
                found.append(listing[start:stop])
            elif listing.count(b"\0", start, after) <= 2 * _tests(listing, start, after) + _SPARE:
                found.append(listing[start:slash])
            else:
                deeper = _places(listing, start, after, slash + 1 - start, marks)
                if deeper is None:
                    return None
                found += deeper
            if len(found) > _MOST:
                return None
        start = after
    return found


def _tests(listing: bytes, start: int, end: int) -> int:
    """About how many of the files in a slice are tests, by pytest's own patterns."""
    return listing.count(b"/test_", start, end) + listing.count(b"_test.py\0", start, end)


def has_path(listing: bytes, path: str) -> bool:
    """Whether ``listing`` has a path; found by halving."""
    wanted = to_bytes(path)
    start, end = 0, len(listing)
    while start < end:
        middle = listing.rfind(b"\0", start, (start + end) // 2) + 1 or start
        stop = listing.find(b"\0", middle)
        found = listing[middle:stop]
        if found == wanted:
            return True
        start, end = (stop + 1, end) if found < wanted else (start, middle)
    return False


def end_of(listing: bytes, start: int, end: int, prefix: bytes) -> int:
    """Where the paths that begin with ``prefix`` end, which stand together from ``start`` on; found by halving."""
    while start < end:
        middle = listing.rfind(b"\0", start, (start + end) // 2) + 1 or start
        if listing.startswith(prefix, middle):
            start = listing.find(b"\0", middle) + 1
        else:
            end = middle
    return end
