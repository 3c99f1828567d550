"""`[watch]` asked about paths; the patterns themselves are held against git in tests/integration/test_watch.py."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepfork.errors import ConfigError
from stepfork.select.globs import compiled, literal_folder
from stepfork.select.watch import Watch


def fits(parts: list[str], path: list[str]) -> bool:
    """What a pattern means, one part after another: slow, and plain to see."""
    if not parts:
        return not path
    if parts[0] == "**":
        return bool(path) if len(parts) == 1 else any(fits(parts[1:], path[at:]) for at in range(len(path) + 1))
    return bool(path) and letters(parts[0], path[0]) and fits(parts[1:], path[1:])


def letters(part: str, name: str) -> bool:
    if not part:
        return not name
    if part[0] == "*":
        return any(letters(part[1:], name[at:]) for at in range(len(name) + 1))
    return bool(name) and part[0] in ("?", name[0]) and letters(part[1:], name[1:])


NAMES = st.text(st.sampled_from("ab[é."), min_size=1, max_size=4)
PARTS = st.just("**") | st.text(st.sampled_from("ab[é.*?"), min_size=1, max_size=5)


@given(st.lists(PARTS, min_size=1, max_size=5), st.lists(NAMES, min_size=1, max_size=5))
def test_a_pattern_fits_what_it_means(parts: list[str], path: list[str]) -> None:
    wanted = fits(["*" if set(part) == {"*"} and len(part) > 2 else part for part in parts], path)
    assert (compiled("/".join(parts)).fullmatch("/".join(path)) is not None) == wanted


@given(st.lists(PARTS, min_size=1, max_size=4), st.lists(NAMES, min_size=1, max_size=4))
def test_what_a_pattern_fits_stands_in_its_literal_folder(parts: list[str], path: list[str]) -> None:
    pattern, text = "/".join(parts), "/".join(path)
    folder = literal_folder(pattern)
    if compiled(pattern).fullmatch(text):
        assert not folder or text == folder or text.startswith(folder + "/")


@pytest.mark.parametrize("pattern", ["*a" * 40 + "b", "**/a/" * 40 + "b", "a*?" * 40, "**/*a*/" * 20 + "c"])
def test_no_pattern_takes_time_without_end(pattern: str) -> None:
    assert compiled(pattern).fullmatch("a/" * 1000 + "a" * 1000) is None


def watching(project: str = "", **lists: list[str]) -> Watch:
    return Watch({name.replace("_", "/"): patterns for name, patterns in lists.items()}, project, "config.toml")


def files(watch: Watch, *paths: str, names: tuple[str, ...] = ("refund",)) -> dict[str, list[str]]:
    return watch.files_of(names, paths)


@pytest.mark.parametrize(
    ("patterns", "path", "is_meant"),
    [
        (["prompts/*.md"], "prompts/a.md", True),
        (["prompts/*.md"], "prompts/de/a.md", False),
        (["prompts/*.md"], "Prompts/a.md", False),
        (["prompts/*.md"], "old/prompts/a.md", False),
        (["**/a.md"], "a.md", True),
        (["**/a.md"], "x/y/a.md", True),
        (["prompts/"], "prompts/de/a.md", True),
        (["prompts/"], "prompts-2/a.md", False),
        (["prompts"], "prompts/de/a.md", True),
        (["agents/*/"], "agents/refund/tools/a.py", True),
        (["agents/*/"], "agents/a.py", False),
        (["a/**", "!a/*.md"], "a/b.md", False),
        (["a/**", "!a/*.md"], "a/b/c.md", True),
        (["a/**", "!a/b", "a/b/c.md"], "a/b/c.md", True),
        (["!a/b", "a/**"], "a/b/c.md", True),
        (["app/[id]/route.ts"], "app/[id]/route.ts", True),
        (["app/[id]/route.ts"], "app/i/route.ts", False),
        (["**"], ".stepfork/fixtures/refund.json", False),
        (["**"], "traces/refund.sftrace/manifest.json", False),
        (["vendor/prompts/**"], "vendor", True),  # a submodule
        (["vendor/prompts/*.md"], "vendor/prompts", True),
        (["vendor/prompts/*.md"], "vend", False),
    ],
)
def test_which_files_a_list_means(patterns: list[str], path: str, is_meant: bool) -> None:
    assert files(watching(refund=patterns), path) == ({"refund": [path]} if is_meant else {})


def test_lists_of_several_keys_add_up_for_a_fixture() -> None:
    watch = Watch({"refund/*": ["agent.py"], "refund/de": ["de.md"], "other": ["**"]}, "", "config.toml")
    names = ("refund/de", "refund/fr", "refund/x/y")
    assert files(watch, "de.md", "agent.py", "b.py", names=names) == {
        "refund/de": ["agent.py", "de.md"],
        "refund/fr": ["agent.py"],
    }
    assert [watch.watches(name) for name in ("refund/fr", "refund/x/y", "others")] == [True, False, False]


def test_paths_count_from_the_projects_folder_and_may_lead_above_it() -> None:
    watch = watching("services/refund", refund=["agent.py", "../lib/**", "!../lib/a.md"])
    there = files(watch, "services/refund/agent.py", "services/lib/a.md", "services/lib/b.md", "agent.py")
    assert there == {"refund": ["services/lib/b.md", "services/refund/agent.py"]}
    with pytest.raises(ConfigError, match=re.escape("watch.'refund' leads out of the repository")):
        watching("services", refund=["../../lib/**"])


def test_git_is_asked_about_few_folders() -> None:
    watch = watching("s", a=["x/*.md", "x/y/z.md", "one.py", "!never/**"], b=["**/[id]/*.md", "../**/p/"])
    assert watch.pathspecs(b"") == [":(top,literal)s", ":(top,glob)**/p/**"]
    watch = watching("", a=["x/*.md", "x/y/z.md", "one.py", "!never/**"], b=["**/[id]/*.md"])
    assert watch.pathspecs(b"") == [":(top,literal)one.py", ":(top,literal)x", ":(top,glob)**/\\[id]/*.md"]
    many = watching("", a=[f"agents/{number % 3}/{number}/prompt.md" for number in range(60)])
    assert many.pathspecs(b"") == [f":(top,literal)agents/{number}" for number in range(3)]
