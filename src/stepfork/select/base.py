"""What a change is measured from: the base asked for, set, told by the CI system, or guessed from the remote."""

from __future__ import annotations

from stepfork.errors import GitError
from stepfork.git.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from stepfork.git.checkout import Checkout

#: The variable with the branch that a pull request goes to, in the CI systems that have one.
TARGET_VARIABLES = (
    "GITHUB_BASE_REF",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",  # GitLab
    "SYSTEM_PULLREQUEST_TARGETBRANCH",  # Azure Pipelines
    "BITBUCKET_PR_DESTINATION_BRANCH",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
    "CHANGE_TARGET",  # Jenkins
)
#: What a remote's default branch is called where the clone does not say.
_DEFAULTS = ("origin/main", "origin/master")


class Base(Record):
    """The base by its ``name`` and ``commit``; ``head`` is HEAD's commit, None before the first one.

    ``commit`` is None where the base is not known; ``unsure`` then says why and what to do.
    """

    name: str
    commit: str | None
    head: str | None
    unsure: str = ""


def find_base(
    checkout: Checkout, *, asked: str | None, configured: str | None, environ: Mapping[str, str], committed: bool
) -> Base:
    """The first of: ``asked``, ``configured``, the CI's target branch, the remote's default branch, HEAD.

    `GitError` where the revision asked for does not exist. One that is set or told but is not here (a clone of one
    branch) leaves the base unknown rather than falling through to another one. With ``committed`` HEAD itself is no
    base: nothing ever differs from it.
    """
    told = _told(environ)
    if asked is not None:
        candidates = [asked, f"origin/{asked}"]
    elif configured is not None:
        candidates = [configured, f"origin/{configured}"]
    elif told is not None:
        candidates = [f"refs/remotes/origin/{told}", told]
    else:
        candidates = ["refs/remotes/origin/HEAD", *_DEFAULTS]
    head, *found = checkout.commits(["HEAD", *candidates])
    for candidate, commit in zip(candidates, found, strict=True):
        if commit is not None:
            return Base(_shown(checkout, candidate), commit, head)
    wanted = asked or configured or told
    if asked is not None:
        raise GitError(
            f"no such revision: {ascii(asked)[1:-1]}", fix=f"git fetch origin {ascii(asked)[1:-1]}, or name another"
        )
    if wanted is not None:
        branch = wanted.removeprefix("origin/")
        return Base(
            wanted, None, head, f"the base {wanted} is not in this clone: git fetch origin {branch} brings it here"
        )
    if committed:
        return Base(
            "HEAD", None, head, "no base is known to compare HEAD with: name it with --base, or [select] base in config"
        )
    return Base("HEAD", head, head)


def _told(environ: Mapping[str, str]) -> str | None:
    for variable in TARGET_VARIABLES:
        branch = environ.get(variable, "").strip().removeprefix("refs/heads/")
        if branch:
            return branch
    return None


def _shown(checkout: Checkout, candidate: str) -> str:
    if candidate == "refs/remotes/origin/HEAD":
        answer = checkout.git.run("rev-parse", "--abbrev-ref", "refs/remotes/origin/HEAD", codes=(0, 128))
        return answer.out.decode("utf-8", "replace").strip() or "origin/HEAD"
    return candidate.removeprefix("refs/remotes/")
