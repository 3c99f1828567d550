"""What a change touches, as a run of pytest needs it: files below its root directory, and what of each is wanted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os.path import relpath, sep
from pathlib import Path
from typing import NamedTuple

import pytest

from stepfork.cli.escape import escape
from stepfork.cli.select import compared
from stepfork.config.environment import environ, in_ci, store_override
from stepfork.config.process import from_here
from stepfork.errors import StepforkError
from stepfork.git.checkout import open_checkout
from stepfork.store.layout import STORE_NAME
from stepfork.workflows.select import SelectOptions, SelectReport, select_changed


class Wanted(NamedTuple):
    """A test that is selected: ``path`` from pytest's root directory, without symbolic links, and the names of classes
    and function below it (none: all of the file, or of the folder)."""

    path: str
    node: tuple[str, ...]
    reasons: tuple[str, ...]

    @property
    def id(self) -> str:
        """What a person calls it."""
        return "::".join((self.path, *self.node))


class Selected(NamedTuple):
    """What is wanted, and the ``lines`` that say what was compared."""

    wanted: tuple[Wanted, ...]
    lines: tuple[str, ...]
    why_none: str
    """Why nothing is selected, where nothing is."""

    def to_json(self) -> str:
        """For another process; ASCII, since a path may hold bytes that are no text."""
        return json.dumps(self)

    @staticmethod
    def from_json(text: str) -> Selected:
        """What `to_json` wrote."""
        wanted, lines, why_none = json.loads(text)
        return Selected(
            tuple(Wanted(path, tuple(node), tuple(reasons)) for path, node, reasons in wanted), tuple(lines), why_none
        )


def select_for(config: pytest.Config, base: str | None) -> Selected:
    """The tests of every project that the run may collect from. Raises `StepforkError` as ``stepfork select`` does.

    A project is a store: the nearest one above the working directory, above pytest's root directory, and above each
    path given; and whichever other one the change touches too.
    """
    override, here = store_override(), config.invocation_params.dir
    folders = [here] if override else list(_projects(config)) or [here]
    reports = [_select(folder, base, override) for folder in folders]
    lines: list[str] = []
    if override is None:
        others = {folder: one.fixtures.others for folder, one in zip(folders, reports, strict=True)}
        for store in _elsewhere(others):
            try:
                reports.append(_select(folders[0], base, str(store)))
            except StepforkError as error:
                lines.append(f"{from_here(store)} changed too, but: {error}")
    tests = [one for report in reports for one in _wanted(report, config.rootpath.resolve())]
    number = f"{len(tests)} node id{'' if len(tests) == 1 else 's'} selected"
    head = [f"{line}; {number}" for line in dict.fromkeys(map(compared, reports))]
    unsure = [f"every test that uses fixtures: {why}" for one in reports for why in one.selection.everything]
    return Selected(tuple(tests), tuple(map(escape, [*head, *unsure, *lines])), escape(_why_none(reports)))


def _select(folder: Path, base: str | None, store: str | None) -> SelectReport:
    return select_changed(str(folder), environ(), SelectOptions(base, in_ci(), store))


def _projects(config: pytest.Config) -> Iterator[Path]:
    """The folders whose stores are asked, each once and by its real name."""
    here = config.invocation_params.dir
    given = (here / str(word).partition("::")[0] for word in config.args)
    yield from dict.fromkeys(found for place in (here, config.rootpath, *given) if (found := _with_store(place)))


def _with_store(place: Path) -> Path | None:
    """The nearest folder with a store, from ``place`` up to the top of its repository."""
    start = place.resolve()
    for folder in (start, *start.parents):
        if (folder / STORE_NAME).is_dir():
            return folder
        if (folder / ".git").exists():
            break
    return None


def _elsewhere(others: Mapping[Path, Sequence[str]]) -> list[Path]:
    """The stores that changed too, beside those of the folders that were asked."""
    tops = {folder: Path(open_checkout(folder, environ()).root) for folder, stores in others.items() if stores}
    found = {tops[folder] / store for folder, stores in others.items() for store in stores}
    return sorted(found - {folder / STORE_NAME for folder in others})


def _wanted(report: SelectReport, root: Path) -> Iterator[Wanted]:
    """Tests of other languages are other runners' work."""
    for test in report.selection.tests:
        if test.path.endswith(".py"):
            place = Path(report.root, test.id.partition("::")[0]).resolve()
            # The id of a path that pytest would not read as one is the folder above it.
            node = test.node if "::" in test.id else ()
            yield Wanted(relpath(place, root).replace(sep, "/"), node, test.reasons)


def _why_none(reports: Iterable[SelectReport]) -> str:
    names = sorted({name for report in reports for name in report.fixtures.reasons})
    if not names:
        return "no fixture changed"
    return f"no Python test references {', '.join(names[:5])}{', …' if len(names) > 5 else ''}"
