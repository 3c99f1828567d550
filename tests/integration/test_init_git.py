"""stepfork init in real repositories: what git is told, shown and taken back; nothing else is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from stepfork.workflows.git_guards import COMMAND, HOOK, TEXTCONV
from tests.integration.stand import Stand
from tests.unit.store.sample_runs import conversation, fixture_of

NEXT = "next: stepfork capture --name NAME -- COMMAND\n"
LACKING = "stepfork init: the {0} that you asked for cannot be set up here; why is said above\n"
UNSET = "unset diff.stepfork.{0} in this clone's git configuration\n"


def config(stand: Stand) -> str:
    return (stand.root / ".git" / "config").read_text()


@pytest.fixture
def repo(stand: Stand) -> Stand:
    stand.git("init", "-q")
    return stand


def test_init_tells_git_once_and_takes_it_back(repo: Stand) -> None:
    before = config(repo)
    everybody = Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes()
    said = repo.stepfork("init").out
    assert said.startswith(f"set diff.stepfork.textconv in this clone's git configuration\n{NEXT}")
    assert repo.git("config", "--local", "diff.stepfork.textconv").removesuffix("\n") == TEXTCONV
    assert repo.stepfork("init").out.startswith(f".stepfork is up to date\n{NEXT}")
    said = repo.stepfork("init", "--diff-driver", "--hook").out
    assert said.endswith(f"set diff.stepfork.command in this clone's git configuration\nwrote {hook(repo)}\n{NEXT}")
    assert repo.git("config", "--local", "diff.stepfork.command").removesuffix("\n") == COMMAND
    assert os.access(hook(repo), os.X_OK)
    assert "--hook" not in repo.stepfork("init").out
    assert repo.stepfork("init", "--diff-driver", "--hook").out == f".stepfork is up to date\n{NEXT}"
    assert repo.stepfork("init", "--remove").out == (
        UNSET.format("textconv") + UNSET.format("command") + f"removed {hook(repo)}\n"
    )
    assert config(repo) == before
    assert not hook(repo).exists()
    assert repo.store.root.is_dir()
    assert repo.stepfork("init", "--remove").out == "git was told nothing here\n"
    assert Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes() == everybody


def hook(stand: Stand) -> Path:
    return stand.root / ".git" / "hooks" / "pre-commit"


def test_what_somebody_set_stays(repo: Stand) -> None:
    repo.git("config", "diff.stepfork.textconv", "my own")
    repo.git("config", "diff.stepfork.xfuncname", "^call.*$")
    hook(repo).write_text("#!/bin/sh\nexec make lint\n")
    before = config(repo)
    left = "left diff.stepfork.textconv as it is: somebody set it to something else\n"
    said = repo.stepfork("init", "--hook", code=2).out
    assert said.startswith(f"{left}left {hook(repo)} as it is: add the line  stepfork check-redaction || exit  to it\n")
    assert repo.stepfork("init", "--remove").out == left
    assert config(repo) == before
    assert hook(repo).read_text() == "#!/bin/sh\nexec make lint\n"
    hook(repo).write_text(HOOK + "make lint\n")
    repo.stepfork("init", "--hook")
    repo.stepfork("init", "--remove")
    assert hook(repo).read_text() == HOOK + "make lint\n"


def test_no_hook_is_made_where_others_would_run_it(repo: Stand, tmp_path: Path) -> None:
    repo.git("config", "core.hooksPath", str(tmp_path / "shared"))
    said = repo.stepfork("init", "--hook", code=2)
    assert f"made no hook: core.hooksPath names {tmp_path / 'shared'}" in said.out
    assert said.err == LACKING.format("pre-commit hook")
    repo.git("config", "diff.stepfork.command", "my own")
    assert repo.stepfork("init").err == ""
    assert repo.stepfork("init", "--diff-driver", code=2).err == LACKING.format("diff driver")
    assert not (tmp_path / "shared").exists()


def test_outside_of_a_repository_init_says_so_calmly(stand: Stand) -> None:
    line = "git is told nothing yet: this is no git repository (git init, then stepfork init{} again)\n"
    assert stand.stepfork("init").out.startswith(line.format("") + NEXT)
    said = stand.stepfork("init", "--hook", "--diff-driver", code=2)
    assert said.out.startswith(line.format(" --diff-driver --hook"))
    assert said.err == LACKING.format("diff driver and the pre-commit hook")
    assert stand.stepfork("init", "--remove").out == "git was told nothing here: this is no git repository\n"
    assert "git         no  this is no git repository; git init, then stepfork init" in stand.stepfork(
        "init", "--status", code=1
    ).out.replace("store  ", "store       ").replace("git    ", "git         ")


def test_status_says_what_works_and_what_to_do(repo: Stand, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def rows(code: int) -> dict[str, str]:
        lines = repo.stepfork("init", "--status", code=code).out.splitlines()
        return {name: " ".join(rest) for name, *rest in map(str.split, lines)}

    assert rows(1)["textconv"].startswith("no diff.stepfork.textconv is not set")
    repo.stepfork("init", "--diff-driver")
    assert rows(0)["works"] == "- no fixture is staged or committed yet, so it was not tried"
    repo.store.write(fixture_of(conversation(1), "refund"))
    repo.git("add", "-A")
    (tmp_path / "stepfork").write_text("#!/bin/sh\necho refund\n")
    (tmp_path / "stepfork").chmod(0o755)
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{path}")
    assert rows(0) == {
        "store": "ok .stepfork",
        "attributes": "ok git knows the fixtures (diff=stepfork)",
        "textconv": "ok git diff, log -p, show and blame tell fixtures as text",
        "works": "ok tried with .stepfork/fixtures/refund.json",
        "driver": "ok git diff tells what changed in meaning",
        "hook": "- no pre-commit hook; optional: stepfork init --hook",
    }
    (tmp_path / "stepfork").write_text("#!/bin/sh\nexit 1\n")
    assert (
        rows(1)["works"] == "no git shows .stepfork/fixtures/refund.json as JSON; put stepfork on the PATH that git has"
    )
    (repo.root / ".git" / "info" / "attributes").write_text("*.json -diff\n")
    assert rows(1)["attributes"].startswith("no git is not told which files are fixtures; stepfork init")


def test_a_configuration_that_cannot_be_written_is_one_line(repo: Stand) -> None:
    (repo.root / ".git" / "config.lock").write_text("")
    said = repo.stepfork("init", code=2)
    assert said.err.startswith("stepfork init: ")
    assert "git's configuration cannot be written (could not lock config file" in said.err
    assert said.err.count("\n") == 1
    (repo.root / ".git" / "config.lock").unlink()
    repo.stepfork("init")
    (repo.root / ".git" / "config.lock").write_text("")
    assert "cannot be written" in repo.stepfork("init", "--remove", code=2).err
    assert TEXTCONV.partition("$")[0].replace('"', '\\"') in config(repo)


def test_any_kind_of_work_tree_is_told(repo: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.git("add", "-A")
    repo.git("commit", "-qm", "x")
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    assert "set diff.stepfork.textconv" in repo.stepfork("init", str(tmp_path / "linked")).out
    assert TEXTCONV in repo.git("config", "--local", "diff.stepfork.textconv")
    folder = tmp_path / "work"
    folder.mkdir()
    repo.git("init", "-q", "--bare", str(tmp_path / "bare.git"))
    assert "this repository has no work tree here" in repo.stepfork("init", str(tmp_path / "bare.git")).out
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "bare.git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(folder))
    assert "set diff.stepfork.textconv" in repo.stepfork("init", str(folder)).out
    assert "stepfork textconv" in (tmp_path / "bare.git" / "config").read_text()


def test_options_that_exclude_one_another(stand: Stand) -> None:
    assert "--status and --remove stand alone" in stand.stepfork("init", "--status", "--remove", code=2).err
    assert "--status and --remove stand alone" in stand.stepfork("init", "--remove", "--hook", code=2).err
