"""The files that are staged, read like those of a revision."""

from __future__ import annotations

from stepfork.git.changes import within
from stepfork.git.index import read_blobs, staged_entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepfork.git.checkout import Checkout


class StagedTree:
    """The index as `RevisionTree` shows a commit. Of a path with a conflict it has our side."""

    def __init__(self, checkout: Checkout) -> None:
        self._checkout = checkout
        self._entries: dict[str, str] | None = None

    def read(self, path: str) -> bytes | None:
        """The bytes that are staged at ``path``; None where nothing is."""
        return self.read_many([path]).get(path)

    def read_many(self, paths: Sequence[str]) -> dict[str, bytes]:
        """`read` for several files; absent ones are left out. `GitError` names an object that is not to be had."""
        staged = self._all()
        blobs = {path: staged[path] for path in paths if path in staged}
        content = read_blobs(self._checkout, blobs.values())
        return {path: content[blob] for path, blob in blobs.items()}

    def list(self, prefix: str = "") -> dict[str, str]:
        """Path → blob id for every file below the folder ``prefix`` (or that one file)."""
        top = prefix.strip("/")
        return {path: blob for path, blob in sorted(self._all().items()) if within(path, [top] if top else [])}

    def _all(self) -> dict[str, str]:
        if self._entries is None:
            self._entries = staged_entries(self._checkout)
        return self._entries
