"""What pytest finds: the options, the mark, the fixture, and the parts that do the work.

pytest loads this at every start of every project that has stepfork installed, so what is heavy is imported where it is
used. What each part does for users is in ``docs/reference/testing.md``.
"""

from __future__ import annotations

from collections.abc import Generator
from copy import copy
from typing import TYPE_CHECKING

import pytest

from stepfork.pytest_plugin.annotations import Annotations
from stepfork.pytest_plugin.chains import ChainWatch
from stepfork.pytest_plugin.marks import RUN, MarkedTests
from stepfork.pytest_plugin.verbose import Verbose
from stepfork.pytest_plugin.verdicts import Verdicts

if TYPE_CHECKING:
    from stepfork.testing import StepforkFixture

_CHANGED = "--stepfork-changed"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, in a group of their own."""
    group = parser.getgroup("stepfork", "recorded runs (stepfork)")
    group.addoption(
        "--stepfork-record",
        choices=("none", "once", "all"),
        default="none",
        help="for tests marked stepfork: play fixtures back and record nothing (none, the default, and always in CI), "
        "record the fixtures that there are not yet (once), or record all anew (all)",
    )
    group.addoption(
        "--stepfork-format",
        choices=("text", "github"),
        default="text",
        help="github: also print annotations of a pull request for misses and failed contracts",
    )
    group.addoption(
        _CHANGED,
        nargs="?",
        const="",
        default=None,
        metavar="BASE",
        help="only tests that the change since BASE touches, as `stepfork select --changed` finds them; the value "
        "stands after =, a word after a blank is a path as ever",
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None, object, object]:
    """Keep `--stepfork-changed` from swallowing the path after it: a value may be left out, and stands after ``=``."""
    end = args.index("--") if "--" in args else len(args)
    if _CHANGED in args[:end]:
        args[:end] = [f"{_CHANGED}=" if word == _CHANGED else word for word in args[:end]]
        # The first conftest files are looked for where these say.
        again = parser.parse_known_args(args, namespace=copy(early_config.option))
        early_config.known_args_namespace.file_or_dir = again.file_or_dir
    return (yield)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker and the parts."""
    config.addinivalue_line(
        "markers",
        "stepfork(name): answer the model calls of the test from the fixture NAME, or record it (--stepfork-record)",
    )
    config.pluginmanager.register(ChainWatch(), "stepfork-chains")
    config.pluginmanager.register(Verdicts(), "stepfork-verdicts")
    config.pluginmanager.register(Verbose(), "stepfork-verbose")
    # The last one is around the others: what they fail is not recorded.
    config.pluginmanager.register(MarkedTests(config), "stepfork-marks")
    if config.getoption("stepfork_format") == "github":
        config.pluginmanager.register(Annotations(), "stepfork-annotations")
    if config.getoption("stepfork_changed") is not None:
        from stepfork.pytest_plugin.changed import ChangedTests

        config.pluginmanager.register(ChangedTests(config), "stepfork-changed")


@pytest.fixture
def stepfork(request: pytest.FixtureRequest) -> StepforkFixture:
    """`evaluate` of stepfork.testing, and in a marked test what leads to the block that records or plays back."""
    from stepfork.testing import StepforkFixture

    run = request.node.stash.get(RUN, None)
    return StepforkFixture(None if run is None else run.block)
