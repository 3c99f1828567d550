"""What is staged: the index that git names in ``GIT_INDEX_FILE``, read by git itself."""

from __future__ import annotations

from stepfork.errors import GitError
from stepfork.git.changes import within
from stepfork.git.command import split_nul, to_bytes, to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from stepfork.git.checkout import Checkout

_SUBMODULE = "160000"


def staged_entries(checkout: Checkout, paths: Sequence[str] = (), *, changed_only: bool = False) -> dict[str, str]:
    """Path from the repository's root → blob id, for each file in the index; ``paths`` (from the root) limit them.

    ``changed_only`` keeps what a commit would change: entries that HEAD has not or has otherwise; deletions have no
    blob and are left out. A path with a conflict has no stage 0: its entry is that of stage 2 (ours), and `conflicts`
    lists them all. Submodules are no files and are left out.
    """
    return _changed(checkout, paths) if changed_only else _all(checkout, paths)


def has_submodule(checkout: Checkout, path: str) -> bool:
    """Whether the index has a submodule at `path`."""
    return any(mode == _SUBMODULE and found == path for mode, _, _, found in _stages(checkout, "--stage", [path]))


def conflicts(checkout: Checkout, paths: Sequence[str] = ()) -> dict[str, dict[int, str]]:
    """Path → stage (1 base, 2 ours, 3 theirs) → blob id, for each path that a merge left open."""
    found: dict[str, dict[int, str]] = {}
    for mode, blob, stage, path in _stages(checkout, "--unmerged", paths):
        if mode != _SUBMODULE:
            found.setdefault(path, {})[stage] = blob
    return found


def read_blobs(checkout: Checkout, blobs: Iterable[str]) -> dict[str, bytes]:
    """Blob id → bytes, in one run of git, which fetches what a partial clone lacks; `GitError` names a missing one."""
    wanted = list(dict.fromkeys(blobs))
    if not wanted:
        return {}
    return dict(zip(wanted, read_objects(checkout, wanted), strict=True))


def each_blob(checkout: Checkout, blobs: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Each blob id with its bytes, one in memory at a time; `GitError` names one that is not to be had."""
    for blob, data in zip(blobs, checkout.git.objects(blobs), strict=True):
        if data is None:
            raise _missing(blob)
        yield blob, data


def read_objects(checkout: Checkout, ids: Sequence[str]) -> list[bytes]:
    """The bytes of each object, in the order asked for; `GitError` names one that is not to be had."""
    read = read_named(checkout, ids)
    for one, data in zip(ids, read, strict=True):
        if data is None:
            raise _missing(one)
    return [data for data in read if data is not None]


def _missing(blob: str) -> GitError:
    return GitError(
        f"object {blob[:12]} is not in this repository", fix="git fetch, or git fsck to see what is damaged"
    )


def read_named(checkout: Checkout, names: Sequence[str]) -> list[bytes | None]:
    """The bytes of each object that a name such as ``HEAD:path`` or an id means, None where it means none.

    One run of ``git cat-file --batch``, which fetches what a partial clone lacks.
    """
    usable = [name for name in names if name and "\n" not in name]
    found: dict[str, bytes | None] = dict.fromkeys(names)
    for name in names:
        if "\n" in name:  # the batch has one name a line
            answer = checkout.git.run("cat-file", "blob", name, codes=(0, 128))
            found[name] = None if answer.code else answer.out
    if not usable:
        return [found[name] for name in names]
    out = checkout.git.run("cat-file", "--batch", data=b"".join(to_bytes(name) + b"\n" for name in usable)).out
    at = 0
    for name in usable:
        end = out.find(b"\n", at)
        # "ID TYPE SIZE", or "NAME missing" and the like, where the name may have spaces of its own.
        words = out[at:end].split(b" ")
        at = end + 1
        if len(words) == 3 and words[2].isdigit() and words[1] in (b"blob", b"tree", b"commit", b"tag"):
            size = int(words[2])
            found[name] = out[at : at + size]
            at += size + 1
    return [found[name] for name in names]


def _limits(paths: Sequence[str]) -> list[str]:
    return ["--", *(f":(top,literal){path}" for path in paths)]


def _all(checkout: Checkout, paths: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for mode, blob, stage, path in _stages(checkout, "--stage", paths):
        if mode != _SUBMODULE and (stage in (0, 2) or path not in found):
            found[path] = blob
    return found


def _stages(checkout: Checkout, which: str, paths: Sequence[str]) -> Iterable[tuple[str, str, int, str]]:
    answer = checkout.git.run("ls-files", "-z", which, "--full-name", *_limits(paths))
    for entry in answer.out.split(b"\0")[:-1]:
        head, _, path = entry.partition(b"\t")
        mode, blob, stage = to_text(head).split(" ")
        yield mode, blob, int(stage), to_text(path)


def _changed(checkout: Checkout, paths: Sequence[str]) -> dict[str, str]:
    head = checkout.commits(["HEAD"])[0] or checkout.empty_tree()
    fields = iter(
        split_nul(
            checkout.git.run(
                # no pathspec: under one this takes time in the square of the entries that it skips
                *("diff-index", "--cached", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", head)
            ).out
        )
    )
    found: dict[str, str] = {}
    unmerged: set[str] = set()
    for entry in fields:
        path = next(fields, "")
        if not within(path, paths):
            continue
        _, new_mode, _, blob, status = entry.removeprefix(":").split(" ")
        if status == "U":
            unmerged.add(path)
        elif status != "D" and new_mode != _SUBMODULE:
            found[path] = blob
    if unmerged:
        found.update(_all(checkout, sorted(unmerged)))
    return found
