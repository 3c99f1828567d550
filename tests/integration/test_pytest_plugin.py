"""The plugin in pytest runs of its own: no chain that was built goes unevaluated, wherever and however it was built."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

PRELUDE = """
import pytest
from stepfork.testing import Trace, evaluate, expect
from stepfork.trace.step import Step

TRACE = Trace("spans", (Step("tool_call", "refund", 0, 1), Step("tool_call", "notify", 2, 3)))
"""


def run(pytester: pytest.Pytester, source: str, *words: str) -> pytest.RunResult:
    pytester.makepyfile(PRELUDE + source)
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", "-q", *words)


def test_a_chain_that_is_never_evaluated_fails_its_test(pytester: pytest.Pytester) -> None:
    """Plain, through a helper, in a thread, half of it, under a coroutine's runner, in another class of tests."""
    done = run(
        pytester,
        """
import threading, unittest

def helper():
    return expect(TRACE).trajectory(["refund"])

def test_plain():
    expect(TRACE).trajectory(["nobody"])

def test_asserted():
    with pytest.raises(Exception):
        assert expect(TRACE).trajectory(["nobody"])

def test_helper():
    helper()

def test_thread():
    thread = threading.Thread(target=helper)
    thread.start()
    thread.join()

def test_half():
    base = helper()
    base.tool_called_before("notify", "refund")
    evaluate(base)

@pytest.mark.anyio
async def test_coroutine():
    helper()

@pytest.fixture
def anyio_backend():
    return "asyncio"

class TestUnit(unittest.TestCase):
    def test_unit(self):
        helper()
""",
    )
    done.assert_outcomes(failed=7)
    done.stdout.fnmatch_lines(
        [
            "a chain of contracts was built and never evaluated; pass it to evaluate()",
            "  test_a_chain_that_is_never_evaluated_fails_its_test.py:*: tools-called",
        ]
    )
    assert "tools-called, order-notify-before-refund" in done.stdout.str()


def test_a_chain_that_was_evaluated_is_well_however_often(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        """
@pytest.fixture
def late():
    chain = expect(TRACE).trajectory(["refund"])
    yield chain
    evaluate(chain)

@pytest.fixture(scope="module")
def shared():
    return expect(TRACE).trajectory(["refund"])

@pytest.fixture(scope="session")
def trace():
    evaluate(expect(TRACE).trajectory(["refund"]))
    return TRACE

def test_twice(trace):
    chain = expect(trace).trajectory(["refund"]).tool_called_before("refund", "notify")
    assert evaluate(chain) == evaluate(chain) == chain.results()

def test_by_the_fixture(stepfork):
    stepfork.evaluate(expect(TRACE).trajectory(["refund"]))

def test_late(late):
    pass

def test_shared_not_here(shared):
    pass

def test_shared_here(shared):
    evaluate(shared)

def test_that_fails_is_expected_to():
    with pytest.raises(AssertionError, match="1 of 1 contracts fails: tools-called"):
        evaluate(expect(TRACE).trajectory(["nobody"]))

@pytest.mark.anyio
async def test_coroutine():
    evaluate(expect(TRACE).trajectory(["refund"]))

@pytest.fixture
def anyio_backend():
    return "asyncio"
""",
    )
    done.assert_outcomes(passed=7)


def test_what_a_fixture_builds_is_held_against_the_tests_that_use_it(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        """
@pytest.fixture
def returned():
    return expect(TRACE).trajectory(["refund"])

@pytest.fixture
def yielded():
    yield expect(TRACE).trajectory(["refund"])

@pytest.fixture(scope="module")
def shared():
    return expect(TRACE).trajectory(["refund"])

def test_returned(returned):
    pass

def test_yielded(yielded):
    pass

class TestSetUp:
    def setup_method(self):
        self.chain = expect(TRACE).trajectory(["refund"])

    def test_it(self):
        pass

@pytest.fixture
def torn_down():
    yield
    expect(TRACE).trajectory(["refund"])

def test_torn_down(torn_down):
    pass

def test_shared(shared):
    pass
""",
    )
    # What can still evaluate when its test has ended is judged when it ends itself: an error of the teardown.
    done.assert_outcomes(passed=4, failed=1, errors=4)


def test_a_test_that_failed_or_was_skipped_before_has_said_enough(pytester: pytest.Pytester) -> None:
    done = run(
        pytester,
        """
@pytest.fixture
def chain():
    yield expect(TRACE).trajectory(["refund"])

@pytest.fixture
def broken():
    expect(TRACE).trajectory(["refund"])
    raise ValueError("broken")

def test_failed(chain):
    other = expect(TRACE).trajectory(["refund"])
    assert False, "sooner"
    evaluate(other)

def test_skipped():
    expect(TRACE).trajectory(["refund"])
    pytest.skip("not now")

def test_broken(broken):
    pass
""",
    )
    done.assert_outcomes(failed=1, skipped=1, errors=1)
    assert "never evaluated" not in done.stdout.str()


def test_a_chain_that_is_built_on_import_is_an_error_of_collection(pytester: pytest.Pytester) -> None:
    done = run(pytester, 'CHAIN = expect(TRACE).trajectory(["refund"])\n\ndef test_it():\n    pass\n')
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*never evaluated; build it in a test or a fixture instead of on import"])


def test_no_verdict_is_lost(pytester: pytest.Pytester) -> None:
    """Results that nobody looked at, or that are taken for their truth, a thread that ends with failed contracts, and
    tests that are expected to fail and never got as far."""
    done = run(
        pytester,
        """
import threading
from stepfork.testing import inspect_fixture

def failing():
    return expect(TRACE).trajectory(["nobody"])

def test_dropped():
    failing().results()

def test_counted():
    assert len(failing().results()) == 1

def test_true():
    assert failing().results()

def test_all():
    assert all(failing().results())

def test_thread():
    thread = threading.Thread(target=lambda: evaluate(failing()))
    thread.start()
    thread.join()

@pytest.mark.xfail(strict=True)
def test_expected_and_not_evaluated():
    failing()

@pytest.mark.xfail
def test_expected_and_not_there():
    evaluate(expect(inspect_fixture("no-such-fixture").trace).trajectory(["refund"]))

@pytest.mark.xfail
@pytest.mark.stepfork("no-such-fixture")
def test_expected_and_not_played_back():
    pass

@pytest.mark.xfail(strict=True)
def test_expected():
    evaluate(failing())

@pytest.mark.xfail(strict=True)
def test_not_evaluated_yet():
    failing()
    pytest.xfail("later")
""",
        "-Wignore",
        "--continue-on-collection-errors",
    )
    outcomes = done.parseoutcomes()
    assert (outcomes.pop("xfailed"), sum(outcomes.values())) == (2, 8)
    done.stdout.fnmatch_lines(["in a thread:", "1 of 1 contracts fails: tools-called"])


def test_workers_find_the_same_and_annotations_travel(pytester: pytest.Pytester) -> None:
    (pytester.path / ".git").mkdir()
    pytester.makepyfile(
        PRELUDE
        + """
def test_never():
    expect(TRACE).trajectory(["refund"])

def test_red():
    evaluate(expect(TRACE).trajectory(["nobody"]))

def test_green():
    evaluate(expect(TRACE).trajectory(["refund"]))
"""
    )
    words = ["-p", "no:cacheprovider", "-q", "-n1", "--strict-markers", "-W", "error", "--stepfork-format=github"]
    done = pytester.runpytest_inprocess(*words)
    done.assert_outcomes(failed=2, passed=1)
    file = "test_workers_find_the_same_and_annotations_travel.py"
    assert [line for line in done.outlines if line.startswith("::")] == [
        f"::error file={file},line=10,title=1 of 1 contracts fails%3A tools-called::"
        "  FAIL  tools-called   trajectory (superset) lacks [nobody]; called [refund notify]"
    ]


def test_a_start_of_pytest_loads_nothing_heavy(project: Path) -> None:
    code = (
        "import sys, pytest; pytest.main(['--collect-only', '-q', '-p', 'no:cacheprovider', *sys.argv[1:]]); "
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
        "; print(*sorted(name for name in sys.modules if name.startswith('stepfork.')))"
    )
    heavy = {"aiohttp", "deepdiff", "rich", "typer", "msgspec", "orjson", "dulwich", "jsonschema", "blake3", "yaml"}
    done = subprocess.run(
        [sys.executable, "-c", code, "-p", "stepfork.pytest_plugin.plugin"],
        cwd=project,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    packages, ours = done.stdout.splitlines()[-2:]
    assert not heavy & set(packages.split())
    own = {"stepfork.contracts", "stepfork.contracts.unevaluated", "stepfork.export", "stepfork.export.verbosity"}
    assert {name for name in ours.split() if not name.startswith("stepfork.pytest_plugin")} == own
