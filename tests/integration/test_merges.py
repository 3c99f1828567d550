"""Two branches of fixtures come together: what git does to a store without a word is said, and can be mended."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import pytest

from stepfork.store.manifest import read_manifest
from stepfork.trace.fixture import Fixture, Run
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


def test_show_tells_that_a_fixture_is_unmerged(open_merge: Stand) -> None:
    line = "stepfork: .stepfork/fixtures/one.json: is unmerged; stepfork resolve one --ours|--theirs, then git add\n"
    assert open_merge.stepfork("show", "one").err == line
    assert open_merge.stepfork("show", "HEAD:one").err == ""
    lost = read_manifest(open_merge.store.manifest("one"), "one").objects[0]
    open_merge.store.objects.path(lost).unlink()
    assert line.removeprefix("stepfork: ").strip() in open_merge.stepfork("ls", code=2).out


def test_what_is_unmerged_is_not_compared(open_merge: Stand) -> None:
    """Git leaves our run in the work tree, which does not differ from HEAD's."""
    line = ".stepfork/fixtures/{0}.json: is unmerged; stepfork resolve {0} --ours|--theirs, then git add\n"
    one, two = line.format("one"), line.format("two")
    for words in ([], ["--cached"], ["HEAD"], ["--cached", "HEAD"], ["--fail-on", "info"]):
        said = open_merge.stepfork("diff", *words, code=2)
        assert (said.out, said.err) == ("", f"stepfork diff: one: {one}stepfork diff: two: {two}"), words
    assert len(json.loads(open_merge.stepfork("diff", "--json", code=2).out)["unread"]) == 2
    for words in (["one"], ["--cached", "one"], ["one", "HEAD:one"], ["side:one", "one"], ["side:one"]):
        assert open_merge.stepfork("diff", *words, code=2).err == f"stepfork diff: {one}", words
    limited = open_merge.stepfork("diff", "--", ".stepfork/fixtures/two.json", code=2)
    assert limited.err == f"stepfork diff: two: {two}"
    for words in (["HEAD", "side"], ["HEAD:one", "side:one"], ["HEAD..side"]):
        assert open_merge.stepfork("diff", *words).err == "", words
    open_merge.store.write(version("other"))
    assert open_merge.stepfork("diff", "other").err == ""
    open_merge.stepfork("resolve", "one", "--theirs")
    open_merge.git("add", ".stepfork/fixtures/one.json")
    said = open_merge.stepfork("diff", code=2)
    assert "one" in said.out
    assert said.err == f"stepfork diff: two: {two}"


def test_a_fixture_that_one_side_of_a_merge_removed_is_not_compared(stand: Stand) -> None:
    stand.git("init", "-q")
    commit(stand, version("one"))
    stand.git("checkout", "-q", "-b", "side")
    commit(stand, version("one", size=41))
    stand.git("checkout", "-q", "main")
    stand.store.delete("one")
    commit(stand)
    assert merge(stand, "side") == 1
    stand.store.manifest_path("one").unlink(missing_ok=True)
    for words in ([], ["--cached"]):
        assert "fixtures/one.json: is unmerged; stepfork resolve one" in stand.stepfork("diff", *words, code=2).err


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
    assert said.startswith(".stepfork: has objects that git calls unmerged; stepfork gc, then fsck --restore set them")


def changed(number: int, name: str = "one") -> Callable[[Stand], None]:
    return lambda stand: stand.store.write(version(name, size=40 + number)) and None


def deleted(stand: Stand) -> None:
    stand.store.delete("one")


def renamed(name: str, number: int | None = None) -> Callable[[Stand], None]:
    def rename(stand: Stand) -> None:
        stand.git("mv", ".stepfork/fixtures/one.json", f".stepfork/fixtures/{name}.json")
        if number is not None:
            changed(number, name)(stand)

    return rename


#: What our side did, what theirs did, and the fixtures that are left where ours and where theirs is taken.
BOTH = {
    "both changed it": (changed(1), changed(2), {"one": 1}, {"one": 2}),
    "both added it": (changed(1), changed(2), {"one": 1}, {"one": 2}),
    "they deleted it": (changed(1), deleted, {"one": 1}, {}),
    "we deleted it": (deleted, changed(2), {}, {"one": 2}),
    "both renamed it": (renamed("a"), renamed("b"), {"a": 0}, {"b": 0}),
    "both renamed and changed it": (renamed("a", 1), renamed("b", 2), {"a": 1}, {"b": 2}),
    "both gave it one name and changed it": (renamed("a", 1), renamed("a", 2), {"a": 1}, {"a": 2}),
    "we renamed and changed it": (renamed("a", 1), changed(2), {"a": 1}, {"a": 2}),
}


def both(stand: Stand, ours: Callable[[Stand], None], theirs: Callable[[Stand], None], *, base: bool = True) -> None:
    stand.git("init", "-q")
    if base:
        stand.store.write(version("one"))
    commit(stand, version("other", size=60))
    stand.git("checkout", "-q", "-b", "side")
    theirs(stand)
    commit(stand)
    stand.git("checkout", "-q", "main")
    ours(stand)
    commit(stand)


def settle(stand: Stand, ours: dict[str, int], theirs: dict[str, int]) -> None:
    """As the advice of fsck goes: each side can be taken, also after the other, until git add."""
    names = [path.removeprefix(".stepfork/fixtures/").removesuffix(".json") for path in unmerged(stand)]
    for side, expected in (("theirs", theirs), ("ours", ours)):
        for name in names:
            if not name.startswith(".stepfork"):
                stand.stepfork("resolve", name, f"--{side}")
        assert left(stand) == {name: version(name, size=40 + number).run for name, number in expected.items()}
    stand.git("add", ".stepfork")
    check(stand, ours)


def left(stand: Stand) -> dict[str, Run]:
    return {name: stand.store.read(name).run for name in stand.store.names() if name != "other"}


def check(stand: Stand, expected: dict[str, int]) -> None:
    assert stand.stepfork("fsck").out == stand.stepfork("fsck", "--staged").out == ""
    assert unmerged(stand) == []
    assert left(stand) == {name: version(name, size=40 + number).run for name, number in expected.items()}
    assert stand.store.read("other") == version("other", size=60)


@pytest.mark.parametrize("case", BOTH)
def test_both_sides_are_a_conflict_and_each_resolves_whole(stand: Stand, case: str) -> None:
    ours, theirs, *taken = BOTH[case]
    both(stand, ours, theirs, base=case != "both added it")
    assert merge(stand, "side") == 1
    assert any("fixtures/" in path for path in unmerged(stand))
    settle(stand, *taken)


@pytest.mark.parametrize("how", ["rebase", "cherry-pick", "stash", "revert"])
def test_what_is_no_merge_conflicts_and_resolves_too(stand: Stand, how: str) -> None:
    both(stand, changed(1), changed(2))
    took, words = (1, 2), ["cherry-pick", "side"]
    if how == "rebase":  # onto side: ours is what is there, theirs what is put on it
        took, words = (2, 1), ["rebase", "-q", "side"]
    elif how == "stash":
        changed(3)(stand)
        stand.git("stash", "-q", "--include-untracked")
        commit(stand, version("one", size=44))
        took, words = (4, 3), ["stash", "pop", "-q"]
    elif how == "revert":
        commit(stand, version("one", size=43))
        took, words = (3, 0), ["revert", "--no-edit", "HEAD~1"]
    done = subprocess.run(["git", *words], cwd=stand.root, capture_output=True, check=False)
    assert done.returncode == 1, done.stderr
    assert ".stepfork/fixtures/one.json" in unmerged(stand)
    settle(stand, {"one": took[0]}, {"one": took[1]})


@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_a_merge_that_favours_a_side_takes_its_run_whole(stand: Stand, side: str) -> None:
    both(stand, changed(1), changed(2))
    subprocess.run(["git", "merge", "-q", "-X", side, "side"], cwd=stand.root, capture_output=True, check=False)
    assert not [path for path in unmerged(stand) if "fixtures/" in path]
    stand.stepfork("gc")
    stand.stepfork("fsck", "--restore", code=1)
    stand.git("add", ".stepfork")
    check(stand, {"one": 1 if side == "ours" else 2})


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
