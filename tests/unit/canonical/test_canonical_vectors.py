"""The golden vectors, by the product, by a second encoder, and with the oldest orjson that is supported."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from stepfork.canonical.encode import dumps
from stepfork.canonical.names import name_of
from stepfork.canonical.parse import parse
from stepfork.errors import CanonicalError
from tests.golden.naive_canonical import encode

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests" / "golden" / "canonical.json"
VECTORS: dict[str, list[dict[str, str]]] = json.loads(GOLDEN.read_text(encoding="utf-8"))


def named(kind: str) -> Any:
    return pytest.mark.parametrize("vector", VECTORS[kind], ids=[vector["what"] for vector in VECTORS[kind]])


@named("vectors")
def test_vector(vector: dict[str, str]) -> None:
    expected = vector["canonical"].encode()
    assert dumps(parse(vector["json"])) == expected
    assert encode(json.loads(vector["json"])) == expected
    assert name_of(expected) == vector["name"]
    assert dumps(parse(expected)) == expected


@named("refused")
def test_refused(vector: dict[str, str]) -> None:
    with pytest.raises(CanonicalError, match=vector["rule"]):
        parse(vector["json"])


def test_names_are_what_b3sum_prints() -> None:
    # From the test vectors that the BLAKE3 authors publish (an empty input).
    assert name_of(b"") == "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"


def test_the_oldest_supported_orjson_writes_the_same_bytes(tmp_path_factory: pytest.TempPathFactory) -> None:
    lowest = re.search(r'"orjson>=([0-9.]+)"', (ROOT / "pyproject.toml").read_text())
    assert lowest is not None
    assert orjson.__version__ != lowest[1], "the tests run with a newer one, so that both ends are seen"
    folder = tmp_path_factory.getbasetemp().parent / f"stepfork-orjson-{lowest[1]}-{sys.version_info.minor}"
    if not (folder / "orjson").is_dir():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]
        done = subprocess.run(
            [*command, "--target", folder, f"orjson=={lowest[1]}"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    program = """
import json, sys
import orjson
from stepfork.canonical.encode import dumps
from stepfork.canonical.names import name_of
from stepfork.canonical.parse import parse
from stepfork.errors import CanonicalError
golden = json.load(open(sys.argv[1], encoding="utf-8"))
wrong = [v["what"] for v in golden["vectors"] if name_of(dumps(parse(v["json"]))) != v["name"]]
for vector in golden["refused"]:
    try:
        parse(vector["json"])
    except CanonicalError as error:
        if vector["rule"] in str(error):
            continue
    wrong.append(vector["what"])
print(json.dumps({"orjson": orjson.__version__, "wrong": wrong}))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT / "src")])}
    done = subprocess.run(
        [sys.executable, "-c", program, GOLDEN], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"orjson": lowest[1], "wrong": []}
