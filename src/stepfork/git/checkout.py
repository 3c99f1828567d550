"""One work tree as the git program sees it: where it is, what its revisions are called, where histories part."""

from __future__ import annotations

import os

from stepfork.errors import GitError
from stepfork.git.command import GitProgram, to_bytes, to_text
from stepfork.git.environment import PLACE_VARIABLES, without_hook_variables
from stepfork.git.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Checkout(Record):
    """A work tree: ``root`` is its absolute path without symbolic links, ``git`` runs there.

    ``prefix`` is the folder that was asked about, relative to the root (``""`` or ``services/agent/``); ``shallow``
    says that old history is missing.
    """

    root: str
    prefix: str
    git: GitProgram
    shallow: bool

    def commits(self, revisions: Sequence[str]) -> list[str | None]:
        """The commit that each revision names, None where there is none; one run of git for all of them."""
        usable = [rev if rev and not rev.startswith("-") and "\n" not in rev else "" for rev in revisions]
        feed = b"".join(to_bytes(f"{rev or '-'}^{{commit}}\n") for rev in usable)
        lines = self.git.run("cat-file", "--batch-check", data=feed).out.split(b"\n")
        found: list[str | None] = []
        for line in lines[: len(usable)]:
            words = line.split(b" ")
            found.append(to_text(words[0]) if len(words) == 3 and words[1] == b"commit" else None)
        return found

    def merge_base(self, old: str, new: str) -> str | None:
        """The best common ancestor of two commits; None where no history joins them (a shallow clone, usually)."""
        answer = self.git.run("merge-base", old, new, codes=(0, 1))
        return to_text(answer.out.split(b"\n")[0]) or None

    def leaves_files_out(self) -> bool:
        """Whether this is a sparse checkout."""
        return self.git.run("config", "--type=bool", "core.sparseCheckout", codes=(0, 1)).out.strip() == b"true"

    def empty_tree(self) -> str:
        """The id of the tree without entries: what a first commit is compared with."""
        return to_text(self.git.run("hash-object", "-t", "tree", "--stdin", data=b"").out.strip())


def open_checkout(
    folder: str | os.PathLike[str], environ: Mapping[str, str] | None = None, *, committing: bool = False
) -> Checkout:
    """The work tree around ``folder``; `GitError` where there is none, it is bare, or git does not trust it.

    Inside a hook, git's variables are obeyed as far as they speak of this very repository (its index, above all) and
    are dropped where the folder belongs to another one; ``committing`` asks for the repository that is being committed
    to, also where its work tree lies inside another one's. Without ``environ`` git inherits this process's environment
    as it is.
    """
    found = find_checkout(folder, environ, committing=committing)
    if found is None:
        raise GitError("this is no git repository", where=os.path.realpath(folder), fix="git init makes one")
    return found


def find_checkout(
    folder: str | os.PathLike[str], environ: Mapping[str, str] | None = None, *, committing: bool = False
) -> Checkout | None:
    """`open_checkout`, with None where ``folder`` belongs to no repository at all."""
    place = os.path.realpath(folder)
    program = GitProgram.at(place, environ=environ, hook=True)
    if environ is not None and any(key in environ for key in PLACE_VARIABLES):
        program = _for_hook(place, environ, committing=committing)
    answer = program.run(
        "rev-parse", "--is-inside-work-tree", "--is-shallow-repository", "--show-cdup", "--show-prefix", codes=(0, 128)
    )
    lines = answer.out.split(b"\n")
    if answer.code and not answer.out:
        if "safe.directory" in answer.err:
            raise GitError(
                "git does not trust this repository: another user owns it",
                where=place,
                fix="git config --global --add safe.directory " + place,
            )
        return None
    if lines[0] != b"true" or len(lines) < 5:
        raise GitError("this repository has no work tree here", where=place, fix="git worktree add makes one")
    root = os.path.normpath(os.path.join(place, to_text(lines[2]))) if lines[2] else place
    prefix = to_text(b"\n".join(lines[3:]).removesuffix(b"\n"))
    return Checkout(root, prefix, GitProgram(root, program.environment), lines[1] == b"true")


def _for_hook(place: str, environ: Mapping[str, str], *, committing: bool) -> GitProgram:
    """The program for ``place`` where a hook's variables are set.

    ``GIT_DIR`` alone makes git take the working directory for the top of the work tree, and a relative
    ``GIT_INDEX_FILE`` counts from there; so the repository is found by walking up, as without a hook, and only the
    index is taken from the variables, as an absolute path.
    """
    plain = GitProgram.at(place, environ=without_hook_variables(environ), hook=False)
    answer = plain.run("rev-parse", "--absolute-git-dir", "--show-cdup", codes=(0, 128))
    if answer.code:
        return GitProgram.at(place, environ=environ, hook=True)
    git_dir, cdup = (to_text(line) for line in answer.out.split(b"\n")[:2])
    root = os.path.normpath(os.path.join(place, cdup)) if cdup else place
    told = environ.get("GIT_DIR")
    start = environ.get("PWD") or place
    if told is not None and not _same(_absolute(told, root, start), git_dir):
        return GitProgram.at(place, environ=environ, hook=True) if committing else plain
    index = environ.get("GIT_INDEX_FILE")
    if index is None:
        return plain
    path = index if os.path.isabs(index) else os.path.normpath(os.path.join(root, index))
    if not os.path.isfile(path) or _of_another(path, git_dir):
        return plain
    kept = {**without_hook_variables(environ), "GIT_INDEX_FILE": path}
    for key in environ:
        if key.startswith(("GIT_CONFIG_", "GIT_OBJECT_", "GIT_ALTERNATE_")):
            kept[key] = environ[key]
    return GitProgram.at(place, environ=kept, hook=True)


def _absolute(told: str, root: str, start: str) -> str:
    if os.path.isabs(told):
        return told
    candidates = [os.path.normpath(os.path.join(base, told)) for base in (root, start)]
    return next((path for path in candidates if os.path.isdir(path)), candidates[0])


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _of_another(index: str, git_dir: str) -> bool:
    """Whether an index stands in the git folder of a repository other than ours."""
    folder = os.path.dirname(os.path.realpath(index))
    is_git = os.path.isfile(os.path.join(folder, "HEAD")) and (
        os.path.isdir(os.path.join(folder, "objects")) or os.path.isfile(os.path.join(folder, "commondir"))
    )
    return is_git and not _same(folder, git_dir)
