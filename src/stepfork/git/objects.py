"""Objects of a repository, read in process; those that a partial clone lacks come through the git program."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from stepfork.errors import GitError
from stepfork.git.index import read_objects

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dulwich.repo import Repo

    from stepfork.git.checkout import Checkout

TREE_MODE = 0o40000
SUBMODULE_MODE = 0o160000


class Objects:
    """Object id (hex) → bytes: from dulwich where it opened the repository, else, or where it has not one, from git."""

    def __init__(self, repo: Repo | None, checkout: Checkout | None) -> None:
        self._repo = repo
        self._checkout = checkout
        if repo is not None:  # trees outlive the repository that they came from; packs close with the last of them
            weakref.finalize(self, repo.close)

    def get(self, object_id: str) -> bytes:
        """The content of an object, without git's header; `GitError` where neither dulwich nor git has it."""
        return self.get_many([object_id])[object_id]

    def get_many(self, ids: Sequence[str]) -> dict[str, bytes]:
        """The content of several objects; those that are not here are asked for in one run of git."""
        found = {one: data for one in ids if (data := self._local(one)) is not None}
        absent = [one for one in dict.fromkeys(ids) if one not in found]
        if absent:
            if self._checkout is None:
                raise GitError(
                    f"object {absent[0][:12]} is not in this repository",
                    fix="install the git program: it fetches what a partial clone lacks",
                )
            found.update(zip(absent, read_objects(self._checkout, absent), strict=True))
        return found

    def _local(self, object_id: str) -> bytes | None:
        if self._repo is None:
            return None
        from dulwich.objects import ObjectID

        try:
            return self._repo.object_store.get_raw(ObjectID(object_id.encode()))[1]
        except MemoryError:
            raise
        except Exception:
            # KeyError: not here. Anything else is a pack or a loose file that dulwich cannot read: git has the
            # last word on whether it is damaged.
            return None


def parse_tree(data: bytes, id_length: int) -> dict[bytes, tuple[int, str]]:
    """Name → (mode, id) for the entries of a tree object: ``MODE NAME NUL id``, ids of ``id_length`` bytes."""
    found: dict[bytes, tuple[int, str]] = {}
    at = 0
    while at < len(data):
        space = data.find(b" ", at)
        end = data.find(b"\0", space)
        if space < 0 or end < 0 or end + 1 + id_length > len(data):
            raise GitError("a tree object is damaged", fix="git fsck")
        try:
            mode = int(data[at:space], 8)
        except ValueError:
            raise GitError("a tree object is damaged", fix="git fsck") from None
        at = end + 1 + id_length
        found[data[space + 1 : end]] = (mode, data[end + 1 : at].hex())
    return found


def tree_of_commit(data: bytes) -> str:
    """The id of the tree that a commit object names in its first line."""
    word, _, rest = data.split(b"\n", 1)[0].partition(b" ")
    if word != b"tree":
        raise GitError("a commit object is damaged", fix="git fsck")
    return rest.decode("ascii", "replace")
