"""Outputs that are full, closed, or read no further: one line at most, and no exit code that would be read as a no."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
COMMANDS = [
    ["--version"],
    ["--help"],
    ["ls"],
    ["show", "everything.sftrace", "--json"],
    ["diff", "everything.sftrace", "everything.sftrace", "--json"],
    ["check-redaction", "--json", "everything.sftrace"],
    ["select", "--help"],
]


def run(folder: Path, *words: str, **more: object) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        [sys.executable, "-m", "stepfork", *words],
        **{"cwd": folder, "env": env, "stderr": subprocess.PIPE, "encoding": "utf-8", "check": False, **more},
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an empty store and a bundle."""
    from stepfork.store.bundle import read_bundle, write_bundle
    from stepfork.store.layout import init_store

    init_store(tmp_path)
    write_bundle(tmp_path / "everything.sftrace", read_bundle(ROOT / "tests" / "golden" / "everything.sftrace"))
    return tmp_path


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_reader_who_has_seen_enough_changes_no_exit_code(words: list[str], folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = run(folder, *words, stdout=writing)
    finally:
        os.close(writing)
    assert done.returncode == 0, done.stderr
    assert "Error" not in done.stderr


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_an_output_that_cannot_be_written_is_one_line_and_exit_2(words: list[str], folder: Path) -> None:
    with Path(os.devnull).open(encoding="utf-8") as for_reading:
        done = run(folder, *words, stdout=for_reading)
    if words != ["ls"]:  # which has nothing to say on stdout here
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert "Bad file descriptor" in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_document_is_utf_8_json_whatever_the_terminal_has(encoding: str, folder: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": encoding}
    done = run(folder, "show", "everything.sftrace", "--json", stdout=subprocess.PIPE, env=env)
    assert done.returncode == 0, done.stderr
    assert not done.stdout.isascii()
    manifest = (folder / "everything.sftrace" / "manifest.json").read_bytes()
    assert json.loads(done.stdout)["name"] == json.loads(manifest)["name"]


def test_a_stdout_that_is_closed_is_one_line_and_exit_2(folder: Path) -> None:
    code = "import os, sys; os.close(1); os.execv(sys.executable, [sys.executable, '-m', 'stepfork', *sys.argv[1:]])"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    words = [sys.executable, "-c", code, "show", "everything.sftrace"]
    done = subprocess.run(words, cwd=folder, env=env, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (2, "stepfork show: stdout: is closed\n")


def test_an_unknown_colour_is_refused(folder: Path) -> None:
    done = run(folder, "diff", "everything.sftrace", "everything.sftrace", "--color", "pink", stdout=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (2, "stepfork diff: --color is auto, always or never\n")
