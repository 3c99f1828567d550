"""Each piece of config.toml in the manual is one that stepfork reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stepfork.config.project import read_settings
from stepfork.redact.rules import NO_RULES

DOCS = Path(__file__).parents[3] / "docs"
BLOCKS = [
    (page.relative_to(DOCS).as_posix(), block)
    for page in sorted(DOCS.rglob("*.md"))
    for block in re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
]


@pytest.mark.parametrize(("page", "block"), BLOCKS)
def test_settings_in_the_manual_are_read(page: str, block: str, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(block, encoding="utf-8")
    settings = read_settings(tmp_path)
    told = (settings.routes, settings.volatile, settings.select_base, settings.normalize, settings.watch)
    assert any(told) or settings.redact is not NO_RULES


def test_there_are_some() -> None:
    assert {"how-to/azure-openai.md", "how-to/tool-http-api.md"} <= {page for page, _ in BLOCKS}
