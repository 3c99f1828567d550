"""Pathspecs that cost git little: the folders that hold tests, by name, instead of patterns.

git compares every pattern with every path of a repository; with 50,000 of them each pattern takes as long as reading
a thousand files. A folder's name costs nothing. Where the tests lie in too many places, the patterns stay.
"""

from __future__ import annotations

from bisect import bisect_left

from stepfork.git.command import to_bytes, to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stepfork.select.layout import Layout

_MOST = 12
#: Files that may be looked at for nothing: as many again as there are tests in a folder, and these.
_SPARE = 200


def pathspecs_of_tests(listing: bytes, layout: Layout) -> list[str]:
    """Pathspecs for every test file and module beside the tests that ``listing`` has (``git ls-files -z``)."""
    top = layout.root + "/" if layout.root else ""
    text = "\0" + to_text(listing)  # text is searched four times faster than bytes are
    paths = text.split("\0")
    wanted: list[str] = []
    for mark in layout.marks():
        wanted += [path for path in paths if mark in path and path.endswith(".py")]
    if top:
        wanted = [path for path in wanted if path.startswith(top)]
    folders = _folders(text, sorted(wanted), len(top))
    return layout.pathspecs() if folders is None else [f":(top,literal){path}" for path in folders]


def pathspecs_of_store(listing: bytes, store: str) -> list[str]:
    """Pathspecs for a store, and for the bundles and the stores of other projects that ``listing`` has."""
    specs = [f":(top,literal){store}"]
    if b".sftrace/" in listing:
        specs.append(":(top)*.sftrace/*")
    if listing.count(b".stepfork/") > listing.count(to_bytes(store) + b"/"):
        specs.append(":(top)*.stepfork/*")
    return specs


def _folders(listing: str, wanted: list[str], at: int) -> list[str] | None:
    """The highest folders, from position ``at`` of the sorted paths on, whose files are about half wanted.

    None where there are too many of them.
    """
    found: list[str] = []
    first = 0
    while first < len(wanted):
        end = wanted[first].find("/", at)
        place = wanted[first] if end < 0 else wanted[first][:end]
        # What stands below a folder is next to one another: up to the character that follows the slash.
        last = first + 1 if end < 0 else bisect_left(wanted, f"{place}0", first)
        if end < 0 or listing.count(f"\0{place}/") <= 2 * (last - first) + _SPARE:
            found.append(place)
        else:
            deeper = _folders(listing, wanted[first:last], len(place) + 1)
            if deeper is None:
                return None
            found += deeper
        if len(found) > _MOST:
            return None
        first = last
    return list(dict.fromkeys(found))
