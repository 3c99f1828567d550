"""`stepfork diff --html`: one page in a file or a pipe, never in a terminal."""

from __future__ import annotations

import sys

import msgspec
import pytest

from tests.integration.stand import Stand
from tests.unit.cli.html_page import check_page, edited


@pytest.fixture
def pair(stand: Stand) -> Stand:
    """A store that has an edited run under two names."""
    for name, fixture in zip(("old", "new"), edited(), strict=True):
        stand.store.write(msgspec.structs.replace(fixture, name=name))
    return stand


def test_a_page_goes_to_a_file_or_a_pipe_the_same_bytes(pair: Stand) -> None:
    assert pair.stepfork("diff", "old", "new", "--html", "--output", "diff.html").out == ""
    written = (pair.root / "diff.html").read_text(encoding="utf-8")
    page = check_page(written)
    assert page.texts["h2"][0] == "~ changed old → new"
    assert pair.stepfork("diff", "old", "new", "--html").out == written


def test_a_terminal_gets_no_page(pair: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    said = pair.stepfork("diff", "old", "new", "--html", code=2)
    assert said.err == (
        "stepfork diff: --html makes a page for a browser; write it with --output FILE, such as diff.html\n"
    )
    assert said.out == ""


def test_a_page_of_the_tools_alone_has_no_timeline(pair: Stand) -> None:
    page = check_page(pair.stepfork("diff", "old", "new", "--html", "--tools-only").out)
    assert page.texts["h3"] == ["Changes"]


def test_a_fixture_that_cannot_be_read_is_named_on_the_page(pair: Stand) -> None:
    pair.git("init", "-q")
    pair.git("add", ".")
    pair.git("commit", "-qm", "fixtures")
    pair.store.manifest_path("new").write_text("{")
    page = check_page(pair.stepfork("diff", "--html", code=2).out)
    assert page.texts["h2"][0] == "Not compared"
    assert "new: " in page.text
