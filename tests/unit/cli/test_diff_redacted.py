"""A secret in any string of a comparison is in no view of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import get_args

import pytest

from stepfork.cli.render.diff_github import annotated
from stepfork.cli.render.diff_json import report_document
from stepfork.cli.render.diff_markdown import markdown_report
from stepfork.cli.render.diff_text import render_report
from stepfork.cli.render.html.page import html_report
from stepfork.diff.fixture_diff import FixtureDiff
from stepfork.diff.values import (
    AnswerDiff,
    Cause,
    Change,
    ExchangeDiff,
    FieldChange,
    ItemKind,
    Line,
    MessageChange,
    ModelChange,
    RequestDiff,
    Section,
    ToolChange,
)

WORD = "hunter" + "2" * 6
LINES = (Line("-", f"old {WORD}"), Line("+", f"new {WORD}"))
FIELDS = (
    FieldChange(f"/{WORD}", "changed", f"a {WORD}", {WORD: [WORD]}),
    FieldChange(f"/a/{WORD}", "moved", 1, 2, f"/b/{WORD}"),
    FieldChange(f"/{WORD}/a", "added", new=WORD),
    FieldChange(f"/{WORD}/b", "removed", old=f"{WORD}\n{WORD}"),
)
CHANGES = [
    Change(section, change, cause, WORD, f"said {WORD}", (0,), LINES, FIELDS, breaks=breaks, grade=grade)
    for section in get_args(Section)
    for change in get_args(ItemKind)
    for cause in get_args(Cause)
    for breaks, grade in ((f"{WORD} is gone", "breaking"), ("", "info"))
]
MESSAGE = MessageChange(0, "changed", WORD, WORD, LINES, FIELDS)
REQUEST = RequestDiff(
    ModelChange(WORD, WORD), FIELDS, LINES, (ToolChange(WORD, "changed", FIELDS),), (MESSAGE,), (MESSAGE,), FIELDS
)


def clean(text: str) -> str:
    return text.replace(WORD, "[redacted]")


def views(diff: FixtureDiff) -> dict[str, Callable[[], str]]:
    return {
        "text": lambda: "\n".join(render_report([diff], full=True, clean=clean)),
        "folded": lambda: "\n".join(render_report([diff], color=True, clean=clean)),
        "json": lambda: json.dumps(report_document([diff], clean=clean, unread=[WORD])),
        "markdown": lambda: "\n".join(markdown_report([diff], full=True, clean=clean, unread=[WORD])),
        "html": lambda: html_report([diff], clean=clean, unread=[WORD]),
        "github": lambda: "\n".join(annotated([diff], clean, lambda _: "")),
    }


@pytest.mark.parametrize("view", views(FixtureDiff("", "unchanged", 0, 0)))
def test_every_string_is_redacted_again(view: str) -> None:
    exchange = ExchangeDiff(0, "changed", WORD, REQUEST, AnswerDiff(WORD, LINES, FIELDS))
    for change in CHANGES:
        diff = FixtureDiff(WORD, "changed", 1, 1, (exchange,), (change,), notes=(), old_name=f"old {WORD}")
        shown = views(diff)[view]()
        assert WORD not in shown, (view, change)
        assert "[redacted]" in shown
