"""The manual is run: `sh` blocks in a scratch project, links and commands checked against the product."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def blocks(page: Path, language: str) -> list[str]:
    return [body for found, body in _BLOCK.findall(page.read_text(encoding="utf-8")) if found == language]


_NEGATED = re.compile(r"^! (.+)$", re.MULTILINE)
"""What a page says must fail: `set -e` lets it pass, whatever it does."""

RUN = [page for page in PAGES if page.is_relative_to(ROOT / "docs") and blocks(page, "sh")]


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.stem)
def test_the_shell_blocks_of_a_page_run(page: Path, project: Path) -> None:
    script = "set -euo pipefail\n" + _NEGATED.sub(r"if \1; then exit 1; fi", "".join(blocks(page, "sh")))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "STEPFORK": str(ROOT)}
    done = subprocess.run(["bash", "-c", script], cwd=project, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_some_pages_are_run() -> None:
    assert {"first-fixture"} <= {page.stem for page in RUN}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in _LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_command_reference_is_the_commands_own_help() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "generate-docs", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_every_command_has_a_place_in_the_changelog() -> None:
    shown = (ROOT / "docs" / "reference" / "cli.md").read_text()
    told = (ROOT / "CHANGELOG.md").read_text()
    for command in re.findall(r"^## stepfork (\S+)", shown, re.MULTILINE):
        assert command in told, command
