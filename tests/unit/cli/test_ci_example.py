"""The example workflow is what it says: read-only, without keys, with commands and options that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

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


def test_the_manual_lists_every_key_that_is_known() -> None:
    page = (ROOT / "docs/reference/replay.md").read_text(encoding="utf-8")
    told = page.partition("The keys that are known:")[2].partition("\n\nEverything else")[0]
    names = {name for names in PROVIDER_KEYS.values() for name in names}
    assert set(re.findall(r"`([A-Z0-9_]+)`", told)) == names
