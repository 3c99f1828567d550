"""The forms of a report, as the command line gives them."""

from __future__ import annotations

import re

import pytest

from stepfork.cli.render.diff_markdown import MARK
from tests.integration.stand import Stand
from tests.unit.diff.conversations import SYSTEM, chat, conversation, fixture


def two(stand: Stand) -> None:
    stand.store.write(fixture(conversation(), name="old"))
    stand.store.write(fixture(conversation(system=SYSTEM.replace("once", "twice")), name="new"))


def test_markdown_goes_to_stdout_or_to_a_file(stand: Stand) -> None:
    two(stand)
    told = stand.stepfork("diff", "old", "new", "--markdown").out
    assert told.startswith(f"{MARK}\n### stepfork diff: 1 changed\n")
    assert "- You refund once.\n+ You refund twice.\n" in told
    assert stand.stepfork("diff", "old", "new", "--markdown", "--output", "report.md").out == ""
    assert (stand.root / "report.md").read_text(encoding="utf-8") == told


def test_annotations_stand_beside_the_text_or_alone(stand: Stand) -> None:
    two(stand)
    lines = stand.stepfork("diff", "old", "new", "--format", "github").out.splitlines()
    (annotation,) = [line for line in lines if line.startswith("::")]
    assert re.match(
        r"::warning file=\.stepfork/fixtures/new\.json,title=stepfork diff new::1 authored change", annotation
    )
    assert "      + You refund twice." in lines
    alone = stand.stepfork("diff", "old", "new", "--format", "github", "--markdown", "--output", "report.md").out
    assert alone.splitlines() == [annotation]


def test_nothing_that_differs_is_no_annotation(stand: Stand) -> None:
    stand.store.write(fixture([chat([], "x")], name="old"))
    assert "::" not in stand.stepfork("diff", "old", "old", "--format", "github").out


def test_a_fixture_that_could_not_be_compared_is_an_annotation(stand: Stand) -> None:
    stand.git("init", "-q")
    two(stand)
    stand.git("add", "-A")
    stand.git("commit", "-qm", "x")
    stand.store.manifest_path("old").write_text("{}")
    (line,) = stand.stepfork("diff", "--format", "github", code=2).out.splitlines()
    assert line.startswith("::error title=stepfork diff%3A not compared::old: ")


def test_a_file_has_colour_only_where_that_is_asked_for(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    two(stand)
    monkeypatch.setattr("stepfork.cli.diff.wants_color", lambda wanted, _: wanted != "never")
    for words, coloured in (([], False), (["--color", "always"], True)):
        stand.stepfork("diff", "old", "new", "--output", "report.txt", *words)
        assert ("\x1b[" in (stand.root / "report.txt").read_text(encoding="utf-8")) == coloured
