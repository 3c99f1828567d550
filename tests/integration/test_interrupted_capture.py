"""A run that was interrupted is no fixture: it would stand for a whole run that never was."""

from __future__ import annotations

import pytest

from stepfork.cli.exit_codes import INTERRUPTED, TERMINATED
from tests.integration.conftest import Stand

WHOLE = "ask('one'); ask('two')"
CUT = """
import signal, time
signal.signal(signal.{name}, lambda number, frame: os._exit(128 + number))
ask('one')
os.kill(os.getppid(), signal.{name})
while True:  # until the signal comes back
    time.sleep(0.01)
"""


@pytest.mark.parametrize(("name", "code"), [("SIGINT", INTERRUPTED), ("SIGTERM", TERMINATED)])
def test_an_interrupted_capture_leaves_the_fixture_as_it_was(stand: Stand, name: str, code: int) -> None:
    stand.capture(WHOLE)
    before = stand.files()
    stand.agent(CUT.format(name=name))
    said = stand.stepfork("capture", "--refresh", "case", "--yes", code=code)
    assert stand.files() == before
    assert f"the run was interrupted ({name})" in said.line("cause")
    draft = stand.stepfork("show", ".stepfork/failed/case.sftrace").out
    assert draft.count("user: one") == 1
    assert "two" not in draft
