"""Python's pairs are tuples: headers and fields that a tool takes or returns are told by their names there too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stepfork

PASSWORD = "-".join(("hunter2", "correct", "horse"))


@pytest.mark.parametrize(
    "held",
    [
        lambda: [("accept", "text/plain"), ("password", PASSWORD)],
        lambda: ("password", PASSWORD),
        lambda: {1: [("password", PASSWORD)]},
        lambda: frozenset({("password", PASSWORD)}),
    ],
)
def test_a_value_beside_its_name_is_taken_out(
    held: Callable[[], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tool = stepfork.trace_tool(lambda given: given, name="tool")
    with stepfork.record("run", output="run.sftrace", allow_capture=True) as capture:
        capture.run(lambda: tool(held()) and None)
    files = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert files
    assert not any(PASSWORD.encode() in data for data in files)
