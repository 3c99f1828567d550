from __future__ import annotations

import re
from pathlib import Path

from stepfork.trace.finding import CODES

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "trace-check.md"
PACKAGE = Path(__file__).parents[3] / "src" / "stepfork"
SOURCES = [*(PACKAGE / "capture").glob("*.py"), PACKAGE / "contracts" / "verify.py"]


def test_the_manual_has_a_row_for_each_code_that_says_whether_it_fails() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (fails|note) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert rows == {code: "fails" if about.fails else "note" for code, about in CODES.items()}


def test_every_code_that_is_written_is_one_of_them() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in SOURCES)
    written = set(re.findall(r'TraceFinding\(\s*"(\w+)"', text)) | set(re.findall(r'f"(\w+)(?:\[\{[^"]*\}\])?: ', text))
    assert written - {"note"} == set(CODES)
