"""The example agent in a repository of its own, and the scripted model as a process."""

from __future__ import annotations

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

import stepfork as package
from stepfork.store.store import Store
from stepfork.trace.fixture import Fixture
from stepfork.workflows.init import init_project
from tests.integration.hooked import Work, make_hooked
from tests.integration.stand import Stand, environment
from tests.integration.wire import model_server

# pytester forgets the modules that were loaded during its test, but a package goes on naming them: a later test would
# get some of them anew beside the old ones. So all are there before.
for _found in pkgutil.walk_packages(package.__path__, "stepfork."):
    if _found.name != "stepfork.__main__":
        importlib.import_module(_found.name)

ROOT = Path(__file__).parents[2]
AGENT = ROOT / "examples" / "refund_agent"
Cli = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def model_log(tmp_path: Path) -> Path:
    """A line for each answer that the scripted model gave: path and response id."""
    return tmp_path / "model.log"


@pytest.fixture
def model(model_log: Path) -> Iterator[str]:
    """The scripted model's address."""
    command = [sys.executable, AGENT / "model_server.py", "--log", model_log]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().removeprefix("READY ").strip()
        process.terminate()


@pytest.fixture
def shop(project: Path) -> Path:
    """A git repository with the refund agent and an empty store, committed."""
    shutil.copytree(AGENT, project, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    (project / ".gitignore").write_text("__pycache__/\n")
    git(project, "init", "-q")
    init_project(project)
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "start")
    return project


@pytest.fixture
def kept(shop: Path) -> Path:
    """The shop with a fixture `refund` of a run that the project keeps, committed."""
    store = Store(ROOT / ".stepfork")
    fixture = store.read("refund/chat")
    run = msgspec.structs.replace(fixture.run, source=msgspec.structs.replace(fixture.run.source, cwd="."))
    Store(shop / ".stepfork").write(Fixture("refund", run))
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "fixture")
    return shop


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def stepfork(shop: Path, model: str) -> Cli:
    """Runs a stepfork command line in the shop, with the scripted model as the upstream."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "OPENAI_BASE_URL": f"{model}/v1",
        "ANTHROPIC_BASE_URL": model,
        "OPENAI_API_KEY": "unused-key",
        "ANTHROPIC_API_KEY": "unused-key",
    }

    def run(*words: str, code: int = 0, cwd: Path = shop, **extra: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "stepfork", *words]
        done = subprocess.run(command, cwd=cwd, env={**environment, **extra}, capture_output=True, text=True)
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done

    return run


@pytest.fixture
def stand(project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Iterator[Stand]:
    """A project with a store beside a model server that the test scripts, and commands run in this process."""
    with model_server() as served:
        for name, value in environment(served.url).items():
            monkeypatch.setenv(name, value)
        yield Stand(project, served, capfd)


@pytest.fixture(scope="module")
def kept_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a module leaves the project that its tests begin with: `Stand.once`."""
    return tmp_path_factory.mktemp("kept") / "project"


@pytest.fixture(scope="session")
def hooked_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What every test of a hook begins with; made once, since git takes longer to make it than to be copied."""
    return make_hooked(tmp_path_factory.mktemp("hooked") / "r").folder


@pytest.fixture
def work(hooked_template: Path, tmp_path: Path) -> Work:
    """A repository whose pre-commit hook is the real check-redaction."""
    shutil.copytree(hooked_template, tmp_path / "r", symlinks=True)
    return Work(tmp_path / "r")
