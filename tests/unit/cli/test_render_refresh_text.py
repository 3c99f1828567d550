"""The last lines of a refresh of several fixtures."""

from __future__ import annotations

import pytest

from stepfork.cli.render.refresh_text import refresh_lines
from stepfork.contracts.verification import Verification
from stepfork.diff.fixture_diff import FixtureDiff
from stepfork.diff.values import Change
from stepfork.workflows.capture import CaptureRequest
from stepfork.workflows.capture_result import CaptureResult
from stepfork.workflows.refresh import Item, RefreshResult
from tests.unit.diff.conversations import conversation, fixture

CALM = Change("model", "changed", "authored", "", "model", grade="info")
GRAVE = Change("tools", "removed", "authored", "refund", "- refund", grade="breaking", breaks="tool refund is gone")
HELD = Verification("verified", verified=True, expect_fail=False, trace_check=(), contracts=())


@pytest.mark.parametrize(
    ("changes", "told"), [((CALM, GRAVE), "breaking change"), ((CALM,), "changed"), ((), "unchanged")]
)
def test_what_breaks_is_counted_apart(changes: tuple[Change, ...], told: str) -> None:
    kept = fixture(conversation())
    captured = CaptureResult("refund", kept, None, kept.run, 1.0, 0, verification=HELD)
    diff = FixtureDiff("refund", "changed" if changes else "unchanged", 1, 1, changes=changes)
    request = CaptureRequest(name="refund")
    item = Item("refund", status="refreshed", done=RefreshResult(captured, diff, request))
    lines = list(refresh_lines([item]))
    assert lines[1] == f"1 fixture: 1 {told}"
    assert lines[2].startswith(f"  refund   {told}, ")
