"""``pytest --stepfork-changed[=BASE]``: what the change does not touch is deselected, in this very process.

With xdist the controller asks git, once, and hands what it found to the workers: they must all collect the same.
"""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterator, Sequence
from typing import Any, NamedTuple

import pytest

from stepfork.cli.escape import escape
from stepfork.cli.render.builds import no_command
from stepfork.errors import StepforkError
from stepfork.pytest_plugin.selected import Selected, Wanted, select_for

_KEY = "stepfork_changed"
_MOST = 10
"""Tests that were not collected and are named without -v."""


class Outcome(NamedTuple):
    """What became of a collection.

    ``collected`` items, of which other options (-k, -m) left ``offered``, and the change ``kept``; ``missing`` are ids
    that were selected and stand where pytest was sent, but were not collected; ``outside`` counts those elsewhere.
    """

    collected: int
    offered: int
    kept: int
    missing: list[str]
    outside: int


class ChangedTests:
    """Keeps the tests that a change touches; "none" is a success in words, and nothing is left out in silence."""

    def __init__(self, config: pytest.Config) -> None:
        self._base: str = config.getoption("stepfork_changed")
        self._selected: Selected | None = None
        self._outcome: Outcome | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Ask git, before workers are started and the header is printed."""
        given = getattr(session.config, "workerinput", {}).get(_KEY)
        if given is not None:
            self._selected = Selected.from_json(given)
            return
        try:
            self._selected = select_for(session.config, self._base or None)
        except StepforkError as error:
            raise pytest.UsageError(no_command(f"--stepfork-changed: {escape(str(error))}")) from None

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Hand it to a worker of xdist."""
        if self._selected is not None:
            node.workerinput[_KEY] = self._selected.to_json()

    def pytest_report_header(self) -> list[str]:
        """What was compared, how many tests that selects, and why it is unsure."""
        return [no_command(f"stepfork: {line}") for line in self._selected.lines] if self._selected is not None else []

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
    ) -> Generator[None, object, object]:
        """Look at all that was collected, then deselect among what other options left of it."""
        wanted = self._selected.wanted if self._selected is not None else ()
        choice = _Choice(wanted, os.path.realpath(config.rootpath))
        chosen = {id(item) for item in items if choice.takes(item)}
        collected = len(items)
        result = yield
        offered = len(items)
        dropped = [item for item in items if id(item) not in chosen]
        if dropped:
            config.hook.pytest_deselected(items=dropped)
            items[:] = [item for item in items if id(item) in chosen]
        absent = [] if session.testsfailed else choice.absent()  # a file that cannot be read is told by pytest
        missing = [one.id for one in absent if _is_sent_to(session, one)]
        self._outcome = Outcome(collected, offered, len(items), missing, len(absent) - len(missing))
        output = getattr(config, "workeroutput", None)
        if output is not None:
            output[_KEY] = json.dumps(self._outcome)
        return result

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Hear from a worker what became of its collection, which is that of each."""
        told = getattr(node, "workeroutput", {}).get(_KEY)
        if told is not None:
            self._outcome = Outcome(*json.loads(told))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """No test because the change touches none is a success. No test for any other reason stays what it is."""
        outcome = self._outcome
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and outcome is not None and _is_idle(outcome):
            session.exitstatus = pytest.ExitCode.OK

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        """What was run of what was collected; with -v why; and what should have been there."""
        selected, outcome = self._selected, self._outcome
        if selected is None or outcome is None:
            return
        verbose = config.getoption("verbose") > 0
        terminalreporter.ensure_newline()
        for line in _told(selected, outcome, verbose=verbose):
            terminalreporter.write_line(no_command(line))
        for line in _missing(outcome.missing, verbose=verbose):
            terminalreporter.write_line(no_command(line), yellow=True)
        if outcome.outside and not _is_idle(outcome):
            terminalreporter.write_line(f"stepfork: {outcome.outside} more selected outside of what pytest was asked")


def _told(selected: Selected, outcome: Outcome, *, verbose: bool) -> Iterator[str]:
    if _is_idle(outcome):
        yield f"stepfork: nothing to run: {_why_idle(selected, outcome)}"
    else:
        yield f"stepfork: {outcome.kept} of {outcome.offered} tests selected"
    width = min(60, max((len(escape(one.id)) for one in selected.wanted), default=0))
    for one in selected.wanted if verbose else ():
        yield f"  {escape(one.id):<{width}}  {escape('; '.join(one.reasons))}"


def _missing(missing: Sequence[str], *, verbose: bool) -> Iterator[str]:
    shown = missing if verbose else missing[:_MOST]
    for one in shown:
        yield f"stepfork: selected but not collected: {escape(one)}"
    if len(missing) > len(shown):
        yield f"stepfork: and {len(missing) - len(shown)} more (-v)"


def _is_idle(outcome: Outcome) -> bool:
    """Whether nothing is left because the change touches nothing of what there is."""
    return bool(outcome.offered and not outcome.kept and not outcome.missing)


def _why_idle(selected: Selected, outcome: Outcome) -> str:
    if not selected.wanted:
        return selected.why_none
    if outcome.outside:
        return f"{outcome.outside} selected elsewhere"
    return f"none of the {outcome.offered} tests that other options left is selected"


def _is_sent_to(session: pytest.Session, wanted: Wanted) -> bool:
    """Whether pytest was asked to collect the whole place of a test, so that it should have been found there."""
    config = session.config
    if config.getoption("lf", False):  # it passes over files in which nothing failed
        return False
    place = config.rootpath / wanted.path
    exact = any("::" in str(word) for word in config.args)
    return any(session.isinitpath(path) for path in (place, *place.parents) if path != place or not exact)


class _Choice:
    """Which items are wanted; remembers which of the wanted ones were met."""

    def __init__(self, wanted: Sequence[Wanted], root: str) -> None:
        self._wanted = wanted
        self._root = root
        self._files: dict[str, list[Wanted]] = {}
        self._met: set[Wanted] = set()
        self._places: dict[str, list[Wanted]] = {}
        for one in wanted:
            self._files.setdefault(one.path, []).append(one)

    def takes(self, item: pytest.Item) -> bool:
        """Whether an item is one of a selected file, class or function, whatever its parameters are."""
        names = _names(item)
        found = [one for one in self._at(str(item.path)) if one.node == names[: len(one.node)]]
        self._met.update(found)
        return bool(found)

    def absent(self) -> list[Wanted]:
        """Those of which no item was met."""
        return [one for one in self._wanted if one not in self._met]

    def _at(self, place: str) -> list[Wanted]:
        """What is wanted of a file, itself or as one of a folder."""
        if place not in self._places:
            path = os.path.relpath(os.path.realpath(place), self._root).replace(os.sep, "/")
            parts = path.split("/")
            above = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)] + ["."]
            self._places[place] = [one for folder in above for one in self._files.get(folder, ())]
        return self._places[place]


def _names(item: pytest.Item) -> tuple[str, ...]:
    """The names of classes and function below the file, without parameters."""
    names: list[str] = []
    for node in item.listchain():
        names = [] if isinstance(node, pytest.File) else [*names, node.name]
    name = getattr(item, "originalname", None)
    return (*names[:-1], name) if isinstance(name, str) else tuple(names)
