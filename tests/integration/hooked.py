"""A repository whose pre-commit hook is the real check-redaction."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.unit.redact.samples import OPENAI

FILE = "tests/fixtures/refund.json"


class Work:
    """A repository with a commit, whose hook is the real command."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str | bytes, note: str) -> Path:
        path = self.folder / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"note": note}) + "\n")
        return path

    def install(self, hook: str = "pre-commit", words: str = "", folder: Path | None = None) -> Path:
        path = (folder or self.folder / ".git" / "hooks") / hook
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\nexec {sys.executable} -m stepfork check-redaction {words}\n")
        path.chmod(0o755)
        return path

    def run(self, *words: str | bytes, at: Path | None = None, **environ: str) -> tuple[int, str]:
        """Exit code and all that was shown, which never holds the secret."""
        done = subprocess.run(
            ["git", *words], cwd=at or self.folder, capture_output=True, env={**os.environ, **environ}
        )
        shown = (done.stdout + done.stderr).decode("utf-8", "replace")
        assert "Traceback" not in shown
        assert OPENAI not in shown
        return done.returncode, shown

    def git(self, *words: str | bytes, at: Path | None = None, **environ: str) -> str:
        """What git printed; it went well."""
        code, shown = self.run(*words, at=at, **environ)
        assert code == 0, shown
        return shown

    def head(self) -> str:
        return self.git("rev-parse", "HEAD")


def make_hooked(folder: Path) -> Work:
    """A repository with one commit, and then the hook."""
    folder.mkdir()
    work = Work(folder)
    work.git("init", "-q", "-b", "main")
    work.git("config", "user.name", "Test")
    work.git("config", "user.email", "test@example.com")
    work.write(FILE, "base")
    work.git("add", ".")
    work.git("commit", "-qm", "base")
    work.install()
    return work
