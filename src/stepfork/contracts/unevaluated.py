"""Chains that were built, so that one that was never evaluated can fail the test that built it.

Standard library only: pytest loads this at every start, whether or not a test ever builds a chain.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stepfork.contracts.chain import ExpectChain

_OWN = __name__.partition(".")[0]


class Built:
    """Links of chains that were built while something ran, in order, each with the place (``file:line``) that did."""

    def __init__(self) -> None:
        self._links: list[tuple[ExpectChain, str]] = []

    def add(self, link: ExpectChain, place: str) -> None:
        """A link that was built."""
        self._links.append((link, place))

    def forget(self) -> None:
        """Drop all: what built them failed for a reason of its own."""
        self._links.clear()

    def unevaluated(self) -> list[str]:
        """One line for each chain of which a link was never evaluated: where that was built, and what it expects.

        A link that another unevaluated one continues is told with that one.
        """
        open_links = [(link, place) for link, place in self._links if not link.evaluated]
        continued = {id(link.before) for link, _ in open_links}
        return [
            f"{place}: {', '.join(contract.id for contract in link.contracts) or 'nothing is expected yet'}"
            for link, place in open_links
            if id(link) not in continued
        ]


_watching: list[Built] = []


@contextmanager
def watching(built: Built) -> Iterator[None]:
    """Chains built inside, in any thread, are added to `built`; a watch inside another one takes over."""
    _watching.append(built)
    try:
        yield
    finally:
        _watching.remove(built)


def note(link: ExpectChain) -> None:
    """Add a link to the innermost watch, if there is any: the ``on_build`` of every chain that a test builds."""
    if _watching:
        _watching[-1].add(link, _place())


def _place() -> str:
    """The file and line outside of this package that the call comes from."""
    frame = sys._getframe()
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == _OWN:
        frame = frame.f_back
    path, here = frame.f_code.co_filename, os.getcwd() + os.sep  # noqa: PTH109 - see above
    return f"{path.removeprefix(here)}:{frame.f_lineno}"
