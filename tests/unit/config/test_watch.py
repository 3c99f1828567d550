from __future__ import annotations

from pathlib import Path

import pytest

from stepfork.config.project import read_settings
from stepfork.errors import ConfigError


def read(folder: Path, text: str) -> dict[str, tuple[str, ...]] | None:
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return read_settings(folder).watch


def test_no_table_and_an_empty_one_are_two_things(tmp_path: Path) -> None:
    assert read(tmp_path, "format = 1\n") is None
    assert read(tmp_path, "[watch]\n") == {}


def test_lists_by_name_of_fixtures(tmp_path: Path) -> None:
    text = '[watch]\nrefund = ["agent.py", "prompts/"]\n"notify-*" = ["../lib/**", "!../lib/*.md", "app/[id]/é.ts"]\n'
    assert read(tmp_path, text) == {
        "refund": ("agent.py", "prompts/"),
        "notify-*": ("../lib/**", "!../lib/*.md", "app/[id]/é.ts"),
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("watch = 3", "watch is not a table; write [watch]"),
        ('[watch]\nrefund = "agent.py"', "watch.'refund' is not a list of paths; write"),
        ("[watch]\nrefund = [3]", "watch.'refund' is not a list of paths; write"),
        (
            '[watch]\nrefund.chat = ["a"]',
            "watch.'refund' is not a list of paths; put the fixture's whole name in quotes",
        ),
        ("[watch]\nrefund = []", "watch.'refund' names no file"),
        ('[watch]\nrefund = ["!a"]', "watch.'refund' names no file"),
        ('[watch]\nrefund = ["a", ""]', "entry 2 of watch.'refund' cannot be used"),
        ('[watch]\nrefund = ["!"]', "entry 1 of watch.'refund' cannot be used"),
        ('[watch]\nrefund = ["/srv/a"]', "without /"),
        ('[watch]\nrefund = ["./a"]', "leave ./ out"),
        ('[watch]\nrefund = ["a//b"]', "write a name between two /"),
        ('[watch]\nrefund = ["a/../b"]', "only ../ at the beginning leads up"),
        ('[watch]\nrefund = [".."]', "only ../ at the beginning leads up"),
        ("[watch]\nrefund = ['a\\b']", "write / between folders"),
        ('[watch]\nrefund = ["a\\u0000"]', "leave control characters out"),
        ('[watch]\n"!refund" = ["a"]', "is no name of fixtures"),
        ('[watch]\n"" = ["a"]', "is no name of fixtures"),
        ('[watch]\n"../a" = ["a"]', "is no name of fixtures"),
    ],
)
def test_what_could_fit_nothing_is_named(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, text)
    assert says in str(caught.value)
    assert "config.toml" in str(caught.value)
    assert "\n" not in str(caught.value)
