"""What a word on the command line names where it could be two things, or is gone, or stands in a hook."""

from __future__ import annotations

import shutil

import pytest

from tests.integration.conftest import Stand
from tests.unit.store.sample_runs import conversation, fixture_of


@pytest.fixture
def history(stand: Stand) -> Stand:
    """Two commits of `refund`, and a branch of that name."""
    stand.git("init", "-q")
    for size in (40, 41):
        stand.store.write(fixture_of(conversation(2, size=size)))
        stand.git("add", "-A")
        stand.git("commit", "-q", "-m", str(size))
    return stand


def test_a_fixture_that_is_gone_from_the_work_tree_was_removed(history: Stand) -> None:
    history.store.delete("refund")
    for word in ("refund", ".stepfork/fixtures/refund.json"):
        assert "removed" in history.stepfork("diff", word).out
        assert '"change": "removed"' in history.stepfork("diff", word, "--json").out
    assert "is no fixture" in history.stepfork("diff", "other", code=2).err
    history.git("branch", "refund")
    assert "is a fixture and a revision" in history.stepfork("diff", "refund", code=2).err


def test_beside_a_fixture_a_word_is_a_fixture(history: Stand) -> None:
    history.git("branch", "refund", "HEAD~1")
    plain = history.stepfork("diff", "HEAD~1:refund", ".stepfork/fixtures/refund.json").out
    assert "changed" in plain or "authored" in plain
    assert history.stepfork("diff", "HEAD~1:refund", "refund").out == plain
    assert history.stepfork("diff", "refund", "HEAD:refund").out.startswith("refund: no semantic change")
    assert "is a fixture and a revision" in history.stepfork("diff", "refund", "refund", code=2).err
    assert history.stepfork("show", "refund").out
    assert "valid" in history.stepfork("validate", "refund").out


def test_in_a_hook_of_another_repository_the_store_s_own_is_compared(
    history: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = history.root.parent / "other"
    history.git("init", "-q", str(other))
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    assert history.stepfork("diff", "refund").out.startswith("refund: no semantic change")


def test_without_a_store_the_advice_is_to_make_one(history: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(history.root.parent)
    for words in (["show", "refund"], ["diff", "refund", "x"], ["ls"], ["fsck"]):
        said = history.stepfork(*words, code=2).err
        assert said.endswith("; stepfork init makes one\n"), said
        assert said.count("\n") == 1


COMMANDS = (
    ["ls"],
    ["show", "refund"],
    ["diff", "HEAD~1:refund", "refund"],
    ["validate", "refund"],
    ["fsck"],
    ["fsck", "--restore"],
    ["gc"],
    ["pack", "refund"],
    ["resolve", "refund", "--ours"],
    ["capture", "--name", "x", "--", "python", "-c", "0"],
    ["init"],
)


def test_a_store_of_a_newer_format_is_neither_read_nor_written(history: Stand) -> None:
    (history.store.root / "config.toml").write_text("format = 2\n")
    before = history.files()
    for words in COMMANDS:
        said = history.stepfork(*words, code=2)
        assert said.out == ""
        assert said.err.endswith("upgrade stepfork\n"), said
        assert said.err.count("\n") == 1
    assert history.files() == before
    assert (history.store.root / "config.toml").read_text() == "format = 2\n"


def test_a_store_that_is_a_symbolic_link_is_refused_where_it_is_found(history: Stand) -> None:
    target = history.root.parent / "elsewhere"
    history.store.root.rename(target)
    history.store.root.symlink_to(target)
    for words in COMMANDS:
        said = history.stepfork(*words, code=2)
        assert said.out == ""
        assert "is a symbolic link" in said.err
        assert said.err.count("\n") == 1
    assert history.stepfork("ls", "--store", ".stepfork").out.startswith("refund ")


def test_a_folder_in_the_place_of_a_manifest_is_one_line_everywhere(history: Stand) -> None:
    folder = history.store.root / "fixtures" / "d.json"
    folder.mkdir()
    line = ".stepfork/fixtures/d.json: is a folder where "
    refused = history.stepfork("capture", "--name", "d", "--", "touch", "ran", code=2).err
    assert line in refused
    assert not (history.root / "ran").exists()
    assert line in history.stepfork("fsck", code=1).out
    assert "d.json: is not a regular file" in history.stepfork("ls", code=2).out
    for words in (["gc"], ["show", "d"], ["diff"]):
        said = history.stepfork(*words, code=2)
        assert ".stepfork/fixtures/d.json: is not a regular file" in said.err
        assert said.err.count("\n") == 1


@pytest.mark.parametrize("name", ["fixtures", "objects"])
def test_a_file_in_the_place_of_a_folder_is_one_line_and_loses_nothing(history: Stand, name: str) -> None:
    (history.store.root / name).rename(history.root / "kept")
    (history.store.root / name).write_text("")
    line = f".stepfork/{name}: is a file where a folder should be"
    said = history.stepfork("capture", "--name", "d", "--", "touch", "ran", code=2).err
    assert line in said
    assert not (history.root / "ran").exists()
    before = history.files()
    commands = [["ls"], ["gc"], ["show", "refund"]] if name == "fixtures" else [["show", "refund"]]
    for words in commands:
        said = history.stepfork(*words, code=2).err
        assert line in said
        assert said.count("\n") == 1
    assert history.files() == before


@pytest.mark.parametrize(
    "words",
    [
        "diff",
        "ls",
        "fsck",
        "gc",
        "show refund",
        "validate refund",
        "resolve refund --ours",
        "replay refund -- true",
        "select --changed",
        "capture --name new -- true",
        "capture --refresh --affected --dry-run",
    ],
)
def test_a_folder_that_is_no_store_is_never_one_without_fixtures(history: Stand, words: str) -> None:
    (history.root / "tests" / "fixtures").mkdir(parents=True)
    for named in ("tests", "nowhere"):
        verb, *rest = words.split()
        said = history.stepfork(verb, "--store", named, *rest, code=2)
        assert (said.out, said.err.count("\n")) == ("", 1)
        assert "no store" in said.err or "no such store" in said.err
    assert not (history.root / "tests" / "objects").exists()


def test_select_takes_a_store_that_is_gone_for_a_change(history: Stand) -> None:
    shutil.move(history.root / ".stepfork", history.root.parent / "away")
    said = history.stepfork("select", "--changed", "--store", ".stepfork", code=2)  # there is no test at all here
    assert ".stepfork/config.toml changed" in said.err
    assert "there is no such store" in history.stepfork("diff", "--store", ".stepfork", code=2).err
