"""What the CI systems tell of a change: pull requests as they check them out, merge queues, pushes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.scratch_repo import Repo, two_fixtures

REFUND = "tests/test_refund.py::test_refund"
SHIP = "tests/test_ship.py::test_ship"


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """In CI, a clone of ``main`` and of ``feat``, which changed `refund`; main moved on and changed `ship`."""
    origin = two_fixtures(tmp_path / "origin")
    origin.fixture("refund", "second")
    origin.commit("feat")
    origin.git("checkout", "--quiet", "main")
    origin.fixture("ship", "second")
    origin.commit("main moved")
    origin.git("clone", "--quiet", str(origin.root), str(tmp_path / "clone"))
    monkeypatch.setenv("CI", "true")
    repo = Repo(tmp_path / "clone", init=False)
    repo.git("checkout", "--quiet", "feat")
    return repo


def merged(repo: Repo, *, forget: bool) -> str:
    """The merge of feat into main, checked out without a branch, as GitHub and Azure do; the branches may be absent."""
    repo.git("checkout", "--quiet", "--detach", "origin/main")
    repo.git("-c", "merge.autoEdit=no", "merge", "--quiet", "--no-ff", "origin/feat", "--message=merge")
    if forget:
        repo.git("remote", "remove", "origin")
        repo.git("branch", "--quiet", "-D", "feat", "main")
    return repo.git("rev-parse", "HEAD")


@pytest.mark.parametrize("forget", [False, True])
@pytest.mark.parametrize("system", ["github", "azure"])
def test_the_merge_that_a_ci_makes_of_a_pull_request(
    clone: Repo, monkeypatch: pytest.MonkeyPatch, system: str, forget: bool
) -> None:
    head = merged(clone, forget=forget)
    told = {
        "github": {"GITHUB_BASE_REF": "main", "GITHUB_REF": "refs/pull/7/merge", "GITHUB_SHA": head},
        "azure": {
            "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main",
            "BUILD_SOURCEBRANCH": "refs/pull/7/merge",
            "BUILD_SOURCEVERSION": head,
        },
    }
    for variable, value in told[system].items():
        monkeypatch.setenv(variable, value)
    printed = clone.select()
    assert printed.ids == [REFUND]
    assert ("base main (as merged by the CI)" if forget else "base origin/main (merge base") in printed.messages


def test_a_merge_commit_of_the_branchs_own_is_no_base(clone: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_SHA", merged(clone, forget=True))
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    monkeypatch.setenv("GITHUB_REF", "refs/heads/feat")
    printed = clone.select()
    assert printed.ids == [REFUND, SHIP]
    assert "git fetch origin main" in printed.messages


def test_a_commit_made_on_top_of_the_merge_is_no_base_either(clone: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_SHA", merged(clone, forget=True))
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    monkeypatch.setenv("GITHUB_REF", "refs/pull/7/merge")
    clone.commit("made by an earlier step")
    assert clone.select().ids == [REFUND, SHIP]


@pytest.mark.parametrize("branch", ["main", "release/2"])
def test_githubs_merge_queue(clone: Repo, monkeypatch: pytest.MonkeyPatch, branch: str) -> None:
    clone.git("update-ref", f"refs/remotes/origin/{branch}", "origin/main")
    monkeypatch.setenv("GITHUB_REF", f"refs/heads/gh-readonly-queue/{branch}/pr-7-{'4be1c02' * 5}")
    printed = clone.select()
    assert printed.ids == [REFUND]
    assert f"base origin/{branch} (merge base " in printed.messages


def test_a_merge_request_whose_target_was_not_fetched(clone: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    start = clone.git("merge-base", "origin/main", "feat")
    clone.git("remote", "remove", "origin")
    clone.git("branch", "--quiet", "-D", "main")
    monkeypatch.setenv("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main")
    monkeypatch.setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", start)
    printed = clone.select()
    assert printed.ids == [REFUND]
    assert f"base {start} (merge base {start[:7]})" in printed.messages


def pushed(event: Path, before: object) -> dict[str, str]:
    event.write_text(json.dumps({"before": before}) if before != "torn" else '{"before"')
    return {"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(event), "GITHUB_BASE_REF": ""}


TOLD: dict[str, Callable[[Path, str], dict[str, str]]] = {
    "github": pushed,
    "gitlab": lambda _, before: {"CI_COMMIT_BEFORE_SHA": before},
    "jenkins": lambda _, before: {"GIT_PREVIOUS_SUCCESSFUL_COMMIT": before},
}


@pytest.mark.parametrize("system", TOLD)
def test_a_push_to_the_default_branch_is_compared_with_what_it_was_pushed_onto(
    clone: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    clone.git("checkout", "--quiet", "main")
    for variable, value in TOLD[system](tmp_path / "event.json", clone.git("rev-parse", "HEAD~1")).items():
        monkeypatch.setenv(variable, value)
    printed = clone.select()
    assert printed.ids == [SHIP]
    # On a branch the whole branch counts, whatever part of it was pushed last; a CI's clone names no default branch.
    clone.git("remote", "set-head", "origin", "--delete")
    clone.git("checkout", "--quiet", "feat")
    before = clone.git("rev-parse", "HEAD")
    clone.commit("pushed last")
    for variable, value in TOLD[system](tmp_path / "event.json", before).items():
        monkeypatch.setenv(variable, value)
    assert clone.select().ids == [REFUND]


@pytest.mark.parametrize("before", ["0" * 40, "4be1c02" * 5, "", None, ["x"], "--all", "torn"])
def test_a_push_that_tells_no_base_selects_everything(
    clone: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: object
) -> None:
    clone.git("checkout", "--quiet", "main")
    for variable, value in pushed(tmp_path / "event.json", before).items():
        monkeypatch.setenv(variable, value)
    printed = clone.select()
    assert printed.ids == [REFUND, SHIP]
    assert "--base" in printed.messages


def test_what_another_event_calls_before_is_no_push(
    clone: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of a pull request is its own earlier head."""
    clone.git("checkout", "--quiet", "main")
    for variable, value in pushed(tmp_path / "event.json", clone.git("rev-parse", "HEAD")).items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
    assert clone.select().ids == [REFUND, SHIP]


def test_an_old_commit_of_the_default_branch_is_no_empty_change(clone: Repo) -> None:
    clone.git("checkout", "--quiet", "--detach", "origin/main~1")
    printed = clone.select()
    assert printed.ids == [REFUND, SHIP]
    assert "no base is known" in printed.messages


@pytest.mark.parametrize(("value", "state"), [("0", "the work tree"), ("false", "the work tree"), ("", "the work tree"),
                                              ("1", "HEAD"), ("woodpecker", "HEAD")])  # fmt: skip
def test_whether_it_is_ci_and_which_state_is_compared_is_printed(
    clone: Repo, monkeypatch: pytest.MonkeyPatch, value: str, state: str
) -> None:
    monkeypatch.setenv("CI", value)
    clone.fixture("ship", "third")
    printed = clone.select()
    assert printed.ids == ([REFUND] if state == "HEAD" else [REFUND, SHIP])
    assert f"comparing {state}" in printed.messages
