"""The example workflow is what it says: read-only, without keys, with commands and options that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from stepfork.cli.check_options import Options
from stepfork.replay.keys import PROVIDER_KEYS

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "examples/ci/replay.yml").read_text(encoding="utf-8")
WORKFLOW: dict[str, Any] = yaml.safe_load(TEXT)


def test_the_workflow_may_read_and_knows_no_secret() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert "secrets." not in TEXT
    assert "env" not in WORKFLOW
    assert all("permissions" not in job and "env" not in job for job in WORKFLOW["jobs"].values())
    (checkout,) = [step for step in WORKFLOW["jobs"]["replay"]["steps"] if "checkout" in step.get("uses", "")]
    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}


def test_its_commands_and_options_exist() -> None:
    reference = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
    runs = "\n".join(step.get("run", "") for step in WORKFLOW["jobs"]["replay"]["steps"])
    for command in re.findall(r"(?<!\.)stepfork ([a-z][a-z-]+)", runs):
        assert f"## stepfork {command}\n" in reference
    checked = re.search(r"stepfork check-redaction (.*)", runs)
    assert checked is not None
    assert Options(shlex.split(checked[1])).accepted_from == "origin/$GITHUB_BASE_REF"
    section = reference.partition("## stepfork replay\n")[2].partition("\n## ")[0]
    given = runs.partition("stepfork replay ")[2].partition(" -- ")[0]
    assert re.findall(r"--[a-z-]+", given) == ["--format", "--block-egress", "--result-file", *["--executes"] * 3]
    assert all(option in section for option in re.findall(r"--[a-z-]+", given))


def commands() -> list[tuple[str, str]]:
    """(name of a file, command line of ours) of every example."""
    found = []
    for path in sorted((ROOT / "examples/ci").glob("*.yml")):
        lines = re.sub(r"\\?\n\s+(?=--)", " ", path.read_text(encoding="utf-8"))
        found += [
            (path.name, line)
            for line in re.findall(r"(?:- |run: |^ +)(stepfork .*)$", lines, re.MULTILINE)
            if "<!--" not in line and "-->" not in line
        ]
    return found


@pytest.mark.parametrize(("file", "line"), commands())
def test_every_example_uses_options_that_exist(file: str, line: str) -> None:
    reference = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
    words = shlex.split(line)
    section = reference.partition(f"## stepfork {words[1]}\n")[2].partition("\n## ")[0]
    assert section, f"{file}: {line}"
    own = words[: words.index("--")] if "--" in words else words
    for option in (word for word in own if word.startswith("--")):
        assert re.search(rf"(?<![\w-]){option}\b", section), f"{file}: {option}"


def test_the_tests_of_a_pull_request_run_without_rights() -> None:
    runs = [step["run"] for step in WORKFLOW["jobs"]["replay"]["steps"] if "run" in step]
    assert "stepfork select --changed --run -- pytest --stepfork-format=github --junitxml=junit.xml" in runs
    assert not any("xargs" in run for run in runs)


def test_the_manual_lists_every_key_that_is_known() -> None:
    page = (ROOT / "docs/reference/replay.md").read_text(encoding="utf-8")
    told = page.partition("The keys that are known:")[2].partition("\n\nEverything else")[0]
    names = {name for names in PROVIDER_KEYS.values() for name in names}
    assert set(re.findall(r"`([A-Z0-9_]+)`", told)) == names


def test_the_manual_shows_the_hooks_that_are_published() -> None:
    page = (ROOT / "docs/how-to/pre-commit.md").read_text(encoding="utf-8")
    shown: dict[str, dict[str, Any]] = {}
    for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL):
        read = yaml.safe_load(block)
        hooks = read["repos"][0]["hooks"] if isinstance(read, dict) else read
        shown |= {hook["id"]: hook for hook in hooks}
    published = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    for hook in published:
        local = {name: value for name, value in shown[hook["id"]].items() if name != "language"}
        assert local == {name: hook[name] for name in local}
        assert local.keys() | {"description", "language"} == hook.keys()
