"""A test for a fixture, drafted where a project keeps its tests, once: from then on it is its author's."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from stepfork.config.project import TESTS
from stepfork.contracts.json_form import contracts_from_json
from stepfork.contracts.verification import Verification
from stepfork.drafting.drafted_test import Draft, drafted_test, word_of
from stepfork.errors import StoreError, UsageError
from stepfork.replay.answerable import answered_in_order
from stepfork.replay.executes import unlisted_tools
from stepfork.store.layout import manifest_file
from stepfork.store.once import write_once
from stepfork.store.store import Store
from stepfork.trace.fixture import Fixture, Source
from stepfork.workflows.drafted_notes import differences, namesakes, redacted

_LONGEST = 200
"""Bytes of a test file's name; longer ones are cut and end with a digest."""


@dataclass(frozen=True)
class Drafted:
    """A fixture's test. `written` is False where `path` was there before, which nothing changes. `executes` are the
    tools that a replay of the fixture runs for real, `answers` those that it does not run; `notes` say what stands
    between the test and the fixture, one line each, with what to do."""

    path: Path
    written: bool
    executes: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def write_drafted_test(
    store: Store,
    fixture: Fixture,
    verification: Verification,
    *,
    folder: str = TESTS,
    served: tuple[str, ...] = (),
) -> Drafted:
    """Draft the test of a fixture that holds (`verification` says so), unless its file is there.

    `folder` is relative to the one that holds the store; `served` are tools that a route answers. Raises UsageError
    for a folder outside that one, StoreError where the file cannot be written.
    """
    path = path_of_test(store, fixture.name, folder)
    command = runnable(fixture.run.source)
    executes = unlisted_tools(fixture.run, (), served) if command else ()
    answers = answered_in_order(fixture.run) if command else ()
    if not os.path.lexists(path):
        draft = Draft(
            name=fixture.name,
            manifest=f"{store.root.name}/{manifest_file(fixture.name)}",
            depth=len(PurePosixPath(folder).parts),
            contracts=contracts_from_json(fixture.contracts),
            command=command,
            cwd=fixture.run.source.cwd,
            executes=executes,
            answers=answers,
            failures=verification.expected_failures,
        )
        if _write_once(path, drafted_test(draft).encode(), store):
            notes = (
                *redacted(command),
                *namesakes(path, store.root.parent, store.root.parent / PurePosixPath(folder).parts[0]),
            )
            return Drafted(path, written=True, executes=executes, answers=answers, notes=notes)
    return Drafted(path, written=False, executes=executes, notes=tuple(differences(path, fixture, command, executes)))


def path_of_test(store: Store, name: str, folder: str = TESTS) -> Path:
    """Where the test of a fixture is drafted. Names that differ in punctuation and case only have one path.

    Raises UsageError for a folder that is not below the one that holds the store.
    """
    parts = PurePosixPath(folder).parts
    if not parts or ".." in parts or PurePosixPath(folder).is_absolute() or Path(folder).is_absolute():
        raise UsageError(
            f"capture.tests names {folder[:80]!r}, which is not below {store.root.parent.name}",
            where=store.shown(store.root / "config.toml"),
            fix='name a folder such as "tests/stepfork"',
        )
    word = word_of(name)
    file = f"test_{word}.py"
    if len(file.encode()) > _LONGEST:
        start = word.encode()[: _LONGEST - 20].decode(errors="ignore")
        file = f"test_{start}_{hashlib.sha256(name.encode()).hexdigest()[:8]}.py"
    return store.root.parent.joinpath(*parts, file)


def runnable(source: Source) -> tuple[str, ...]:
    """The command that a test of the fixture runs again: none where none was recorded, or where its model calls were
    not, so that they would be live ones."""
    return source.command if source.kind == "command" and source.replay_capable else ()


def _write_once(path: Path, data: bytes, store: Store) -> bool:
    """Put a file in place, whole, where there is none. False where there is one by now."""
    try:
        return write_once(path, data)
    except OSError as error:
        where = Path(os.path.relpath(path, store.root.parent)).as_posix()
        raise StoreError(f"the test cannot be written ({error.strerror})", where=where) from None
