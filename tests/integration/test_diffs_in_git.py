"""git's own commands on manifests, with stepfork there, missing, failing and hanging: none of them ever fails.

Most of this is about the guards and about git, so a small stand-in for stepfork is on the PATH; the real one is asked
where its text counts.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stepfork.store.layout import init_store
from stepfork.store.store import Store
from stepfork.workflows.git_guards import COMMAND, TEXTCONV
from stepfork.workflows.init_git import tell_git
from tests.unit.store.sample_runs import conversation, fixture_of

STORE = "my shop/.stepfork"
FIXTURE = f"{STORE}/fixtures/shop/refund.json"
SHOUTS = 'case $1 in textconv) shift 3; tr "a-z" "A-Z" < "$1";; git-diff) shift 2; echo "TOLD $# $1";; esac'
BROKEN = {
    "absent": None,
    "crashing": "echo half of it; exit 3",
    "killed": "echo half of it; kill -9 $$",
    "hanging": 'echo half of it; read line < "$0.fifo"',
    "of another version": 'echo "no such command: $1" >&2; exit 2',
}


class Repo:
    """A repository whose fixture has two commits, an edit that is staged and one that is not."""

    def __init__(self, root: Path, programs: Path) -> None:
        self.root = root
        self.programs = programs
        others = [folder for folder in os.environ["PATH"].split(os.pathsep) if not (Path(folder) / "stepfork").exists()]
        self.environment = {
            **os.environ,
            "PATH": os.pathsep.join([str(programs), *others]),
            "STEPFORK_GIT_SECONDS": "9",
        }

    def program(self, script: str | None) -> None:
        """Put a program called stepfork on the PATH, or none."""
        place = self.programs / "stepfork"
        place.unlink(missing_ok=True)
        if script is not None:
            place.write_text(f"#!/bin/sh\n{script}\n")
            place.chmod(0o755)
        if script is not None and "fifo" in script:
            os.mkfifo(f"{place}.fifo")
            self.environment["STEPFORK_GIT_SECONDS"] = "0.05"

    def git(self, *words: str, cwd: Path | None = None, code: int = 0, data: bytes = b"", **more: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=cwd or self.root, env={**self.environment, **more}, input=data, capture_output=True
        )
        assert done.returncode == code, done.stderr.decode()
        assert done.stderr == b"", done.stderr.decode()
        return done.stdout.decode("utf-8", "surrogateescape")


def make(folder: Path) -> None:
    store = Store(folder / STORE)
    store.root.mkdir(parents=True)
    init_store(store.root.parent)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    for number, system in enumerate(("Refund once.", "Refund twice.")):
        store.write(fixture_of(conversation(2, system=system * 30), "shop/refund"))
        subprocess.run(["git", "add", "-A"], cwd=folder, check=True)
        subprocess.run(["git", "commit", "-qm", str(number)], cwd=folder, check=True)
    path = folder / FIXTURE
    path.write_bytes(path.read_bytes().replace(b'"agent.py"', b'"staged.py"'))
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)
    path.write_bytes(path.read_bytes().replace(b'"world": null', b'"world": 1'))


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("template") / "r"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("AUTHOR", "A"), ("COMMITTER", "A")):
            patch.setenv(f"GIT_{name}_NAME", value)
            patch.setenv(f"GIT_{name}_EMAIL", "a@example.com")
        make(folder)
    return folder


@pytest.fixture
def repo(template: Path, tmp_path: Path) -> Repo:
    shutil.copytree(template, tmp_path / "a repository")
    (tmp_path / "programs").mkdir()
    return Repo(tmp_path / "a repository", tmp_path / "programs")


LOOKS = [
    ["diff", "HEAD~1", "HEAD", "--", f"{STORE}/fixtures"],
    ["diff", "--cached"],
    ["log", "-p", "--stat", "--format=%s"],
    ["show", "HEAD", "--format=%s"],
    ["blame", "-s", FIXTURE],
    ["grep", "--textconv", "-i", "exit_code", "--", f"{STORE}/fixtures"],
    ["cat-file", "--textconv", f":{FIXTURE}"],
]


def looks(repo: Repo) -> list[str]:
    return [repo.git(*words) for words in LOOKS]


@pytest.mark.parametrize("how", BROKEN)
def test_git_shows_what_it_shows_without_stepfork(repo: Repo, how: str) -> None:
    before = looks(repo)
    tell_git(repo.root, os.environ)
    repo.program(BROKEN[how])
    assert looks(repo) == before


@pytest.mark.parametrize("how", BROKEN)
def test_the_driver_shows_git_s_own_lines_without_stepfork(repo: Repo, how: str) -> None:
    before = repo.git("diff", "HEAD").splitlines()
    tell_git(repo.root, os.environ, driver=True)
    repo.program(BROKEN[how])
    now = repo.git("diff", "HEAD").splitlines()
    assert [line for line in now if line[:1] in " -+@" and line[:3] not in ("---", "+++")] == [
        line for line in before if line[:1] in " -+@" and line[:3] not in ("---", "+++")
    ]
    repo.git("diff", "--exit-code", code=1)
    repo.git("diff", "--quiet", code=1)


def test_every_command_that_shows_text_shows_stepfork_s(repo: Repo) -> None:
    before = looks(repo)
    tell_git(repo.root, os.environ)
    repo.program(SHOUTS)
    now = looks(repo)
    for words, old, new in zip(LOOKS, before, now, strict=True):
        assert "EXIT_CODE" in new or '"AGENT.PY"' in new or '"SYSTEM"' in new, words
        assert old != new
    repo.git("stash", "-q")
    assert '+      "staged.py"' in repo.git("stash", "show", "-p")
    assert '+      "STAGED.PY"' in repo.git("stash", "show", "-p", "--textconv")
    assert "EXIT_CODE" not in repo.git("log", "-p", "--no-textconv")


def test_garbage_is_shown_and_harms_nobody(repo: Repo) -> None:
    tell_git(repo.root, os.environ, driver=True)
    repo.program(r"printf '\377\001 no end of line'; head -c 200000 /dev/zero | tr '\0' x")
    assert "x" * 1000 in repo.git("diff", "HEAD", "--", FIXTURE)
    assert "x" * 1000 in repo.git("log", "-p", "--", FIXTURE)


def test_what_acts_on_bytes_acts_on_the_bytes(repo: Repo, tmp_path: Path) -> None:
    patch = repo.git("format-patch", "-1", "--stdout")
    tool = ["difftool", "-y", "--extcmd", "cat", "HEAD~1", "HEAD", "--", FIXTURE]
    shown = repo.git(*tool)
    tell_git(repo.root, os.environ, driver=True)
    repo.program(SHOUTS)
    assert repo.git("format-patch", "-1", "--stdout") == patch
    assert repo.git(*tool) == shown
    raw = repo.git("show", f"HEAD:{FIXTURE}")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("apply", "--index", "-", data=patch.encode())
    assert repo.git("show", f":{FIXTURE}") == raw == (repo.root / FIXTURE).read_text()


def test_add_p_stages_the_hunk_that_was_chosen(repo: Repo) -> None:
    tell_git(repo.root, os.environ, driver=True)
    repo.program(SHOUTS)
    repo.git("reset", "-q")
    old, edited = repo.git("show", f"HEAD:{FIXTURE}"), (repo.root / FIXTURE).read_text()
    repo.git("add", "-p", data=b"y\nn\n")
    assert repo.git("show", f":{FIXTURE}") == old.replace('"agent.py"', '"staged.py"')
    assert (repo.root / FIXTURE).read_text() == edited


def test_the_driver_is_given_every_kind_of_change(repo: Repo) -> None:
    tell_git(repo.root, os.environ, driver=True)
    repo.program(SHOUTS)
    assert repo.git("diff", "--", FIXTURE) == f"TOLD 7 {FIXTURE}\n"
    (repo.root / FIXTURE).unlink()
    assert repo.git("diff", "--", FIXTURE) == f"TOLD 7 {FIXTURE}\n"
    repo.git("reset", "-q", "--hard")
    (repo.root / FIXTURE).chmod(0o755)
    assert repo.git("diff") == f"TOLD 7 {FIXTURE}\n"
    repo.git("mv", FIXTURE, f"{STORE}/fixtures/-other.json")
    assert f"TOLD 9 {FIXTURE}\n" in repo.git("diff", "--cached", "-M")
    repo.git("reset", "-q", "--hard")
    repo.git("update-index", "--index-info", data=f"0 {'0' * 40}\t{FIXTURE}\n".encode())
    blob = repo.git("rev-parse", f"HEAD:{FIXTURE}").strip()
    stages = "".join(f"100644 {blob} {stage}\t{FIXTURE}\n" for stage in (1, 2, 3))
    repo.git("update-index", "--index-info", data=stages.encode())
    assert repo.git("diff", "--cached") == f"TOLD 1 {FIXTURE}\n"
    repo.program(None)
    assert repo.git("diff", "--cached") == f"* Unmerged path {FIXTURE}\n"


@pytest.mark.parametrize("shell", [name for name in ("dash", "bash", "busybox", "zsh") if shutil.which(name)])
@pytest.mark.parametrize("script", [SHOUTS, None])
def test_the_guards_run_in_any_shell(repo: Repo, shell: str, script: str | None) -> None:
    repo.program(script)
    (repo.root / "-odd $name.json").write_bytes(b"{}\n\n" if script else b"{}\n\0\n\n")
    words = [shell, *(["sh"] if shell == "busybox" else []), "-c"]
    for guard, more in ((TEXTCONV, ["-odd $name.json"]), (COMMAND, ["a b"])):
        done = subprocess.run(
            [*words, f'{guard} "$@"', guard, *more], cwd=repo.root, env=repo.environment, capture_output=True
        )
        assert (done.returncode, done.stderr) == (0, b"")
        if script is None:
            assert done.stdout == (b"{}\n\0\n\n" if guard is TEXTCONV else b"* Unmerged path a b\n")


def test_git_finds_it_from_anywhere_in_the_repository(repo: Repo, tmp_path: Path) -> None:
    tell_git(repo.root / STORE, os.environ)
    repo.program(SHOUTS)
    assert "STAGED.PY" in repo.git("diff", "--cached", cwd=repo.root / STORE / "objects")
    repo.git("worktree", "add", "-qb", "linked", str(tmp_path / "linked tree"))
    assert '"SYSTEM"' in repo.git("show", cwd=tmp_path / "linked tree")
    place = {"GIT_DIR": str(repo.root / ".git"), "GIT_WORK_TREE": str(repo.root)}
    assert "STAGED.PY" in repo.git("diff", "--cached", cwd=tmp_path, **place)
    super_ = tmp_path / "around"
    super_.mkdir()
    repo.git("init", "-q", cwd=super_)
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo.root), "sub dir", cwd=super_)
    assert '"system"' in repo.git("show", cwd=super_ / "sub dir")
    tell_git(super_ / "sub dir", os.environ)
    assert '"SYSTEM"' in repo.git("show", cwd=super_ / "sub dir")


def test_the_story_is_told_by_git_itself(repo: Repo, tmp_path: Path) -> None:
    tell_git(repo.root, os.environ, driver=True)
    repo.program(f'exec "{sys.executable}" -m stepfork "$@"')
    shown = repo.git("diff", "--no-ext-diff", "HEAD~1", "HEAD", "--", FIXTURE)
    changed = [line for line in shown.splitlines() if line[:1] in "+-" and line[:3] not in ("---", "+++")]
    assert changed[:2] == [f"-      {'Refund once.' * 30}", f"+      {'Refund twice.' * 30}"]
    assert [line[:14] for line in changed[2:]] == ["-file   blake3", "+file   blake3"]
    told = repo.git("diff", "HEAD~1", "HEAD", "--", FIXTURE)
    assert told.startswith(f"fixture {FIXTURE}\nshop/refund: 1 authored change")
    repo.git("config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    repo.git("clone", "-q", "--filter=blob:none", f"file://{repo.root}", str(partial), cwd=tmp_path)
    tell_git(partial, os.environ)
    old = repo.git("cat-file", "--textconv", f"HEAD~1:{FIXTURE}", cwd=partial)
    assert "what the manifest says alone: its objects are not in this repository\n" in old
    missing = repo.git("rev-list", "--objects", "--all", "--missing=print", cwd=partial).count("?")
    assert missing > 0
