"""The examples for CI do what they say: one comment, updated; no code of a pull request where there are rights."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from stepfork.cli.render.diff_markdown import MARK, markdown_report
from stepfork.store.layout import init_store
from stepfork.store.store import Store
from tests.integration.ci_hosts import FAKE_CURL, FAKE_GH, Host
from tests.integration.scratch_repo import Repo
from tests.unit.diff.conversations import SYSTEM, conversation, fixture

EXAMPLES = Path(__file__).parents[2] / "examples" / "ci"
COMMENT: dict[str, Any] = yaml.safe_load((EXAMPLES / "comment.yml").read_text(encoding="utf-8"))
GITLAB: dict[str, Any] = yaml.safe_load((EXAMPLES / "gitlab.yml").read_text(encoding="utf-8"))
CALM = "\n".join(markdown_report([]))
FIRST = f"{MARK}\n### stepfork diff: 1 changed\n"
SECOND = f"{MARK}\n### stepfork diff: 2 changed\n"


def step(job: str, name: str) -> str:
    (found,) = [step for step in COMMENT["jobs"][job]["steps"] if step.get("name") == name]
    script: str = found["run"]
    return script


@pytest.fixture
def github(tmp_path: Path) -> Host:
    return Host(tmp_path, "gh", FAKE_GH)


@pytest.fixture
def gitlab(tmp_path: Path) -> Host:
    return Host(tmp_path, "curl", FAKE_CURL)


def on_github(host: Host, report: str) -> None:
    (host.folder / "stepfork-diff.md").write_text(report, encoding="utf-8")
    host.run(step("comment", "comment"), host.folder, GH_TOKEN="t", COMMENTS="repos/shop/agent/issues", NUMBER="7")


def on_gitlab(host: Host, report: str) -> None:
    (host.folder / "stepfork-diff.md").write_text(report, encoding="utf-8")
    (script,) = GITLAB["stepfork-note"]["script"]
    host.run(
        script,
        host.folder,
        "sh",
        STEPFORK_TOKEN="t",
        CI_API_V4_URL="https://git.example/api/v4",
        CI_MERGE_REQUEST_PROJECT_ID="5",
        CI_MERGE_REQUEST_IID="7",
    )


def test_a_second_run_on_github_updates_the_comment_of_the_first(github: Host) -> None:
    github.add("ada", f"{MARK} quoted by a person", "hello")
    github.add("github-actions[bot]", "coverage: 80 %")
    on_github(github, FIRST)
    on_github(github, SECOND)
    on_github(github, CALM)
    assert [body for author, body in github.comments[3:]] == [CALM]
    assert github.writes == [
        "POST repos/shop/agent/issues/7/comments",
        *["PATCH repos/shop/agent/issues/comments/103"] * 2,
    ]


def test_nothing_that_differs_begins_no_comment(github: Host) -> None:
    on_github(github, CALM)
    assert github.writes == []


def test_a_second_run_on_gitlab_updates_the_note_of_the_first(gitlab: Host) -> None:
    gitlab.add(4, f"{MARK} quoted by a person", *["hello"] * 150)
    on_gitlab(gitlab, CALM)
    assert gitlab.writes == []
    on_gitlab(gitlab, FIRST)
    on_gitlab(gitlab, SECOND)
    assert [body for author, body in gitlab.comments if author == 9] == [SECOND]
    notes = "https://git.example/api/v4/projects/5/merge_requests/7/notes"
    assert gitlab.writes == [f"POST {notes}", f"PUT {notes}/251"]


def test_the_report_is_made_of_commits_and_runs_nothing_of_them(github: Host, tmp_path: Path) -> None:
    """The pull request comes from elsewhere, and brings a store where the target branch has none."""
    origin = Repo(tmp_path / "origin")
    origin.write("agent.py", "print('hello')\n")
    origin.commit("base")
    origin.git("checkout", "--quiet", "-b", "feature")
    init_store(origin.root)
    for name in ("a", "b"):
        Store(origin.root / ".stepfork").write(fixture(conversation(system=SYSTEM), name=name))
    origin.write("sitecustomize.py", "open('/srv/never/written', 'w')\n")
    origin.commit("fixtures")
    origin.git("update-ref", "refs/pull/7/head", "HEAD")
    origin.git("checkout", "--quiet", "main")
    origin.git("branch", "--quiet", "-D", "feature")
    work = tmp_path / "work"
    origin.git("clone", "--quiet", str(origin.root), str(work))
    github.run(step("report", "compare"), work, NUMBER="7", BASE="main")
    report = (work / "stepfork-diff.md").read_text(encoding="utf-8")
    assert report.startswith(f"{MARK}\n### stepfork diff: 2 added\n")
    assert sorted(path.name for path in work.iterdir()) == [".git", ".stepfork", "agent.py", "stepfork-diff.md"]


def test_only_the_job_that_runs_nothing_of_a_pull_request_may_write() -> None:
    assert COMMENT["permissions"] == {}
    jobs = COMMENT["jobs"]
    assert {name: job["permissions"] for name, job in jobs.items()} == {
        "report": {"contents": "read"},
        "comment": {"pull-requests": "write"},
    }
    assert [step["uses"] for step in jobs["comment"]["steps"] if "uses" in step] == ["actions/download-artifact@v4"]
    checkout = next(step for step in jobs["report"]["steps"] if "checkout" in step.get("uses", ""))
    assert "ref" not in checkout["with"]  # the target branch
    shell = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert not any("${{" in script for script in shell)  # nothing that a stranger wrote becomes shell
    assert shell[0] == "pip install stepfork"
    assert not any(re.search(r"\b(pytest|checkout|make|npm|python)\b", script) for script in shell)


def test_actions_are_pinned_alike() -> None:
    texts = [path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.yml")]
    used = {found for text in texts for found in re.findall(r"uses: (\S+)", text)}
    assert len({name.partition("@")[0] for name in used}) == len(used)
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+", name) for name in used)


def test_gitlab_jobs_run_for_merge_requests_alone() -> None:
    jobs = {name: job for name, job in GITLAB.items() if not name.startswith(".")}
    for job in jobs.values():
        (rule,) = (GITLAB[job["extends"]] | job)["rules"]
        assert rule["if"].startswith('$CI_PIPELINE_SOURCE == "merge_request_event"')
    assert "STEPFORK_TOKEN" not in str(jobs["stepfork-replay"]) + str(jobs["stepfork-diff"])
    assert jobs["stepfork-note"]["variables"]["GIT_STRATEGY"] == "none"
    assert jobs["stepfork-replay"]["artifacts"]["reports"] == {"junit": "junit.xml"}
