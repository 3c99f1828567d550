"""`[watch]`: files that fixtures depend on, in real repositories."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from stepfork.select.globs import compiled
from tests.integration.scratch_repo import Repo, select_here, two_fixtures
from tests.integration.test_select_command import REFUND, SCHEMA, SHIP

WATCH = """\
format = 1
[watch]
"refund" = ["prompts/", "agents/**/*.py", "!agents/**/test_*"]
"sh*" = ["agents/ship/**"]
"""


def watching(root: Path, folder: str = "") -> Repo:
    """Two fixtures with a list each, all committed on main; `feat` is checked out."""
    repo = Repo(root)
    for name in ("refund", "ship"):
        repo.fixture(name, folder=folder)
        repo.test(name, name, folder=folder)
    repo.write(f"{folder}.stepfork/config.toml", WATCH)
    for path in ("prompts/refund.md", "agents/ship/agent.py", "agents/ship/de.md", "agents/test_all.py", "README.md"):
        repo.write(f"{folder}{path}", f"{path}, first\n" * 10)
    repo.commit("base")
    repo.git("checkout", "--quiet", "-b", "feat")
    return repo


def asked(repo: Repo, *arguments: str, at: str = ".") -> dict[str, str]:
    """What is selected, and why."""
    printed = repo.select("--base", "main", "--json", *arguments, at=at)
    document = json.loads(printed.data)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    return {test["id"]: "; ".join(test["reasons"]) for test in document["tests"]}


def test_an_edit_that_nobody_refreshed_for_selects_the_tests(tmp_path: Path) -> None:
    repo = watching(tmp_path / "r")
    repo.write("prompts/refund.md", "second")
    for arguments in ((), ("--committed",)):
        assert asked(repo, *arguments) == {REFUND: "prompts/refund.md changed, fixture not refreshed"}
        repo.commit()
    repo.fixture("refund", "second")
    assert asked(repo) == {REFUND: "refund changed: .stepfork/fixtures/refund.json"}


def test_the_document_names_the_fixture_and_the_file(tmp_path: Path) -> None:
    repo = watching(tmp_path / "r")
    repo.write("agents/ship/de.md", "second")
    document = json.loads(repo.select("--json").data)
    assert document["fixtures"] == [{"name": "ship", "change": "not refreshed", "path": "agents/ship/de.md"}]


def test_new_deleted_staged_and_renamed_files_count_under_every_name(tmp_path: Path) -> None:
    repo = watching(tmp_path / "r")
    repo.write("prompts/de/new.md", "untracked")
    assert asked(repo) == {REFUND: "prompts/de/new.md changed, fixture not refreshed"}
    assert asked(repo, "--committed") == {}
    (repo.root / "prompts/de/new.md").unlink()
    (repo.root / "agents/ship/de.md").unlink()
    assert asked(repo) == {SHIP: "agents/ship/de.md changed, fixture not refreshed"}
    repo.git("checkout", "--quiet", "--", "agents")
    repo.git("mv", "prompts/refund.md", "elsewhere.md")
    for arguments in ((), ("--committed",)):
        assert asked(repo, *arguments) == {REFUND: "prompts/refund.md changed, fixture not refreshed"}
        repo.commit()
    repo.git("checkout", "--quiet", "-B", "main")
    repo.git("mv", "elsewhere.md", "prompts/back.md")
    assert asked(repo) == {REFUND: "prompts/back.md changed, fixture not refreshed"}


def test_what_was_changed_and_changed_back_and_what_no_list_means_is_nothing(tmp_path: Path) -> None:
    repo = watching(tmp_path / "r")
    before = (repo.root / "prompts/refund.md").read_text()
    repo.write("prompts/refund.md", "second")
    repo.commit()
    repo.write("prompts/refund.md", before)
    repo.write("agents/test_all.py", "second")
    repo.write("Prompts.md", "other")
    assert asked(repo) == {}


def test_files_that_no_fixture_watches_are_counted(tmp_path: Path) -> None:
    repo = watching(tmp_path / "r")
    for path in ("prompts/refund.md", "README.md", "agents/test_all.py", "new.txt"):
        repo.write(path, "second")
    repo.fixture("refund", "second")  # refreshed: its prompt is still watched
    repo.test("refund", "refund", "ship")
    printed = repo.select("--explain")
    assert printed.messages.endswith("1 of 2 tests that use fixtures; 3 changed files are watched by no fixture\n")


def test_a_project_in_a_folder_counts_from_there(tmp_path: Path) -> None:
    repo = watching(tmp_path / "r", "services/agent/")
    repo.write("prompts/refund.md", "of another project")
    assert asked(repo, at="services/agent") == {}
    repo.write("services/agent/prompts/refund.md", "second")
    wanted = {REFUND: "services/agent/prompts/refund.md changed, fixture not refreshed"}
    assert asked(repo, at="services/agent") == wanted
    assert asked(repo, at="services/agent/tests") == wanted
    repo.write("services/lib/a.py", "")
    repo.commit()
    repo.write("services/agent/.stepfork/config.toml", '[watch]\nship = ["../lib/"]\n')
    repo.commit()
    repo.write("services/lib/a.py", "second")
    assert repo.select("--base", "HEAD", at="services/agent").ids == [SHIP]
    repo.write("services/agent/.stepfork/config.toml", '[watch]\nship = ["../../../lib/"]\n')
    printed = repo.select(at="services/agent")
    assert (printed.code, printed.messages.count("\n")) == (2, 1)
    assert "leads out of the repository" in printed.messages


def test_names_beyond_ascii_and_beyond_utf_8(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.fixture("größe")
    repo.test("one", "größe")
    repo.write(".stepfork/config.toml", 'format = 1\n[watch]\n"gr*" = ["プロンプト/*.md", "app/[id]/*"]\n')
    odd = b"\xffodd.md".decode("utf-8", "surrogateescape")
    paths = ["プロンプト/値段.md", "app/[id]/route.ts", f"プロンプト/{odd}", "プロンプト/a\nb.md"]
    for path in paths:
        repo.write(path, "first")
    repo.commit("base")
    for path in paths:
        before = (repo.root / path).read_bytes()
        repo.write(path, "second")
        document = json.loads(repo.select("--json").data)
        assert [one["path"] for one in document["fixtures"]] == [path]
        repo.write(path, before)
    assert repo.select().ids == []


def test_a_submodule_of_watched_files_counts_as_a_whole(tmp_path: Path) -> None:
    library = Repo(tmp_path / "library")
    library.write("prompts/a.md", "first")
    library.commit()
    repo = two_fixtures(tmp_path / "r")
    repo.write(".stepfork/config.toml", 'format = 1\n[watch]\nrefund = ["vendor/library/prompts/*.md"]\n')
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.root), "vendor/library")
    repo.commit()
    inner = Repo(repo.root / "vendor/library", init=False)
    inner.write("prompts/a.md", "second")
    assert repo.select().ids == []  # what is not committed there is that repository's
    inner.commit()
    assert repo.select().ids == [REFUND]
    repo.commit()
    assert repo.select("--base", "HEAD^", "--committed").ids == [REFUND]


def test_a_changed_list_selects_everything_and_a_wrong_one_is_an_error(tmp_path: Path) -> None:
    repo = watching(tmp_path / "r")
    repo.write(".stepfork/config.toml", WATCH.replace("agents/ship", "agents"))
    assert set(asked(repo)) == {REFUND, SHIP}
    repo.write(".stepfork/config.toml", "format = 1\n[watch]\nrefund = 3\n")
    printed = repo.select()
    assert (printed.code, printed.data, printed.messages.count("\n")) == (2, b"", 1)
    assert ".stepfork/config.toml: watch.'refund' is not a list of paths" in printed.messages


def test_edits_are_seen_wherever_a_list_leads(tmp_path: Path) -> None:
    """Unstaged edits are looked for in few places: each kind of pattern must be among them."""
    repo = Repo(tmp_path / "r")
    paths = ["one.md", "a/b/c.md", "x/y/z.md", "deep/er/p/q.md", "top.txt"]
    patterns = ["one.md", "a/b", "x/*/z.md", "**/p/", "*.txt"]
    for number, path in enumerate(paths):
        repo.fixture(f"f{number}")
        repo.test(f"f{number}", f"f{number}")
        repo.write(path, "first")
    lists = "".join(f'f{number} = ["{pattern}"]\n' for number, pattern in enumerate(patterns))
    repo.write(".stepfork/config.toml", f"format = 1\n[watch]\n{lists}")
    repo.commit("base")
    for path in paths:
        repo.write(path, "second")
    assert repo.select().ids == [f"tests/test_f{number}.py::test_f{number}" for number in range(len(paths))]


def test_patterns_mean_what_they_mean_to_git(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    paths = ["a", "b/a", "b/c/a", "b/c/ab.md", "b/x.md", "é/a.md", "b/ca/c/a", "B/a"]
    for path in paths[1:]:
        repo.write(path, "")
    repo.git("add", "--all")
    paths = paths[1:]
    for pattern in (
        *("**", "*", "b/*", "b/**", "**/a", "b/**/a", "*/a", "?/a", "**/c/**", "b/c/a*", "**/*.md", "é/*", "b/*a/**"),
        *("b/**/c/**/a", "*b*/*", "**/**/a", "b/**/**", "?", "b/c?/**", "b*/a"),
    ):
        listed = repo.git("-c", "core.quotePath=false", "ls-files", "--", f":(top,glob){pattern}").splitlines()
        assert sorted(path for path in paths if compiled(pattern).fullmatch(path)) == sorted(listed), pattern


def test_without_any_list_config_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = two_fixtures(tmp_path / "r")
    repo.write(".stepfork/config.toml", "format = 1\n[capture]\ntests = false\n")
    repo.commit()
    monkeypatch.setattr("stepfork.config.project.read_settings", None)
    monkeypatch.chdir(repo.root)
    assert select_here().code == 0
