"""The command line in this process, in a project of its own, against a model server whose every byte a test decides.

The agents are small programs without an SDK, so that a capture from the command line to the disk costs a tenth of a
second; the SDKs have tests of their own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from stepfork.cli.main import main
from stepfork.store.layout import init_store
from stepfork.store.store import Store
from tests.integration.wire import ModelServer, Script, answer_hi

PRELUDE = '''
import json, os, sys, threading, urllib.error, urllib.request

def call(body, path="/chat/completions", headers=()):
    """The answer's bytes, whatever its status; a body that is no bytes is sent as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **dict(headers)}
    base = os.environ["ANTHROPIC_BASE_URL" if path.startswith("/v1/") else "OPENAI_BASE_URL"]
    try:
        return urllib.request.urlopen(urllib.request.Request(base + path, data, headers), timeout=20).read()
    except urllib.error.HTTPError as error:
        return error.read()

def ask(*texts, **body):
    return call({"model": "test-model", "messages": [{"role": "user", "content": text} for text in texts], **body})

def span(number, name="chat test-model", operation="chat", **attributes):
    told = {"gen_ai.operation.name": operation, "gen_ai.request.model": "test-model", **attributes}
    return {"traceId": "01" * 16, "spanId": f"{number:016x}", "name": name,
            "startTimeUnixNano": str(1000 * number), "endTimeUnixNano": str(1000 * number + 9),
            "attributes": [{"key": key.replace("__", "."), "value": {"stringValue": value}}
                           for key, value in told.items()]}

def export(*spans):
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}).encode()
    url = os.environ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]
    urllib.request.urlopen(urllib.request.Request(url, body, {"Content-Type": "application/json"}), timeout=20).read()
'''


class Said(NamedTuple):
    """What a command wrote."""

    out: str
    err: str

    def line(self, start: str) -> str:
        """The only line of the messages that begins so, blanks aside."""
        (found,) = (line for line in self.err.splitlines() if line.strip().startswith(start))
        return found.strip()


class Stand:
    """A project with a store, and a model server that answers as `model.script` says."""

    def __init__(self, root: Path, model: ModelServer, capfd: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self.model = model
        self.store = Store(root / ".stepfork")
        self.capfd = capfd
        init_store(root)

    def stepfork(self, *words: str, code: int = 0) -> Said:
        """Run a command line here."""
        self.capfd.readouterr()
        got = main(list(words))
        said = Said(*self.capfd.readouterr())
        assert got == code, said
        assert "Traceback" not in said.err, said.err
        assert "internal error" not in said.err, said.err
        return said

    def agent(self, program: str) -> None:
        """Write agent.py."""
        (self.root / "agent.py").write_text(PRELUDE + program, encoding="utf-8")

    def capture(self, program: str, script: Script = answer_hi, *, name: str = "case", code: int = 0) -> Said:
        """Capture a run of `program` against a model that answers as `script`."""
        self.agent(program)
        self.model.script = script
        return self.stepfork("capture", "--name", name, "--", "python", "agent.py", code=code)

    def once(self, kept: Path, make: Callable[[Stand], None]) -> None:
        """Make the project as `make` does, or copy it from `kept`, where the first is left: a capture runs a Python.
        Either way the model was asked nothing so far."""
        if kept.exists():
            shutil.copytree(kept, self.root, dirs_exist_ok=True)
        else:
            make(self)
            shutil.copytree(self.root, kept)
            self.model.asked.clear()

    def document(self, name: str = "case") -> dict[str, Any]:
        """The whole fixture, as `show --json` prints it."""
        document: dict[str, Any] = json.loads(self.stepfork("show", name, "--json").out)
        return document

    def manifest(self, name: str = "case") -> dict[str, Any]:
        """The manifest, as it lies on the disk."""
        manifest: dict[str, Any] = json.loads(self.store.manifest(name))
        return manifest

    def files(self) -> dict[str, bytes]:
        """Every file below fixtures and objects."""
        folders = (self.store.root / "fixtures", self.store.root / "objects")
        return {
            path.relative_to(self.store.root).as_posix(): path.read_bytes()
            for folder in folders
            for path in folder.rglob("*")
            if path.is_file()
        }

    def git(self, *words: str) -> str:
        """Run git here."""
        done = subprocess.run(["git", *words], cwd=self.root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


def environment(model: str) -> dict[str, str]:
    """The variables with which commands and agents find the model, and this Python as `python`."""
    return {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "OPENAI_BASE_URL": f"{model}/v1",
        "ANTHROPIC_BASE_URL": model,
    }
