"""capture --refresh --affected: the fixtures that are behind the files they depend on, and no others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.conftest import Stand, git
from tests.integration.test_capture_outcomes import SCHEMA
from tests.integration.test_refresh_several import answers, says, unusual

SAYS = "ask(open('prompts/says.md').read())"
WATCH = 'format = 1\n[watch]\n"[ab]" = ["unused"]\n"?" = ["prompts/"]\nc = ["c.md"]\n'


@pytest.fixture
def shop(stand: Stand, kept_project: Path, monkeypatch: pytest.MonkeyPatch) -> Stand:
    """Fixtures `a` and `b` of one command and `c` of another, committed; they depend on the prompts."""
    monkeypatch.delenv("CI", raising=False)
    stand.once(kept_project, _make)
    return stand


def _make(stand: Stand) -> None:
    prompt(stand, "before")
    stand.capture(SAYS, name="a")
    for name, more in (("b", ()), ("c", ("--other",))):
        unusual(stand, name, command=("python", "agent.py", *more))
    (stand.root / ".stepfork/config.toml").write_text(WATCH)
    git(stand.root, "init", "-q", "--initial-branch=main")
    commit(stand)


def prompt(stand: Stand, text: str) -> None:
    (stand.root / "prompts").mkdir(exist_ok=True)
    (stand.root / "prompts/says.md").write_text(text)


def commit(stand: Stand) -> None:
    git(stand.root, "add", "-A")
    git(stand.root, "commit", "-q", "-m", "change")


def rows(stand: Stand, *words: str, code: int = 0) -> list[tuple[str, str]]:
    made = json.loads(stand.stepfork("capture", "--refresh", "--affected", *words, "--yes", "--json", code=code).out)
    SCHEMA.validate(made)
    return [(row["name"], row["status"]) for row in made["refreshed"]]


def test_nothing_behind_is_a_success_in_words(shop: Stand) -> None:
    for form in ("text", "github"):
        said = shop.stepfork("capture", "--refresh", "--affected", "--yes", "--format", form)
        assert said.out == ""
        assert said.err.splitlines()[1:] == ["nothing to refresh: no file changed that a fixture depends on"]
        assert said.err.startswith("base HEAD (merge base ")
    assert rows(shop) == []


def test_those_behind_are_refreshed_with_one_consent_for_each_command(
    shop: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompt(shop, "after")
    answers(monkeypatch, "y", "n")
    said = shop.stepfork("capture", "--refresh", "--affected", code=1)
    assert said.err.splitlines()[1:4] == [f"{name}   prompts/says.md changed, fixture not refreshed" for name in "abc"]
    assert said.err.count("run it [y/N]") == 2
    assert [says(shop, name) for name in "abc"] == ["user: after", "user: after", "user: before"]
    # what was declined is still behind, and nothing else
    assert rows(shop) == [("c", "refreshed")]
    said = shop.stepfork("capture", "--refresh", "--affected", "--yes")
    assert "nothing to refresh: every fixture that depends on what changed (1 watched file) changed too" in said.err


def test_one_alone_is_a_row_too_and_a_dry_run_leaves_it_behind(shop: Stand) -> None:
    (shop.root / "c.md").write_text("new")
    assert rows(shop, "--dry-run") == [("c", "refreshed")]
    assert rows(shop, "--reuse") == [("c", "refreshed")]


def test_the_base_is_that_of_select(shop: Stand) -> None:
    prompt(shop, "after")
    commit(shop)
    assert rows(shop) == []
    assert rows(shop, "--base", "HEAD^", "--dry-run") == [("a", "refreshed"), ("b", "refreshed"), ("c", "refreshed")]
    said = shop.stepfork("capture", "--refresh", "--affected", "--base", "nowhere", code=2)
    assert "no such revision: nowhere" in said.err
    git(shop.root, "update-ref", "refs/remotes/origin/main", "HEAD^")
    shop.stepfork("capture", "--refresh", "a", "--yes")
    assert rows(shop, "--dry-run") == [("b", "refreshed"), ("c", "refreshed")]


def test_in_ci_a_base_must_be_known_and_nothing_is_recorded_unasked(
    shop: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    said = shop.stepfork("capture", "--refresh", "--affected", "--allow-capture", "--yes", code=2)
    assert "no base is known to compare HEAD with" in said.err
    prompt(shop, "after")
    commit(shop)
    said = shop.stepfork("capture", "--refresh", "--affected", "--base", "HEAD^", code=2)
    assert "stepfork capture --refresh --affected" in said.err
    assert len(rows(shop, "--base", "HEAD^", "--allow-capture")) == 3


def test_what_has_no_command_is_told_with_what_to_do_and_stops_nothing(shop: Stand) -> None:
    unusual(shop, "d", kind="in_process", command=())
    commit(shop)
    prompt(shop, "after")
    assert rows(shop, code=2) == [("a", "refreshed"), ("b", "refreshed"), ("c", "refreshed"), ("d", "refused")]
    said = shop.stepfork("capture", "--refresh", "--affected", "--yes", code=2)
    assert said.line("d   refused") == (
        "d   refused: fixture 'd' was recorded in process, which has no command; run the program that recorded it again"
    )


def _no_table(shop: Stand) -> None:
    (shop.root / ".stepfork/config.toml").write_text("format = 1\n")


def _unrelated(shop: Stand) -> None:
    git(shop.root, "checkout", "-q", "--orphan", "alone")
    git(shop.root, "commit", "-q", "-m", "other")


@pytest.mark.parametrize(
    ("make", "words", "says_"),
    [
        (_no_table, (), ".stepfork/config.toml: nothing says which files fixtures depend on; write [watch]"),
        (_unrelated, ("--base", "main"), "no common history with main"),
        (None, ("a",), "--affected stands without names"),
        (None, ("--all",), "--affected stands without names"),
    ],
)
def test_what_cannot_be_told_is_one_line(
    shop: Stand, make: Callable[[Stand], None] | None, words: tuple[str, ...], says_: str
) -> None:
    if make is not None:
        make(shop)
    said = shop.stepfork("capture", "--refresh", "--affected", *words, "--yes", code=2)
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert says_ in said.err


def test_a_base_goes_with_affected_alone(shop: Stand) -> None:
    assert "--base goes with" in shop.stepfork("capture", "--refresh", "a", "--base", "main", code=2).err


def test_no_repository_is_one_line(stand: Stand) -> None:
    (stand.root / ".stepfork/config.toml").write_text(WATCH)
    said = stand.stepfork("capture", "--refresh", "--affected", code=2)
    assert "this is no git repository" in said.err
