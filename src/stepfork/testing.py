"""What tests of recorded runs are made of. These names are permanent: drafted tests import them.

    trace = replay_run(FIXTURE, command=COMMAND, cwd=RUN_DIR, executes=EXECUTES)   the agent, run again offline
    trace = inspect_fixture(FIXTURE).trace                                         the run as it was recorded
    evaluate(expect(trace).tool_cardinality("issue_refund", per="order_id", at_most=1))

`evaluate` and `replay_run` fail a test with an AssertionError; what they cannot do at all they refuse with a
StepforkError of one line. Under pytest a chain that was built and never evaluated fails the test that built it.
The whole is described in ``docs/reference/testing.md``.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stepfork.contracts.chain import ExpectChain
from stepfork.contracts.spec import ContractResult
from stepfork.contracts.unevaluated import note
from stepfork.contracts.verification import Verification
from stepfork.providers.lines import clean_line
from stepfork.trace.fixture import Source
from stepfork.trace.step import Trace

if TYPE_CHECKING:
    from stepfork.workflows.playback import Playback
    from stepfork.workflows.record import Capture

__all__ = [
    "ContractResult",
    "ContractsFailed",
    "ExpectChain",
    "Inspected",
    "ReplayFailed",
    "StepforkFixture",
    "Trace",
    "UnlistedToolWarning",
    "evaluate",
    "expect",
    "inspect_fixture",
    "replay_run",
]


class ContractsFailed(AssertionError):  # noqa: N818 - it is a verdict, as AssertionError is
    """Contracts that a trace does not keep: how many, then each on a line of its own. `failed` has them as values."""

    def __init__(self, text: str, failed: tuple[ContractResult, ...]) -> None:
        super().__init__(text)
        self.failed = failed


class ReplayFailed(AssertionError):  # noqa: N818
    """A new run that did not go as the recording; the text is what ``stepfork replay`` prints."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.name = name


class UnlistedToolWarning(UserWarning):
    """A tool ran in a replay that is neither recorded nor in `executes`. Contracts that list tools do not speak of
    others unless they say so (``mode="exact"``)."""


@dataclass(frozen=True)
class Inspected:
    """A fixture as it was recorded: redacted, and with placeholders for what varies from run to run.

    `contracts` are its own contracts, evaluated now on its trace; `verification` is what the capture found then, None
    where nothing was evaluated.
    """

    name: str
    source: Source
    trace: Trace
    contracts: tuple[ContractResult, ...]
    verification: Verification | None


class StepforkFixture:
    """What the pytest fixture ``stepfork`` gives a test. In a test that is marked ``stepfork`` it leads to the block
    that records or plays back."""

    def __init__(self, block: Capture | Playback | None = None) -> None:
        self._block = block

    def evaluate(self, chain: ExpectChain) -> tuple[ContractResult, ...]:
        """`evaluate` of this module."""
        __tracebackhide__ = True
        return evaluate(chain)

    @property
    def env(self) -> dict[str, str]:
        """The variables that lead to the listener, for a program that is started with an environment of its own; none
        in a test that is not marked."""
        return {} if self._block is None else self._block.env

    def set_output(self, value: object) -> None:
        """Say what the run's output is, for when it is recorded; played back, it is said to nobody."""
        record = getattr(self._block, "set_output", None)
        if record is not None:
            record(value)


def expect(trace: Trace) -> ExpectChain:
    """The beginning of a chain of contracts on `trace`; each method adds one. Nothing is checked before `evaluate`."""
    return ExpectChain(trace, on_build=note)


def evaluate(chain: ExpectChain) -> tuple[ContractResult, ...]:
    """How each contract of `chain` comes out. Raises ContractsFailed, an AssertionError that lists all that fail, and
    UsageError for a chain that expects nothing."""
    __tracebackhide__ = True
    results = tuple(chain.results())
    failed = tuple(result for result in results if result.status != "pass")
    if failed:
        from stepfork.cli.render.failures import contracts_failure
        from stepfork.config.environment import environ

        raise ContractsFailed(contracts_failure(failed, len(results), environ(), Path.cwd()), failed)
    return results


def replay_run(
    fixture: Path | str,
    *,
    command: Sequence[str],
    cwd: Path | str,
    executes: Sequence[str] = (),
    block_egress: bool = False,
) -> Trace:
    """Run `command` in the folder `cwd`, its model calls answered from `fixture`, and return the new run's trace.

    `fixture` is the path of a manifest or of a bundle, or a name in the nearest store above `cwd`. `executes` lists the
    tools that run for real; `block_egress` denies Python programs any connection but to the listener. The trace is
    this run's own, not redacted, and kept in memory only.

    Raises ReplayFailed, an AssertionError, for a miss, a recorded call left over or another exit code; UsageError,
    before anything runs, where the fixture was recorded from another command, its command was redacted or templated,
    or a recorded tool is not listed; and what reading the fixture raises.
    """
    __tracebackhide__ = True
    from stepfork.cli.render.failures import replay_failure
    from stepfork.config.environment import environ, store_override
    from stepfork.workflows.open_fixture import open_fixture
    from stepfork.workflows.replay import ReplayRequest, replay
    from stepfork.workflows.reviewed_command import reviewed_command
    from stepfork.workflows.surroundings import surroundings

    folder = Path(cwd).resolve()
    variables = _with_own_programs(environ())
    opened = open_fixture(fixture, near=folder, override=store_override())
    name, source = opened.fixture.name, opened.fixture.run.source
    context = surroundings(variables, folder, None, opened.settings)
    result = replay(
        ReplayRequest(
            fixture=opened.fixture,
            command=reviewed_command(name, source, command, context, opened.settings.redact),
            cwd=folder,
            environ=variables,
            settings=opened.settings,
            executes=tuple(executes),
            block_egress=block_egress,
        )
    )
    if result.signal is not None:
        raise KeyboardInterrupt
    if not result.passed:
        stored = opened.store is not None
        raise ReplayFailed(replay_failure(result, opened.fixture, variables, folder, stored=stored), name)
    if result.unlisted:
        told = clean_line(", ".join(result.unlisted), 200)
        warnings.warn(f"a replay of {name!r} ran tools that nobody listed: {told}", UnlistedToolWarning, stacklevel=2)
    return result.trace


def inspect_fixture(fixture: Path | str) -> Inspected:
    """`fixture` as it was recorded: the path of a manifest or of a bundle, or a name in the nearest store above the
    working directory. Nothing is run. Raises what reading the fixture raises."""
    __tracebackhide__ = True
    from stepfork.config.environment import store_override
    from stepfork.contracts.evaluate import evaluate as evaluated
    from stepfork.contracts.json_form import contracts_from_json, verification_from_json
    from stepfork.workflows.open_fixture import open_fixture

    found = open_fixture(fixture, near=Path.cwd(), override=store_override()).fixture
    trace = found.run.trace
    return Inspected(
        name=found.name,
        source=found.run.source,
        trace=trace,
        contracts=tuple(evaluated(contract, trace) for contract in contracts_from_json(found.contracts)),
        verification=verification_from_json(found.verification),
    )


def _with_own_programs(environ: Mapping[str, str]) -> Mapping[str, str]:
    """`environ` with the programs of the virtual environment that runs the tests on PATH: where pytest is called by its
    path, that need not be activated, and ``python`` would be another one."""
    own, path = os.path.dirname(sys.executable), environ.get("PATH", "")  # noqa: PTH120 - unresolved, as on PATH
    if sys.prefix == sys.base_prefix or own in path.split(os.pathsep):
        return environ
    return {**environ, "PATH": f"{own}{os.pathsep}{path}" if path else own}
