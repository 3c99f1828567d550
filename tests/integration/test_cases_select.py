"""How tests refer to fixtures, from a changed manifest to what `stepfork select` prints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.integration.conftest import git
from tests.integration.scratch_repo import Repo

FORMS = {
    "literal": "def test_it():\n    load('refund')\n\ndef test_other():\n    load('ship')\n",
    "path": "def test_it():\n    load('.stepfork/fixtures/refund.json')\n\ndef test_other():\n    load('fixtures/s')\n",
    "constant": "NAME = 'refund'\n\ndef test_it():\n    load(NAME)\n\ndef test_other():\n    pass\n",
    "parametrize": (
        "import pytest\n\n@pytest.mark.parametrize('name', ['ship', 'refund'])\ndef test_it(name):\n    load(name)\n\n"
        "@pytest.mark.parametrize('name', ['ship'])\ndef test_other(name):\n    load(name)\n"
    ),
    "f_string": (
        "KIND = 'refund'\n\ndef test_it(language='de'):\n    load(f'{KIND}-{language}')\n\n"
        "def test_other(language='de'):\n    load(f'ship-{language}')\n"
    ),
    "unresolved": (
        "from stepfork import playback\n\ndef test_it():\n    with playback(choose()):\n        pass\n\n"
        "def test_other():\n    pass\n"
    ),
}


def test_c080_each_documented_form_selects_and_what_cannot_be_resolved_is_on_the_safe_side(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    for name in ("refund", "refund-de", "ship", "ship-de"):
        repo.fixture(name)
    for form, text in FORMS.items():
        repo.write(f"tests/test_{form}.py", text)
    repo.commit("base")
    for name in ("refund", "refund-de"):
        repo.fixture(name, "second")
    printed = repo.select("--explain")
    reasons = {test: reason.strip() for test, _, reason in (line.partition("  ") for line in printed.ids)}
    assert list(reasons) == sorted(f"tests/test_{form}.py::test_it" for form in FORMS)
    for form in ("literal", "path", "constant", "parametrize"):
        assert reasons[f"tests/test_{form}.py::test_it"] == "refund changed: .stepfork/fixtures/refund.json"
    assert reasons["tests/test_f_string.py::test_it"].endswith('("refund-…" may name it)')
    assert reasons["tests/test_unresolved.py::test_it"] == "playback() is given a name that cannot be told"
    document = json.loads(repo.select("--json").data)
    assert {test["path"]: test["reasons"] for test in document["tests"]}["tests/test_unresolved.py"]


def test_a_store_of_a_newer_format_is_refused_with_and_without_a_base(project: Path) -> None:
    git(project, "init", "-q")
    git(project, "commit", "-q", "--allow-empty", "-m", "start")
    (project / ".stepfork").mkdir()
    (project / ".stepfork" / "config.toml").write_text("format = 2\n")
    for words in (["select", "--changed"], ["select", "--changed", "--base", "HEAD"]):
        done = subprocess.run([sys.executable, "-m", "stepfork", *words], capture_output=True, text=True)
        assert done.returncode == 2
        assert "upgrade stepfork" in done.stderr
