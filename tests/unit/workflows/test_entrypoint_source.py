"""The file of an entrypoint is found where an import would find it, and nothing is imported."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stepfork.workflows.entrypoint_source import entrypoint_source

LOUD = "raise SystemExit('imported')\n"


def put(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(LOUD)
    return path


@pytest.mark.parametrize(
    ("spec", "file"),
    [
        ("agent:run", "agent.py"),
        ("agent:Class.method", "agent.py"),
        ("pack:run", "pack/__init__.py"),
        ("pack.inner.agent:run", "pack/inner/agent.py"),
        ("bare.agent:run", "bare/agent.py"),
    ],
)
def test_it_is_found_without_an_import(spec: str, file: str, tmp_path: Path) -> None:
    for name in ("agent.py", "pack/__init__.py", "pack/inner/__init__.py", "pack/inner/agent.py", "bare/agent.py"):
        put(tmp_path / name)
    before = set(sys.modules)
    assert entrypoint_source(spec, tmp_path) == tmp_path / file
    assert set(sys.modules) == before


def test_the_root_goes_before_other_folders(tmp_path: Path) -> None:
    first, second = put(tmp_path / "a" / "agent.py"), put(tmp_path / "b" / "agent.py")
    assert entrypoint_source("agent:run", first.parent, [str(second.parent)]) == first
    assert entrypoint_source("agent:run", tmp_path, [str(second.parent)]) == second


@pytest.mark.parametrize(
    "spec", ["nowhere:run", "agent.inner:run", "", ":", ".:x", "a..b:c", "sys:exit", "a\0b:c", "é/x:y"]
)
def test_what_has_no_source_has_none(spec: str, tmp_path: Path) -> None:
    put(tmp_path / "agent.py")
    assert entrypoint_source(spec, tmp_path) is None


def test_a_finder_that_raises_is_no_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Finder:
        def find_spec(self, *_given: object) -> None:
            raise ValueError

    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
    assert entrypoint_source("nowhere:run", tmp_path) is None
