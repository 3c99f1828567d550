"""Whatever git hands over, stepfork textconv prints a text or the very bytes, and says nothing else."""

from __future__ import annotations

import copy
import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stepfork.cli.main import main

ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / ".stepfork" / "fixtures" / "refund" / "chat.json"
WHOLE = json.loads(MANIFEST.read_bytes())
PLACES = [(name,) for name in WHOLE] + [
    ("exchanges", 1, name) for name in ("says", "label", "base", "object", "status")
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("blob") / "chat.json"


def printed(path: Path) -> bytes:
    out, err = io.BytesIO(), io.StringIO()
    with redirect_stdout(io.TextIOWrapper(out, encoding="utf-8", write_through=True)) as text, redirect_stderr(err):
        assert main(["textconv", str(path)]) == 0
        text.flush()
        told = out.getvalue()
    assert err.getvalue() == ""
    return told


def check(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    told = printed(path)
    assert told == data or (told.splitlines()[-1].startswith(b"file   blake3 ") and b"\x1b" not in told)


@settings(max_examples=25)
@given(data=st.binary(max_size=200))
def test_any_bytes(place: Path, data: bytes) -> None:
    check(place, data)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.sampled_from(PLACES), value=VALUES)
def test_any_member_of_a_manifest(
    place: Path, monkeypatch: pytest.MonkeyPatch, where: tuple[Any, ...], value: Any
) -> None:
    monkeypatch.chdir(ROOT)
    document = copy.deepcopy(WHOLE)
    inner = document
    for step in where[:-1]:
        inner = inner[step]
    inner[where[-1]] = value
    check(place, json.dumps(document).encode("utf-8", "surrogatepass"))
