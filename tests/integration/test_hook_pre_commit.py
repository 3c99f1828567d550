"""check-redaction through the pre-commit framework itself, configured as the manual says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.redact.samples import OPENAI

MANUAL = Path(__file__).parents[2] / "docs" / "how-to" / "pre-commit.md"
CONFIG = re.compile(r"^```yaml\n(# \.pre-commit-config\.yaml\n.*?)^```", re.MULTILINE | re.DOTALL)


class Work:
    """A repository in which `pre-commit install` was run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PRE_COMMIT_HOME": str(folder.parent / "pre-commit-home"),
        }
        folder.mkdir()
        self.git("init", "-q")
        (config,) = CONFIG.findall(MANUAL.read_text())
        (folder / ".pre-commit-config.yaml").write_text(config)
        self.write("tests/fixtures/refund.json", "base")
        self.git("add", ".")
        self.git("commit", "-qm", "base")
        assert self.run(sys.executable, "-m", "pre_commit", "install")[0] == 0

    def write(self, name: str | bytes, note: str) -> Path:
        path = self.folder / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"note": note}) + "\n")
        return path

    def run(self, *words: str) -> tuple[int, str]:
        done = subprocess.run(words, cwd=self.folder, env=self.environ, capture_output=True)
        shown = (done.stdout + done.stderr).decode("utf-8", "replace")
        assert "Traceback" not in shown
        assert OPENAI not in shown
        return done.returncode, shown

    def git(self, *words: str) -> str:
        code, shown = self.run("git", *words)
        assert code == 0, shown
        return shown


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path / "r")


def test_what_is_staged_is_judged_and_what_is_not_stays_as_it_is(work: Work) -> None:
    path = work.write("tests/fixtures/refund.json", OPENAI)
    work.git("add", ".")
    work.write("tests/fixtures/refund.json", "clean in the working copy")
    code, shown = work.run("git", "commit", "-qm", "leak")
    assert code == 1
    assert "tests/fixtures/refund.json   /note   openai-key" in shown
    assert "clean in the working copy" in path.read_text()
    work.git("add", ".")
    work.write("tests/fixtures/refund.json", OPENAI)
    work.git("commit", "-qm", "clean")
    assert OPENAI in path.read_text()
    assert work.run("git", "commit", "-qam", "leak")[0] == 1
    code, shown = work.run(sys.executable, "-m", "pre_commit", "run", "--all-files")
    assert (code, "openai-key" in shown) == (1, True)


def test_files_of_every_kind_and_name_in_one_commit(work: Work) -> None:
    for name in ("--help", "-rf.json", "two\nlines.json", "a \"quote'.json", "\x1b[31mred.json", "moved.json"):
        work.write(name, "clean")
    work.git("add", "--all")
    work.git("commit", "-q", "--no-verify", "-m", "names")
    for name in ("--help", "-rf.json", "two\nlines.json", "a \"quote'.json"):
        work.write(name, "changed")
    work.git("mv", "moved.json", "there.json")
    work.git("rm", "-q", "tests/fixtures/refund.json")
    (work.folder / "zero").write_bytes(b"")
    (work.folder / "loop").symlink_to("loop")
    (work.folder / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    work.git("add", "--all")
    work.write("later.json", OPENAI)
    work.git("add", "--intent-to-add", "later.json")
    work.git("commit", "-qm", "everything")
    work.write("\x1b[31mred.json", OPENAI)
    code, shown = work.run("git", "commit", "-qm", "leak", "--", "\x1b[31mred.json")
    assert code == 1
    assert "\\x1b[31mred.json   /note   openai-key" in shown
    assert "\x1b[31m" not in shown


def test_names_in_several_batches(work: Work) -> None:
    names = [f"fixtures/{'long-' * 30}{number}.json" for number in range(900)]  # more than one command line takes
    for name in names:
        work.write(name, "clean")
    work.write(names[-1], OPENAI)
    work.git("add", ".")
    code, shown = work.run("git", "commit", "-qm", "leak")
    assert code == 1
    assert shown.count("stepfork check-redaction: ") > 1
    assert f"{names[-1]}   /note   openai-key" in shown


def test_a_fix_leaves_the_index_to_whoever_put_edits_aside(work: Work) -> None:
    """pre-commit takes unstaged edits away before its hooks run, and brings them back onto what is staged."""
    config = work.folder / ".pre-commit-config.yaml"
    config.write_text(config.read_text().replace("args: [--]", "args: [--fix, --]"))
    work.git("commit", "-qam", "fix", "--no-verify")
    path = work.write("tests/fixtures/refund.json", OPENAI)
    work.git("add", ".")
    code, shown = work.run("git", "commit", "-qm", "one")
    assert code == 1
    assert "Redacted in the work tree, to be staged again: tests/fixtures/refund.json" in shown
    assert OPENAI not in path.read_text()
    work.git("add", ".")
    work.git("commit", "-qm", "one")
    path.write_text(f'{{"note": "{OPENAI}"}}\n')
    work.git("add", ".")
    with path.open("a") as file:
        file.write("later\n")
    assert work.run("git", "commit", "-qm", "two")[0] == 1
    assert path.read_text() == f'{{"note": "{OPENAI}"}}\nlater\n', "nothing of the user's is lost"
