"""Pathspecs that cost git little: the folders that hold tests, by name, instead of patterns.

git compares every pattern with every path of a repository; with 50,000 of them each pattern takes as long as reading
a thousand files. A folder's name costs nothing. Where the tests lie in too many places, the patterns stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepfork.git.command import to_bytes, to_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stepfork.select.layout import Layout

_MOST = 12
#: Files that may be looked at for nothing: as many again as there are tests in a folder, and these.
_SPARE = 200


def pathspecs_of_tests(listing: bytes, layout: Layout) -> list[str]:
    """Pathspecs for every test file and module beside the tests that ``listing`` has (``git ls-files -z``)."""
    top = to_bytes(layout.root) + b"/" if layout.root else b""
    loose = layout.marks()
    wanted = [
        path
        for path in listing.split(b"\0")
        if path.endswith(b".py") and path.startswith(top) and any(mark in path for mark in loose)
    ]
    folders = _folders(b"\0" + listing, wanted, len(top))
    return layout.pathspecs() if folders is None else [f":(top,literal){to_text(path)}" for path in folders]


def pathspecs_of_store(listing: bytes, store: str) -> list[str]:
    """Pathspecs for a store, and for the bundles and the stores of other projects that ``listing`` has."""
    specs = [f":(top,literal){store}"]
    if b".sftrace/" in listing:
        specs.append(":(top)*.sftrace/*")
    whole = b"\0" + listing
    if whole.count(b".stepfork/") > whole.count(b"\0" + to_bytes(store) + b"/"):
        specs.append(":(top)*.stepfork/*")
    return specs


def _folders(listing: bytes, wanted: Iterable[bytes], at: int) -> list[bytes] | None:
    """The highest folders, from position ``at`` of the paths on, whose files are about half wanted; None: too many."""
    groups: dict[bytes, list[bytes]] = {}
    for path in wanted:
        end = path.find(b"/", at)
        groups.setdefault(path if end < 0 else path[:end], []).append(path)
    found: list[bytes] = []
    for place, inside in groups.items():
        if len(found) + len(groups) > 4 * _MOST:
            return None
        if inside == [place] or listing.count(b"\0" + place + b"/") <= 2 * len(inside) + _SPARE:
            found.append(place)
            continue
        deeper = _folders(listing, inside, len(place) + 1)
        if deeper is None:
            return None
        found += deeper
    return found if len(found) <= _MOST else None
