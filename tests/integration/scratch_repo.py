"""Real git repositories in a temporary folder, and `stepfork select` run inside them."""

from __future__ import annotations

import io
import json
import os
import subprocess
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

from stepfork.cli import select


class Printed(NamedTuple):
    code: int
    data: bytes
    messages: str

    @property
    def ids(self) -> list[str]:
        return self.data.decode("utf-8", "surrogateescape").splitlines()


class Repo:
    def __init__(self, root: Path, *, init: bool = True) -> None:
        self.root = root
        if init:
            root.mkdir(parents=True)
            self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, **environment: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, capture_output=True, env={**os.environ, **environment}, check=False
        )
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, path: str, text: str | bytes) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())

    def fixture(self, name: str, note: str = "first", *, folder: str = "", objects: tuple[str, ...] = ()) -> None:
        body = {"fixture_version": 1, "name": name, "note": note, "objects": list(objects)}
        self.write(f"{folder}.stepfork/fixtures/{name}.json", json.dumps(body, indent=2) + "\n")

    def test(self, name: str, *fixtures: str, folder: str = "") -> None:
        """A test file whose one test function names fixtures."""
        loads = "".join(f"    load({fixture!r})\n" for fixture in fixtures) or "    pass\n"
        self.write(f"{folder}tests/test_{name}.py", f"def test_{name}():\n{loads}")

    def commit(self, message: str = "change") -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", f"--message={message}")
        return self.git("rev-parse", "HEAD")

    def select(self, *arguments: str, at: str = ".") -> Printed:
        with chdir(self.root / at):
            return select_here(*arguments)


def select_here(*arguments: str) -> Printed:
    out, err = io.BytesIO(), io.StringIO()
    text = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    with redirect_stdout(text), redirect_stderr(err):
        code = select.main(["--changed", *arguments])
    return Printed(code, out.getvalue(), err.getvalue())


def two_fixtures(root: Path) -> Repo:
    """`refund` and `ship` with a test each, committed on main; the branch `feat` is checked out."""
    repo = Repo(root)
    for name in ("refund", "ship"):
        repo.fixture(name)
        repo.test(name, name)
    repo.commit("base")
    repo.git("checkout", "--quiet", "-b", "feat")
    return repo
