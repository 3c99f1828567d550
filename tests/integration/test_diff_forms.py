"""What `stepfork diff` compares: revisions, the index, the work tree, paths, renames, other stores; with real git."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from stepfork.store.bundle import write_bundle
from stepfork.store.layout import init_store
from stepfork.store.store import Store
from stepfork.trace.exchange import Exchange
from tests.integration.stand import Stand
from tests.unit.diff.conversations import SYSTEM, TURNS, conversation, fixture

STORE = ".stepfork/fixtures"


def write(
    stand: Stand, name: str, *, system: str = SYSTEM, user: str = "Please refund O-1042.", turns: int = 4
) -> None:
    stand.store.write(fixture(conversation(TURNS[:turns], system=system, user=user), name=name))


def commit(stand: Stand, message: str = "change") -> None:
    stand.git("add", "-A")
    stand.git("commit", "-q", "-m", message)


def told(stand: Stand, *words: str, code: int = 0) -> list[str]:
    """Each fixture with its change, as the JSON has them."""
    document = json.loads(stand.stepfork("diff", "--json", *words, code=code).out)
    return [
        f"{one['old_name']} → {one['name']}: {one['change']}"
        if "old_name" in one
        else f"{one['name']}: {one['change']}"
        for one in document["fixtures"]
    ]


@pytest.fixture
def repo(stand: Stand) -> Stand:
    """`refund` and `mail/notify`, committed on main."""
    stand.git("init", "-q", "-b", "main")
    write(stand, "refund")
    write(stand, "mail/notify", user="Tell somebody else about something else.", turns=2)
    commit(stand)
    return stand


def test_cached_compares_what_is_staged(repo: Stand) -> None:
    write(repo, "refund", system="Another prompt.")
    assert told(repo, "--cached") == []
    repo.git("add", "-A")
    write(repo, "refund", system="Not staged.")
    write(repo, "new", user="Nothing that anybody asked before.", turns=1)
    assert told(repo, "--cached") == ["refund: changed"]
    out = repo.stepfork("diff", "--cached", "refund").out
    assert "Another prompt." in out
    assert "Not staged." not in out
    assert repo.stepfork("diff", "--cached", f"{STORE}/refund.json").out == out
    commit(repo)
    assert told(repo, "--cached", "HEAD~1") == ["new: added", "refund: changed"]
    assert told(repo, "--cached", "HEAD~1", "--", f"{STORE}/new.json") == ["new: added"]
    assert "--cached compares" in repo.stepfork("diff", "--cached", "HEAD", "HEAD~1", code=2).err
    assert "'none' is no fixture" in repo.stepfork("diff", "--cached", "none", code=2).err


def test_before_the_first_commit_everything_staged_is_new(stand: Stand) -> None:
    stand.git("init", "-q")
    write(stand, "refund")
    stand.git("add", "-A")
    assert told(stand, "--cached") == ["refund: added"]
    assert told(stand, "--cached", "refund") == ["refund: added"]
    assert "there is no commit yet" in stand.stepfork("diff", code=2).err


def test_a_fixture_that_is_staged_and_gone_from_the_disk_is_compared_all_the_same(repo: Stand) -> None:
    write(repo, "refund", system="Another prompt.")
    repo.git("add", "-A")
    repo.store.delete("refund")
    assert told(repo, "--cached", "refund") == ["refund: changed"]
    assert told(repo, "refund") == ["refund: removed"]


def test_two_revisions_and_their_merge_base(repo: Stand) -> None:
    repo.git("checkout", "-q", "-b", "feat")
    write(repo, "refund", system="On the branch.")
    commit(repo)
    repo.git("checkout", "-q", "main")
    write(repo, "mail/notify", system="On main.", user="Tell somebody else about something else.", turns=2)
    commit(repo)
    assert told(repo, "main..feat") == ["mail/notify: changed", "refund: changed"]
    assert told(repo, "main...feat") == ["refund: changed"]
    assert told(repo, "...feat") == ["refund: changed"]
    assert told(repo, "main", "feat") == told(repo, "main..feat")
    assert told(repo, "feat:refund", "main:refund") == ["refund: changed"]
    repo.git("checkout", "-q", "--orphan", "alone")
    commit(repo)
    assert "no common history" in repo.stepfork("diff", "main...alone", code=2).err


def test_paths_limit_the_fixtures(repo: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("refund", "mail/notify"):
        write(repo, name, system="Another prompt.")
    both = ["mail/notify: changed", "refund: changed"]
    for path in (".", ".stepfork", STORE, f"{STORE}/"):
        assert told(repo, "--", path) == both
    assert told(repo, "--", f"{STORE}/refund.json") == ["refund: changed"]
    assert told(repo, "HEAD", "--", f"{STORE}/mail") == ["mail/notify: changed"]
    assert told(repo, "--", f"{STORE}/*/not*.json") == ["mail/notify: changed"]
    assert told(repo, "--", f"{STORE}/refund.json", f"{STORE}/mail") == both
    assert told(repo, "HEAD", "HEAD", "--", f"{STORE}/refund.json") == []
    assert told(repo, "--") == both
    (repo.root / "src").mkdir()
    monkeypatch.chdir(repo.root / "src")
    assert told(repo, "--", f"../{STORE}/refund.json") == ["refund: changed"]


def test_a_path_that_matches_nothing_says_so(repo: Stand) -> None:
    said = repo.stepfork("diff", "--", "src", code=2).err
    assert said == "stepfork diff: src: no fixture stands at or below this path\n"
    said = repo.stepfork("diff", "--", f"{STORE}/refund.json", "refund", code=2).err
    assert said.endswith(f"refund: no fixture stands at or below this path; write {STORE}/refund.json\n")
    said = repo.stepfork("diff", "refund", "--", ".", code=2).err
    assert "paths limit what is compared, and 'refund' names a fixture" in said


def test_of_a_fixture_named_like_a_branch_both_ways_out_are_named(repo: Stand) -> None:
    repo.git("branch", "refund")
    for words in (["refund"], ["--cached", "refund"]):
        said = repo.stepfork("diff", *words, code=2).err
        assert f"write {STORE}/refund.json for the fixture or refs/heads/refund for the revision" in said
    assert told(repo, "--cached", f"{STORE}/refund.json") == ["refund: unchanged"]
    assert told(repo, "--cached", "refs/heads/refund") == []


def test_what_is_too_much_to_compare_says_so(repo: Stand) -> None:
    for words in (["main..main", "main"], ["main", "main...HEAD"], ["--cached", "..main"]):
        assert "is two revisions already; name it alone" in repo.stepfork("diff", *words, code=2).err
    assert "two things at most; paths go behind --" in repo.stepfork("diff", "refund", "main", STORE, code=2).err


def test_a_folder_or_another_file_in_a_fixtures_place_says_what_to_do(repo: Stand) -> None:
    said = repo.stepfork("diff", STORE, code=2).err
    assert said == f"stepfork diff: '{STORE}' is a folder; -- {STORE} compares the fixtures below it\n"
    (repo.root / "prompt.md").write_text("You refund once.")
    assert "prompt.md: is neither a manifest" in repo.stepfork("diff", "prompt.md", code=2).err


def test_a_fixture_that_was_renamed_is_one_pair(repo: Stand) -> None:
    repo.git("mv", f"{STORE}/refund.json", f"{STORE}/refund-v2.json")
    assert told(repo) == ["refund → refund-v2: unchanged"]
    report = repo.stepfork("diff", "--exit-code").out.splitlines()
    assert report[0].startswith("refund → refund-v2: no semantic change")
    assert "renamed" in report[1]
    for word in ("refund", "refund-v2", f"{STORE}/refund.json", f"{STORE}/refund-v2.json"):
        assert told(repo, word) == ["refund → refund-v2: unchanged"]
        assert repo.stepfork("diff", word).out.splitlines() == report[:2]
    assert told(repo, "--", f"{STORE}/refund.json") == ["refund → refund-v2: unchanged"]
    commit(repo)
    assert told(repo, "HEAD~1..HEAD") == ["refund → refund-v2: unchanged"]
    assert told(repo, "HEAD..HEAD~1") == ["refund-v2 → refund: unchanged"]


def test_a_fixture_that_was_renamed_and_refreshed_is_one_pair(repo: Stand) -> None:
    repo.store.delete("refund")
    write(repo, "refund-v2", system=SYSTEM.replace("once", "twice"))
    assert told(repo) == ["refund → refund-v2: changed"]
    assert "You refund twice." in repo.stepfork("diff", "refund").out
    repo.store.delete("mail/notify")
    assert told(repo) == ["mail/notify: removed", "refund → refund-v2: changed"]
    repo.store.delete("refund-v2")
    write(repo, "other", user="Nothing that anybody asked before.", system="Nor this.", turns=0)
    assert told(repo) == ["mail/notify: removed", "other: added", "refund: removed"]


def test_of_several_renamed_fixtures_equal_runs_pair_before_similar_ones(repo: Stand) -> None:
    write(repo, "near", system=SYSTEM + "\nMore.")
    commit(repo)
    for name in ("refund", "near"):
        repo.store.delete(name)
    write(repo, "a", system=SYSTEM + "\nMore.")
    write(repo, "b")
    assert told(repo) == ["near → a: unchanged", "refund → b: unchanged"]


def test_a_side_that_cannot_be_read_is_told_and_the_others_are_compared(repo: Stand) -> None:
    write(repo, "mail/notify", system="Another prompt.", user="Tell somebody else about something else.", turns=2)
    repo.store.manifest_path("refund").write_text("{}")
    said = repo.stepfork("diff", "--json", code=2)
    assert "stepfork diff: refund: " in said.err
    document = json.loads(said.out)
    assert [one["name"] for one in document["fixtures"]] == ["mail/notify"]
    assert len(document["unread"]) == 1
    assert repo.stepfork("diff", "--fail-on", "changed", code=2).out
    # An object that the revision lacks, and a file that no fixture could have.
    repo.git("rm", "-q", "-r", "--cached", ".stepfork/objects")
    (repo.root / STORE / "-x.json").write_text("{}")
    repo.git("add", f"./{STORE}/-x.json", f"{STORE}/mail/notify.json")
    repo.git("commit", "-q", "-m", "broken")
    said = repo.stepfork("diff", "HEAD~1", "HEAD", code=2).err
    assert all(f"stepfork diff: {name}: " in said for name in ("-x", "mail/notify"))


def test_a_fixture_at_a_revision_is_compared_with_itself_now(repo: Stand) -> None:
    write(repo, "refund", system="Another prompt.")
    repo.git("mv", f"{STORE}/mail/notify.json", f"{STORE}/mail/told.json")
    commit(repo)
    write(repo, "refund", system="Not staged.")
    assert told(repo, "main~1:refund") == told(repo, "--cached", "main~1:refund") == ["refund: changed"]
    assert told(repo, "main:refund") == ["refund: changed"]
    assert told(repo, "--cached", "main:refund") == ["refund: unchanged"]
    assert told(repo, "main~1:mail/notify") == ["mail/notify → mail/told: unchanged"]
    for words in (["main:mail/notify"], ["--cached", "main:mail/notify"]):
        assert "there is no fixture 'mail/notify' at main" in repo.stepfork("diff", *words, code=2).err
    assert "leave one out" in repo.stepfork("diff", "main:refund", "--", STORE, code=2).err
    assert "is no fixture, manifest, bundle or revision" in repo.stepfork("diff", "--cached", "mian", code=2).err


def test_a_bundle_and_the_manifest_of_another_store_are_fixtures(repo: Stand, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    init_store(other)
    Store(other / ".stepfork").write(fixture(conversation(system="Elsewhere."), name="theirs"))
    manifest = str(other / STORE / "theirs.json")
    assert told(repo, manifest, "refund") == ["theirs → refund: changed"]
    assert told(repo, "HEAD:refund", manifest) == ["refund → theirs: changed"]
    write_bundle(tmp_path / "one.sftrace", fixture(conversation(), name="refund"))
    assert told(repo, str(tmp_path / "one.sftrace"), "refund") == ["refund: unchanged"]
    (tmp_path / "x.json").write_text("{}")
    said = repo.stepfork("diff", str(tmp_path / "x.json"), "refund", code=2).err
    assert "is neither a manifest of a store nor a bundle's" in said


def test_what_a_sparse_checkout_leaves_out_was_not_removed(repo: Stand) -> None:
    repo.git("sparse-checkout", "set", "--no-cone", "/*", f"!/{STORE}/refund.json")
    assert not repo.store.manifest_path("refund").exists()
    assert told(repo) == []
    assert told(repo, "HEAD") == []


def test_line_ends_that_git_turns_are_no_change(repo: Stand) -> None:
    path = repo.store.manifest_path("refund")
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert told(repo) == []


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_equal_manifests_are_passed_over_whatever_ids_git_has(stand: Stand, form: str) -> None:
    stand.git("init", "-q", f"--object-format={form}")
    write(stand, "refund")
    commit(stand)
    assert told(stand) == told(stand, "--cached") == []
    write(stand, "refund", system="Another prompt.")
    assert told(stand) == ["refund: changed"]


def test_a_partial_clone_fetches_what_it_lacks(repo: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(repo, "refund", system="Another prompt.")
    commit(repo)
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{repo.root}", str(clone))
    repo.git("-C", str(clone), "checkout", "-q", "main")
    monkeypatch.chdir(clone)
    assert told(repo, "HEAD~1..HEAD") == ["refund: changed"]
    shutil.rmtree(clone)


def test_fail_on_a_grade(repo: Stand) -> None:
    def ends(run: Sequence[Exchange], **codes: int) -> None:
        repo.store.write(fixture(run, name="refund"))
        for grade, code in codes.items():
            repo.stepfork("diff", "refund", "--fail-on", grade, code=code)

    ends(conversation(model="gpt-5"), changed=0, info=1)
    ends(conversation(system="Another prompt."), breaking=0, changed=1)
    ends(conversation(TURNS[:3]), breaking=1, never=0)
    repo.stepfork("diff", "refund", "--exit-code", code=1)
    ends(conversation(), info=0)
    repo.store.delete("refund")
    repo.stepfork("diff", "--fail-on", "changed", code=1)
    assert "leave one of them out" in repo.stepfork("diff", "--fail-on", "info", "--exit-code", code=2).err
    assert "--fail-on is " in repo.stepfork("diff", "--fail-on", "all", code=2).err


def test_the_tools_alone(repo: Stand) -> None:
    write(repo, "refund", system="Another prompt.")
    report = repo.stepfork("diff", "--tools-only", "--exit-code", "refund").out
    assert report.splitlines() == [
        "refund: tools unchanged (5 exchanges)",
        "  info   no tool is offered; nothing else was compared",
    ]
    assert repo.stepfork("diff", "--tools-only").out.splitlines()[-1] == "1 fixture: 1 with the same tools"
    assert "With the same tools: `refund`" in repo.stepfork("diff", "--tools-only", "--markdown").out
    assert "--tools-only compares nothing but tools" in repo.stepfork("diff", "--tools-only", "--trace", code=2).err


def test_a_project_in_a_folder_of_its_own_in_every_kind_of_checkout(
    stand: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store stands below the root, has a name that is no ASCII, and HEAD is detached; in the repository itself, in
    a further work tree of it, and as a submodule of another."""
    stand.git("init", "-q", "-b", "main")
    inner = stand.root / "dienste" / "agént"
    inner.mkdir(parents=True)
    init_store(inner)
    Store(inner / ".stepfork").write(fixture(conversation(), name="rückgabe"))
    commit(stand)
    stand.git("checkout", "-q", "--detach")
    other, above = tmp_path / "other", tmp_path / "above"
    stand.git("worktree", "add", "-q", "--detach", str(other))
    stand.git("init", "-q", str(above))
    stand.git("-C", str(above), "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(stand.root), "sub")
    for root in (stand.root, other, above / "sub"):
        project = root / "dienste" / "agént"
        monkeypatch.chdir(project)
        assert told(stand) == told(stand, "--cached") == []
        Store(project / ".stepfork").write(fixture(conversation(system="Another."), name="rückgabe"))
        assert told(stand, "HEAD", "--", f"{STORE}/rückgabe.json") == ["rückgabe: changed"]
        assert told(stand, "rückgabe") == told(stand, "HEAD:rückgabe", "rückgabe") == ["rückgabe: changed"]
        stand.git("-C", str(project), "add", ".")
        assert told(stand, "--cached", "rückgabe") == ["rückgabe: changed"]
