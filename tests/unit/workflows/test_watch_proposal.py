"""Which files a fixture's command leads to, and how they are written as lines of `[watch]`."""

from __future__ import annotations

import tomllib

import pytest

from stepfork.config.watch import read_watch
from stepfork.select.watch import Watch
from stepfork.workflows.watch_proposal import Recorded, propose, toml_lines

AGENT = b"""
import json
from tools import FUNCTIONS
from lib.names import *
import lib.deep.more as more
from . import beside
PROMPT = open("prompt.md").read()
DATA = "data/cases.json"
"""
FILES = {
    "pyproject.toml": b"",
    "README.md": b"",
    "agent.py": AGENT,
    "tools.py": b"from lib import shared\n",
    "lib/__init__.py": b"",
    "lib/names.py": b"",
    "lib/shared.py": b"this is no Python",
    "lib/deep/__init__.py": b"",
    "lib/deep/more.py": b"",
    "beside.py": b"import agent",
    "prompt.md": b"",
    "system-prompt.txt": b"",
    "notes.md": b"",
    "prompts/de.md": b"",
    "prompts/deep.md": b"",
    "data/cases.json": b"",
    "data/other.json": b"",
    **{f"data/{number}.json": b"" for number in range(9)},
    "other.py": b"",
    "tests/test_agent.py": b"import agent",
}


def proposed(
    *recorded: tuple[str, str] | tuple[str, str, str], files: dict[str, bytes] | None = None, more: tuple[str, ...] = ()
) -> dict[str, tuple[str, ...]]:
    rows = [Recorded(name, tuple(command.split()), cwd[0] if cwd else ".") for name, command, *cwd in recorded]
    held = FILES if files is None else files
    found = propose(rows, [*(row.name for row in rows), *more], list(held), held.__getitem__)
    # what is proposed can be pasted
    read = read_watch(tomllib.loads("[watch]\n" + "\n".join(toml_lines(found)))["watch"], "config.toml")
    assert read == found
    return found


def test_a_script_what_it_imports_and_names_and_the_prompts_beside_it() -> None:
    assert proposed(("refund", "python agent.py --lang de")) == {
        "refund": (
            *("agent.py", "beside.py", "data/cases.json", "lib/", "prompt.md", "prompts/"),
            *("system-prompt.txt", "tools.py"),
        )
    }


@pytest.mark.parametrize(
    ("command", "cwd"),
    [
        ("python -m shop.agent", "."),
        ("python -m shop.agent", "src"),
        ("uv run python ./src/shop/agent.py", "."),
        ("python shop/agent.py", "./src/"),
        ("python ../src/shop/agent.py", "tests"),
    ],
)
def test_modules_and_paths_count_from_where_the_command_ran(command: str, cwd: str) -> None:
    files = {
        "src/shop/__init__.py": b"",
        "src/shop/agent.py": b"from shop.tools import x\nfrom .more import y\n",
        "src/shop/tools.py": b"",
        "src/shop/more.py": b"",
        **{f"src/other/{number}.py": b"" for number in range(20)},
        "tests/test_a.py": b"",
    }
    assert proposed(("refund", command, cwd), files=files) == {"refund": ("src/shop/",)}


def test_scripts_of_node() -> None:
    files = {
        "agents/[id]/run.mts": b"import {a} from './tools.js'\nconst b = require(\"../shared\")\nread('prompt.md')\n",
        "agents/[id]/tools.ts": b"export * from './x';",
        "agents/[id]/x.ts": b"",
        "agents/[id]/x.test.ts": b"",
        "agents/[id]/prompt.md": b"",
        "agents/shared/index.ts": b"",
        **{f"agents/{number}/run.ts": b"" for number in range(30)},
    }
    found = proposed(("chat", "npx tsx agents/[id]/run.mts"), files=files)
    assert found == {"chat": ("agents/[id]/", "agents/shared/index.ts")}
    assert Watch(found, "", "").files_of(["chat"], ["agents/[id]/x.ts"]) == {"chat": ["agents/[id]/x.ts"]}


def test_fixtures_of_one_agent_become_one_line_that_takes_in_no_other() -> None:
    files = {"a.py": b"", "b.py": b"", "prompts/x.md": b""}
    rows = [
        ("notify-de", "python a.py"),
        ("notify-fr", "python a.py"),
        ("refund", "python a.py"),
        ("x/b", "python b.py"),
    ]
    assert proposed(*rows[:2], files=files) == {"notify-*": ("a.py", "prompts/x.md")}
    assert proposed(*rows[:2], files=files, more=("notify-x",)).keys() == {"notify-de", "notify-fr"}
    assert proposed(*rows[:2], files=files, more=("notify-it/x",)).keys() == {"notify-de", "notify-fr"}
    assert proposed(*rows, files=files).keys() == {"notify-de", "notify-fr", "refund", "x/b"}
    assert proposed(("x/a", "python b.py"), ("x/b", "python b.py"), files=files).keys() == {"x/*"}


@pytest.mark.parametrize("command", ["make incident", "npm run x", "python", "python -m", "python -m nowhere", ""])
def test_nothing_is_proposed_for_what_names_no_file(command: str) -> None:
    assert proposed(("refund", command)) == {}


def test_files_that_cannot_be_written_as_patterns_are_left_out() -> None:
    files = {"a.py": b"", "prompts/a*b.md": b"", "prompts/a\nb.md": b"", "prompts/\udcff.md": b"", "prompts/!x.md": b""}
    assert proposed(("refund", "python a.py"), files=files) == {"refund": ("a.py",)}


def test_files_that_import_one_another_and_imports_without_end() -> None:
    chain = {f"m{number}.py": b"import m%d" % (number + 1) for number in range(3000)}
    found = proposed(("refund", "python m0.py"), files={**chain, "m9.py": b"import m0\nimport m10"})
    assert len(found["refund"]) <= 501
