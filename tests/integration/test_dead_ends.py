"""What an error tells people to do works when they do it."""

from __future__ import annotations

import shlex

import pytest

from tests.integration.conftest import Stand


@pytest.mark.parametrize("damage", ["missing", "damaged"])
def test_a_fixture_whose_object_is_gone_can_be_refreshed(stand: Stand, damage: str) -> None:
    """As after a merge of a branch that dropped an object with one that began to use it."""
    stand.capture("ask('one')")
    before = stand.files()
    path = next(stand.store.root / name for name in before if name.startswith("objects/"))
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes() + b"\n")
    assert "capture --refresh" in stand.stepfork("show", "case", code=2).err
    said = stand.stepfork("capture", "--refresh", "case", "--yes")
    assert "nothing was compared" in said.err
    assert stand.files() == before
    stand.stepfork("fsck")


def test_a_fixture_named_like_a_branch_is_told_by_its_path(stand: Stand) -> None:
    stand.git("init", "-q")
    stand.capture("ask('one')")
    assert "there is no commit yet" in stand.stepfork("diff", code=2).err
    assert "there is no commit yet" in stand.stepfork("diff", "case", code=2).err
    stand.git("add", "-A")
    stand.git("commit", "-q", "-m", "one")
    stand.git("branch", "case")
    said = stand.stepfork("diff", "case", code=2).err
    assert "write .stepfork/fixtures/case.json for the fixture" in said
    assert "no semantic change" in stand.stepfork("diff", ".stepfork/fixtures/case.json").out


def test_the_next_step_can_be_typed_as_it_stands(stand: Stand) -> None:
    stand.git("init", "-q")
    (stand.root / "my project").mkdir()
    stand.stepfork("init", "my project")
    stand.agent("ask('one')")
    words = ["--store", "my project/.stepfork", "--name", "group/case", "--", "python", "agent.py"]
    said = stand.stepfork("capture", *words)
    git, *typed = shlex.split(said.line("next: ").removeprefix("next: "))
    assert git == "git"
    stand.git(*typed)
    status = stand.git("status", "--short", "--untracked-files=all", "my project")
    assert "?? " not in status
    assert "/fixtures/group/case.json" in status
    assert "/objects/" in status


def test_a_command_that_fails_before_it_calls_a_model_is_said_so(stand: Stand) -> None:
    said = stand.capture("sys.exit(3)", code=1)
    assert "cause         the command ended with exit code 3 before any model call" in said.err
    said = stand.capture("os.kill(os.getpid(), 9)", code=1)
    assert "exit 137 (ended by SIGKILL)\n" in said.err
    assert "cause         the command ended with exit code 137 (ended by SIGKILL) before any model call" in said.err


def test_settling_a_conflict_says_when_a_side_deleted_the_fixture_and_adds_up(stand: Stand) -> None:
    stand.git("init", "-q", "-b", "main")
    for name in ("kept", "gone"):
        stand.capture(f"ask('{name}')", name=name)
    stand.git("add", "-A")
    stand.git("commit", "-q", "-m", "base")
    stand.git("checkout", "-q", "-b", "side")
    for name in ("kept", "gone"):
        stand.capture(f"ask('{name}', user='side')", name=name)
    stand.git("add", "-A")
    stand.git("commit", "-q", "-m", "side")
    stand.git("checkout", "-q", "main")
    stand.capture("ask('kept', user='main')", name="kept")
    stand.git("rm", "-q", ".stepfork/fixtures/gone.json")
    stand.stepfork("gc")
    stand.git("add", "-A")
    stand.git("commit", "-q", "-m", "main")
    with pytest.raises(AssertionError):  # git exits with 1
        stand.git("merge", "-q", "side")
    assert "is their run" in stand.stepfork("resolve", "kept", "--theirs").out
    assert "is our deletion" in stand.stepfork("resolve", "gone", "--ours").out
    stand.git("add", ".stepfork", "agent.py")
    stand.git("commit", "-q", "-m", "merged")
    assert stand.git("status", "--porcelain", ".stepfork") == ""
    assert stand.stepfork("fsck").err == "stepfork fsck: 1 fixture and 2 objects, all well\n"
