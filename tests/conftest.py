"""Every test: a HOME and a git configuration of its own, no hook variables, and no way out but loopback."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# The same examples at each run, so that a red build is about the change; HYPOTHESIS_PROFILE=search looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None, database=None)
settings.register_profile("search", deadline=None, max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

_LEAKS = (
    *("GIT_", "STEPFORK_", "OTEL_", "OPENAI_", "ANTHROPIC_", "NO_COLOR"),
    # what the systems say of the change that they build: this project's own
    *("CI", "GITHUB_", "BITBUCKET_", "BUILDKITE", "BUILD_SOURCE", "SYSTEM_PULLREQUEST_", "CHANGE_TARGET"),
)
_connect = socket.socket.connect


def _loopback_only(self: socket.socket, address: Any) -> None:
    if self.family != socket.AF_UNIX:
        host = str(address[0])
        if host != "localhost" and not ipaddress.ip_address(host).is_loopback:
            raise AssertionError(f"a test tried to connect to {host}")
    _connect(self, address)


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where each test has its home: pytest's own numbered folders get slower with each that there is."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def _isolated(monkeypatch: pytest.MonkeyPatch, _homes: Iterator[Path]) -> None:
    home = next(_homes)
    home.mkdir()
    for name in list(os.environ):
        if name.startswith(_LEAKS):
            monkeypatch.delenv(name)
    config = home / "gitconfig"
    config.write_text(
        "[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n"
        "[commit]\n\tgpgsign = false\n"
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    # A pytest that a test starts loads no plugins that cost more than all that it runs.
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:langsmith_plugin -p no:hypothesispytest")
    monkeypatch.setattr(socket.socket, "connect", _loopback_only)
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)  # nobody pulls the plug of a test


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the working directory."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder
