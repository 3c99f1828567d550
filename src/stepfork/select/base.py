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
    "CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME",  # GitLab, for a repository elsewhere
    "SYSTEM_PULLREQUEST_TARGETBRANCH",  # Azure Pipelines
    "BITBUCKET_PR_DESTINATION_BRANCH",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
    "CHANGE_TARGET",  # Jenkins
)
#: The variables with the commit where the branch of a merge request began, where the target branch is not fetched.
_STARTS = ("CI_MERGE_REQUEST_DIFF_BASE_SHA",)
#: Pairs of variables, the ref and the commit that are built: ``…/merge`` is the CI's own merge of a pull request into
#: its target, so that the first parent is the target.
_MERGES = (("GITHUB_REF", "GITHUB_SHA"), ("BUILD_SOURCEBRANCH", "BUILD_SOURCEVERSION"))
#: The variables with the commit that a pushed branch stood at before.
_BEFORE = ("CI_COMMIT_BEFORE_SHA", "GIT_PREVIOUS_SUCCESSFUL_COMMIT")  # GitLab, Jenkins
_QUEUE = "refs/heads/gh-readonly-queue/"
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
    """The first of: ``asked``, ``configured``, the CI's target branch, the remote's default branch, what was pushed
    onto, HEAD.

    `GitError` where the revision asked for does not exist. One that is set or told but is not here (a clone of one
    branch) leaves the base unknown rather than falling through to another one. With ``committed`` HEAD itself is no
    base: nothing ever differs from it.
    """
    told = _told(environ)
    wanted = asked or configured or told
    if asked is not None:
        candidates = [asked, f"origin/{asked}"]
    elif configured is not None:
        candidates = [configured, f"origin/{configured}"]
    elif told is not None:
        candidates = [f"refs/remotes/origin/{told}", told, *(environ.get(name, "") for name in _STARTS)]
    else:
        before = _pushed_onto(environ) if committed else ""
        candidates = ["refs/remotes/origin/HEAD", *_DEFAULTS, before]
    merged = "HEAD^1" if told is not None and asked is None and configured is None else ""
    head, target, *found = checkout.commits(["HEAD", merged, *candidates])
    for candidate, commit in zip(candidates, found, strict=True):
        if commit is None or (committed and wanted is None and _has(checkout, commit, head)):
            continue  # what was pushed to the default branch itself would differ from it in nothing
        return Base(_shown(checkout, candidate), commit, head)
    if target is not None and any(
        environ.get(ref, "").endswith("/merge") and environ.get(built) == head for ref, built in _MERGES
    ):
        return Base(f"{told} (as merged by the CI)", target, head)
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
    """The branch that a pull request, or an entry of GitHub's merge queue, goes to."""
    for variable in TARGET_VARIABLES:
        branch = environ.get(variable, "").strip().removeprefix("refs/heads/")
        if branch:
            return branch
    queued = environ.get("GITHUB_REF", "")
    if queued.startswith(_QUEUE):  # refs/heads/gh-readonly-queue/main/pr-7-4be1c02…
        return queued.removeprefix(_QUEUE).rpartition("/pr-")[0] or None
    return None


def _has(checkout: Checkout, commit: str, head: str | None) -> bool:
    """Whether the history of a commit has HEAD in it."""
    return head is not None and (commit == head or checkout.merge_base(commit, head) == head)


def _pushed_onto(environ: Mapping[str, str]) -> str:
    """The commit that a branch stood at before the push that is built; empty where that is not told, or it is new."""
    told = [environ.get(variable, "") for variable in _BEFORE]
    event = environ.get("GITHUB_EVENT_PATH", "")
    if environ.get("GITHUB_EVENT_NAME") == "push" and event:
        import json

        try:
            with open(event, "rb") as file:
                document = json.load(file)
        except (OSError, ValueError, RecursionError):
            document = None
        before = document.get("before") if isinstance(document, dict) else None
        told.append(before if isinstance(before, str) else "")
    return next((commit for commit in told if commit.strip("0") and commit.isalnum()), "")


def _shown(checkout: Checkout, candidate: str) -> str:
    if candidate == "refs/remotes/origin/HEAD":
        answer = checkout.git.run("rev-parse", "--abbrev-ref", "refs/remotes/origin/HEAD", codes=(0, 128))
        return answer.out.decode("utf-8", "replace").strip() or "origin/HEAD"
    return candidate.removeprefix("refs/remotes/")
