"""The pages about frameworks show what `scripts/frameworks` runs: code, versions and settings to the letter."""

from __future__ import annotations

import json
import re

import pytest

from tests.architecture.test_docs import ROOT, blocks

AGENTS = ROOT / "scripts" / "frameworks" / "agents"
PAGES = {
    "pydantic-ai": ("pydantic-ai",),
    "openai-agents": ("openai-agents",),
    "langgraph": ("langgraph",),
    "claude-agent-sdk": ("claude-agent-sdk", "claude-agent-sdk-ts"),
    "vercel-ai-sdk": ("vercel-ai",),
    "mastra": ("mastra",),
}


def pins(agent: str) -> dict[str, str]:
    """The version of each package that is pinned for an agent."""
    folder = AGENTS / agent
    if (folder / "package.json").exists():
        found: dict[str, str] = json.loads((folder / "package.json").read_text())["dependencies"]
        return found
    lines = (folder / "requirements.txt").read_text().split()
    return dict(line.split("==") for line in lines)


def test_every_agent_has_a_page_and_exact_pins() -> None:
    assert sorted(path.name for path in AGENTS.iterdir() if path.is_dir()) == sorted(sum(PAGES.values(), ()))
    for agents in PAGES.values():
        for agent in agents:
            assert all(re.fullmatch(r"[0-9][0-9A-Za-z.]*", version) for version in pins(agent).values()), agent


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_what_is_run(name: str) -> None:
    page = ROOT / "docs" / "how-to" / f"{name}.md"
    agents = PAGES[name]
    code = "".join(source(agent) for agent in agents)
    for block in (*blocks(page, "python"), *blocks(page, "ts")):
        assert block in code, block
    shell = "".join(blocks(page, "bash"))
    known = {pin for agent in agents for pin in pins(agent).items()}
    installed = re.findall(r"(?:^|[ \"])((?:@[\w-]+/)?[\w-]+(?:\[\w+\])?)(?:==|@)([0-9][\w.]*)", shell)
    assert installed
    assert set(installed) <= known
    for agent in agents:
        settings = AGENTS / agent / "environment"
        for line in settings.read_text().splitlines() if settings.exists() else ():
            assert f"export {line}\n" in shell, line


def source(agent: str) -> str:
    (file,) = (AGENTS / agent).glob("agent.*")
    return file.read_text(encoding="utf-8")
