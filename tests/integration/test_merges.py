"""Two branches of fixtures come together: what git does to a store without a word is said, and can be mended."""

from __future__ import annotations

import subprocess

import pytest

from stepfork.trace.fixture import Fixture
from tests.integration.conftest import Stand
from tests.unit.store.sample_runs import conversation, fixture_of

OLD, NEW = "Refund once. ".ljust(2000, "."), "Refund twice. ".ljust(2000, ".")


def version(name: str, system: str = OLD, *, size: int = 40) -> Fixture:
    return fixture_of(conversation(3, system=system, size=size), name)


def commit(stand: Stand, *fixtures: Fixture) -> None:
    for fixture in fixtures:
        stand.store.write(fixture)
    stand.git("add", "-A")
    stand.git("commit", "-q", "-m", "x")


def merge(stand: Stand, branch: str) -> int:
    return subprocess.run(["git", "merge", "-q", branch], cwd=stand.root, capture_output=True, check=False).returncode


@pytest.fixture
def dropped(stand: Stand) -> Stand:
    """A clean merge: main stopped using a prompt that side's second fixture had begun to share."""
    stand.git("init", "-q")
    commit(stand, version("a"))
    stand.git("checkout", "-q", "-b", "side")
    commit(stand, version("b"))
    stand.git("checkout", "-q", "main")
    commit(stand, version("a", NEW), version("c"))
    stand.store.delete("c")
    commit(stand)
    assert merge(stand, "side") == 0
    return stand


def lost(stand: Stand) -> list[str]:
    """The paths of the objects that `b` needs and the work tree has not."""
    names = stand.manifest("b")["objects"]
    return [f".stepfork/objects/{n[:2]}/{n[2:]}.json" for n in names if not stand.store.objects.path(n).exists()]


def test_what_a_clean_merge_dropped_comes_back_from_git(dropped: Stand) -> None:
    (path,) = lost(dropped)
    assert dropped.stepfork("fsck", code=1).out == (
        f"{path}: is missing (needed by b); stepfork fsck --restore takes it back from git, "
        "stepfork capture --refresh b makes a new run\n"
    )
    assert "stepfork fsck --restore" in dropped.stepfork("show", "b", code=2).err
    done = dropped.stepfork("fsck", "--restore")
    assert done.out == f"{path}: restored from HEAD^2 (needed by b)\n"
    assert done.err.endswith("all well\nnext: git add .stepfork\n")
    assert dropped.store.read("b") == version("b")
    assert dropped.stepfork("fsck", "--restore").out == ""


def test_an_object_comes_back_from_an_older_commit_of_a_side_that_lost(dropped: Stand) -> None:
    (path,) = lost(dropped)
    dropped.git("branch", "-D", "side")
    dropped.git("commit", "-q", "--allow-empty", "-m", "later")
    dropped.git("commit", "-q", "--allow-empty", "-m", "later still")
    assert f"{path}: restored from an older commit" in dropped.stepfork("fsck", "--restore").out
    assert lost(dropped) == []


def test_a_damaged_object_comes_back_and_the_bytes_are_verified(stand: Stand) -> None:
    stand.git("init", "-q")
    commit(stand, version("a"))
    path = stand.store.objects.path(stand.manifest("a")["trace"])
    good = path.read_bytes()
    path.write_bytes(good + b" ")
    stand.git("commit", "-q", "-a", "-m", "damaged here too")
    assert "restored from HEAD^1 (needed by a)" in stand.stepfork("fsck", "--restore").out
    assert path.read_bytes() == good


def test_what_git_has_nowhere_is_said_to_be(stand: Stand) -> None:
    stand.store.write(version("a"))
    path = stand.store.objects.path(stand.manifest("a")["trace"])
    path.unlink()
    assert "no git repository" in stand.stepfork("fsck", "--restore", code=2).err
    stand.git("init", "-q")
    said = stand.stepfork("fsck", "--restore", code=1)
    assert said.out.endswith("git has it nowhere: git fetch, or stepfork capture --refresh a\n")
    assert "next" not in said.err
    stand.store.write(version("a"))
    stand.git("add", "-A")
    path.unlink()
    assert "restored from the index" in stand.stepfork("fsck", "--restore").out


@pytest.fixture
def open_merge(stand: Stand) -> Stand:
    """Both branches made `one` and `two` again, so that git takes objects for renamed files, to two places each."""
    stand.git("init", "-q")
    commit(stand, version("one"), version("two", size=50))
    stand.git("checkout", "-q", "-b", "side")
    commit(stand, version("one", size=41), version("two", size=51))
    stand.git("checkout", "-q", "main")
    commit(stand, version("one", size=42), version("two", size=52))
    assert merge(stand, "side") == 1
    return stand


def unmerged(stand: Stand) -> list[str]:
    return stand.git("diff", "--name-only", "--diff-filter=U").split()


def test_fixtures_that_git_calls_unmerged_are_never_all_well(open_merge: Stand) -> None:
    line = ".stepfork/fixtures/{0}.json: is unmerged; stepfork resolve {0} --ours|--theirs, then git add"
    expected = [line.format("one"), line.format("two")]
    for words in (["fsck"], ["fsck", "--staged"]):
        assert [
            said for said in open_merge.stepfork(*words, code=1).out.splitlines() if "fixtures/" in said
        ] == expected
    listed = open_merge.stepfork("ls", code=2).out.splitlines()
    assert [row.partition("problem: ")[2] for row in listed] == expected


def test_show_and_diff_tell_that_a_fixture_is_unmerged(open_merge: Stand) -> None:
    line = "stepfork: .stepfork/fixtures/one.json: is unmerged; stepfork resolve one --ours|--theirs, then git add\n"
    assert open_merge.stepfork("show", "one").err == line
    assert open_merge.stepfork("diff", "one").err == line
    assert open_merge.stepfork("diff").err == line + line.replace("one", "two")
    assert open_merge.stepfork("show", "HEAD:one").err == ""


def test_after_resolve_one_git_add_settles_objects_too(open_merge: Stand) -> None:
    noise = [path for path in unmerged(open_merge) if path.startswith(".stepfork/objects/")]
    assert noise, "git made no rename of these objects"
    said = open_merge.stepfork("resolve", "one", "--theirs").out
    assert "in conflict too: two; resolve each before git add" in said
    assert said.endswith("next: git add .stepfork, which settles the objects that git lists too\n")
    open_merge.stepfork("resolve", "two", "--ours")
    open_merge.git("add", ".stepfork")
    assert unmerged(open_merge) == []
    open_merge.git("commit", "-q", "-m", "merged")
    assert open_merge.git("status", "--porcelain") == ""
    assert open_merge.store.read("one") == version("one", size=41)
    assert open_merge.store.read("two") == version("two", size=52)
    assert open_merge.stepfork("fsck").out == ""


def test_objects_alone_that_git_calls_unmerged_need_git_add(open_merge: Stand) -> None:
    open_merge.stepfork("resolve", "one", "--ours")
    open_merge.stepfork("resolve", "two", "--ours")
    open_merge.git("add", ".stepfork/fixtures")
    said = open_merge.stepfork("fsck", code=1).out
    assert said == ".stepfork: has files that git calls unmerged; git add takes them as they are\n"


def test_diff_reports_what_it_can_read_beside_a_fixture_that_a_merge_broke(dropped: Stand) -> None:
    dropped.git("tag", "before", "main^2~1")
    said = dropped.stepfork("diff", "before", "main", code=2)
    assert said.out.startswith("a: ")
    assert said.out.endswith("1 fixture: 1 changed\n")
    assert said.err.startswith("stepfork diff: b: main:.stepfork/fixtures/b.json: object ")
    assert said.err.count("\n") == 1
    assert '"name": "a"' in dropped.stepfork("diff", "before", "main", "--json", code=2).out
    said = dropped.stepfork("diff", "main^1", code=2)  # and the work tree
    assert (said.out, said.err.count("stepfork diff: b: ")) == ("", 1)
