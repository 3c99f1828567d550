"""The story that the manual tells, with a real SDK: an incident becomes a test, red until the agent is fixed."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepfork.cli.main import main
from tests.integration.stand import environment

pytest_plugins = ["pytester"]

FAILING = "FAIL  cardinality-issue_refund-per-order_id   issue_refund called 2× for order_id=O-1042 (max 1)"
NEXT = "next: read the test's EXECUTES list, fix the agent, then: stepfork capture --refresh inc-1042"


def test_an_incident_is_captured_red_fixed_refreshed_and_green(
    shop: Path,
    model: str,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for name, value in (environment(model) | {"OPENAI_API_KEY": "unused-key"}).items():
        monkeypatch.setenv(name, value)

    def drafted(**outcomes: int) -> str:
        options = ["-p", "no:cacheprovider", "--rootdir", str(shop)]
        done = pytester.runpytest_inprocess(*options, str(shop / "tests"))
        done.assert_outcomes(**outcomes)
        return done.stdout.str()

    monkeypatch.chdir(shop)
    prompt = shop / "prompt.md"
    fixed = prompt.read_text()
    prompt.write_text(fixed.replace("You refund once.", "You refund twice."))
    assert main(["capture", "--name", "inc-1042", "--expect-fail", "--", "python", "agent.py"]) == 0
    said = capfd.readouterr().err
    assert "inc-1042: incident reproduced, as expected" in said
    assert f"  contracts     4 pass, 1 fails as expected\n    {FAILING}\n" in said
    assert said.splitlines()[-1] == NEXT
    assert FAILING in drafted(failed=1)

    prompt.write_text(fixed)
    test = (shop / "tests" / "stepfork" / "test_inc_1042.py").read_text()
    assert main(["capture", "--refresh", "inc-1042", "--yes"]) == 0
    assert "inc-1042: the incident is gone, every contract holds" in capfd.readouterr().err
    assert (shop / "tests" / "stepfork" / "test_inc_1042.py").read_text() == test
    drafted(passed=1)
