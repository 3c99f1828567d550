"""What is asked of a run that is to become a fixture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import msgspec

from stepfork.config.project import Settings
from stepfork.errors import NotFoundError
from stepfork.store.bundle import check_bundle_path
from stepfork.store.names import check_name
from stepfork.store.store import Store
from stepfork.trace.body import JsonValue
from stepfork.trace.step import StepError
from stepfork.workflows.draft_test import path_of_test


@dataclass(frozen=True)
class FixtureRequest:
    """What is to become of a run.

    `environ` and `cwd` are where it runs: their secrets and folders are taken out of it. `output` names a bundle
    instead of the store. `expect_fail`: the run is an incident, and some contract must fail on it; `may_be_fixed`: a
    refresh of one, which the agent may have got over. `require_spans`: without any span there is no fixture.
    `replaces` is the manifest that must still be there when the fixture is written, b"" where none must be, None where
    that is not asked. `settings` are the project's. `draft_test`: a fixture that holds gets a test, unless it has one.
    `explain` asks why each placeholder stands where it stands.
    """

    name: str
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: Path = field(default_factory=Path.cwd)
    output: Path | None = None
    expect_fail: bool = False
    may_be_fixed: bool = False
    require_spans: bool = False
    replaces: bytes | None = field(default=None, repr=False)
    settings: Settings = field(default_factory=Settings)
    draft_test: bool = True
    explain: bool = False

    @property
    def tests(self) -> str | None:
        """The folder of its test, from the one that holds the store; None where none is drafted."""
        return self.settings.tests if self.draft_test and self.output is None else None


@dataclass(frozen=True)
class Told:
    """What a program said itself of its run: it wins over what was seen of it. With an `error` there is no output; a
    program that `went_on` after that ended by itself, so that its run must be whole."""

    agent: str | None = None
    input: JsonValue | msgspec.UnsetType = msgspec.UNSET
    output: JsonValue | msgspec.UnsetType = msgspec.UNSET
    error: StepError | None = None
    went_on: bool = False


def check_request(request: FixtureRequest, store: Store) -> None:
    """Everything that could refuse the fixture, asked before anything runs: a paid run is never lost to it.

    Raises UsageError or StoreError."""
    check_name(request.name)
    if request.output is not None:
        check_bundle_path(request.output)
        return
    store.check_writable(request.name)
    if request.tests is not None:
        path_of_test(store, request.name, request.tests)


Request = TypeVar("Request", bound=FixtureRequest)


def as_of_now(request: Request, store: Store) -> Request:
    """`request`, to replace the manifest that there is now or none: what another writer makes meanwhile stays."""
    if request.output is not None:
        return request
    try:
        return replace(request, replaces=store.manifest(request.name))
    except NotFoundError:
        return replace(request, replaces=b"")


EXPECT_FAIL, REQUIRE_SPANS = "--expect-fail", "--require-spans"
FLAGS = frozenset({EXPECT_FAIL, REQUIRE_SPANS})
"""The options that a fixture remembers (`Source.flags`), and that a refresh repeats."""


def flags_of(request: FixtureRequest) -> tuple[str, ...]:
    """The options to be repeated, in the order of their names."""
    given = {EXPECT_FAIL: request.expect_fail, REQUIRE_SPANS: request.require_spans}
    return tuple(flag for flag in sorted(given) if given[flag])
