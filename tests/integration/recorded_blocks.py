"""A callable recorded in process against a model server, and replayed frozen when there is none any more."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import stepfork
from stepfork.config.project import Settings
from stepfork.trace.fixture import Run
from stepfork.workflows.frozen import FrozenRequest, FrozenResult, frozen_replay
from stepfork.workflows.open_fixture import open_fixture
from tests.integration.wire import Asked, Script, model_server

KEY = "made-up"


class Recorded(NamedTuple):
    """`value` is what the callable returned, `asked` the requests that reached the server."""

    value: Any
    asked: list[Asked]
    run: Run
    path: Path


def record_block(
    function: Callable[[Any], Any], given: Any, script: Script, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Recorded:
    with model_server(script) as server, monkeypatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        patch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("MODEL_SERVER", server.url)  # for clients that are to go past the listener
        path = folder / "run.sftrace"
        with stepfork.record("run", output=path) as capture:
            value = capture.run(function, given)
    fixture = open_fixture(path, near=folder).fixture
    return Recorded(value, server.asked, fixture.run, path)


def replay_block(function: Callable[[Any], Any], recorded: Recorded) -> FrozenResult:
    fixture = open_fixture(recorded.path, near=recorded.path.parent).fixture
    return frozen_replay(FrozenRequest(fixture, function, Settings(), dict(os.environ), recorded.path.parent))
