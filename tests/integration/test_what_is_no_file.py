"""What a command line names may be no file at all: it is refused in one line, and nobody waits or fills memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stepfork.cli.main import main
from stepfork.store.files import MAX_BYTES
from tests.integration.exporting import agent, bundle

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no such files")
OPTIONS = ("--expect-output", "--expect-trajectory")


@pytest.fixture(name="trace")
def a_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundle in the working directory."""
    monkeypatch.chdir(tmp_path)
    return bundle(tmp_path / "failure.sftrace", output={"selected_flight": "A"})


def odd(folder: Path) -> list[Path]:
    """A pipe that nobody writes to, a device without an end, links that lead in a circle or nowhere, a folder."""
    os.mkfifo(folder / "pipe")
    (folder / "circle").symlink_to("circle")
    (folder / "nowhere").symlink_to("missing")
    return [folder / "pipe", Path("/dev/zero"), folder / "circle", folder / "nowhere", folder, folder / ("x" * 300)]


def refused(capsys: pytest.CaptureFixture[str], *words: str | Path) -> None:
    """Exit 2, one line, nothing on stdout."""
    assert main([str(word) for word in words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1), err
    assert "internal error" not in err


def test_a_reviewed_file_is_a_file(trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entrypoint = agent(tmp_path)
    for path in odd(tmp_path):
        for option in OPTIONS:
            refused(capsys, "export", trace, "--entrypoint", entrypoint, option, path, "--output", "test_it.py")
    (tmp_path / "huge.json").touch()
    os.truncate(tmp_path / "huge.json", 1 << 40)
    refused(capsys, "export", trace, "--entrypoint", entrypoint, OPTIONS[0], "huge.json", "--output", "test_it.py")
    assert not (tmp_path / "test_it.py").exists()


def test_a_score_waits_for_no_pipe(trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "expected.json").write_text(json.dumps({"selected_flight": "B"}))
    words = ("export", trace, "--entrypoint", agent(tmp_path), OPTIONS[0], "expected.json", "--output", "test_it.py")
    assert main([str(word) for word in words]) == 0
    capsys.readouterr()
    for path in odd(tmp_path):
        refused(capsys, "score", "test_it.py", "--expect-output", path)
        refused(capsys, "score", "test_it.py", "--bundle", path)
        refused(capsys, "score", path)


@pytest.mark.parametrize("name", ["manifest.json", "object"])
def test_a_file_past_all_memory_is_not_read(trace: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = trace / name if name != "object" else next((trace / "objects").glob("*/*"))
    os.truncate(path, MAX_BYTES + 1)
    for verb in ("show", "validate"):
        assert main([verb, str(trace)]) in (1, 2)
        assert "is larger than 2 GiB" in "".join(capsys.readouterr())


def test_a_result_file_that_leads_nowhere_is_refused_before_anything_runs(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ran.py").write_text("raise SystemExit('it ran')\n")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "nowhere").symlink_to("missing/folder")
    for name in ("circle", "nowhere", "missing/x.json", ".", "x\0y"):
        refused(capsys, "replay", trace, "--entrypoint", "ran:it", "--result-file", name)
    assert "ran" not in sys.modules


def test_a_result_is_written_on_a_pipe_that_somebody_reads_and_waits_for_none(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    words = ["replay", str(trace), "--entrypoint", agent(tmp_path), "--result-file", "pipe"]
    os.mkfifo(tmp_path / "pipe")
    assert main(words) == 2
    assert "pipe: cannot be written" in capsys.readouterr().err
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert main(words) in (0, 1)
        assert json.loads(os.read(reader, 1 << 16))["name"] == "failure"
    finally:
        os.close(reader)


def test_a_document_for_a_stdout_that_is_closed_is_one_line_and_exit_2(trace: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "stepfork", "replay", str(trace), "--entrypoint", agent(tmp_path), "--json"]
    run = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert run.stderr.splitlines()[-1] == "stepfork replay: stdout: is closed"
    assert "internal error" not in run.stderr
