"""The file of a drafted test: where it goes, that it is written once, what is said of one that is there."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from stepfork.contracts.json_form import contract_to_json
from stepfork.contracts.spec import ToolCardinality
from stepfork.contracts.verification import Verification
from stepfork.errors import StoreError, UsageError
from stepfork.redact.marker import MARKER
from stepfork.store.layout import init_store
from stepfork.store.store import Store
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Step, Trace
from stepfork.workflows.draft_test import path_of_test, runnable, write_drafted_test

HELD = Verification("verified", True, False, (), ())
COMMAND = Source("command", True, ("python", "agent.py"), exit_code=0)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    init_store(tmp_path)
    return Store(tmp_path / ".stepfork")


def fixture(name: str = "refund", source: Source = COMMAND, *tools: str) -> Fixture:
    steps = tuple(Step("tool_call", tool, at, at, arguments={"id": "1"}) for at, tool in enumerate(tools))
    contract = ToolCardinality("refund", "id", 1, id="cardinality-refund-per-id")
    return Fixture(name, Run(source, Trace("spans", steps)), (contract_to_json(contract),))


def test_the_test_is_written_below_the_folder_that_holds_the_store(store: Store, tmp_path: Path) -> None:
    drafted = write_drafted_test(store, fixture("refund", COMMAND, "refund", "notify", "refund"), HELD)
    assert drafted.path == tmp_path / "tests/stepfork/test_refund.py"
    assert (drafted.written, drafted.executes, drafted.notes) == (True, ("refund", "notify"), ())
    source = drafted.path.read_bytes()
    assert b'EXECUTES = ["refund", "notify"]\n' in source
    assert b"\r" not in source
    assert list(drafted.path.parent.iterdir()) == [drafted.path]  # nothing is left of the writing


def test_a_test_that_is_there_is_kept_to_the_byte(store: Store) -> None:
    first = write_drafted_test(store, fixture("refund", COMMAND, "refund"), HELD)
    first.path.write_text(first.path.read_text() + "# mine\n")
    before = first.path.read_bytes()
    again = write_drafted_test(store, fixture("refund", COMMAND, "refund"), HELD)
    assert (again.path, again.written, again.notes) == (first.path, False, ())
    assert first.path.read_bytes() == before


def test_a_tool_that_a_route_answers_need_not_be_listed(store: Store) -> None:
    drafted = write_drafted_test(store, fixture("refund", COMMAND, "refund", "notify"), HELD, served=("notify",))
    assert drafted.executes == ("refund",)


@pytest.mark.parametrize(
    "source", [Source("in_process", True), Source("otlp_file", False), Source("command", False, ("python", "a.py"))]
)
def test_what_cannot_be_run_again_offline_is_looked_at(store: Store, source: Source) -> None:
    assert runnable(source) == ()
    drafted = write_drafted_test(store, fixture("refund", source, "refund"), HELD)
    assert drafted.executes == ()
    assert "inspect_fixture(FIXTURE)" in drafted.path.read_text()


def test_two_names_that_make_one_path_are_told_apart(store: Store) -> None:
    first = write_drafted_test(store, fixture("a/b"), HELD)
    before = first.path.read_bytes()
    second = write_drafted_test(store, fixture("a_b"), HELD)
    assert (second.path, second.written) == (first.path, False)
    assert second.notes == (
        "that file does not mention this fixture, and is kept: rename the fixture to have a test drafted",
    )
    assert first.path.read_bytes() == before


def test_a_test_that_will_refuse_the_fixture_is_told_of(store: Store) -> None:
    write_drafted_test(store, fixture("refund", COMMAND, "refund"), HELD)
    other = msgspec.structs.replace(COMMAND, command=("python", "other.py"))
    drafted = write_drafted_test(store, fixture("refund", other, "refund", "notify"), HELD)
    assert [note.partition(",")[0] for note in drafted.notes] == [
        "its COMMAND is not the command captured",
        "its EXECUTES does not list notify",
    ]


def test_a_test_that_expects_otherwise_than_the_new_run_is_told_of(store: Store) -> None:
    path = write_drafted_test(store, fixture("refund", COMMAND, "refund"), HELD).path
    again = fixture("refund", COMMAND, "refund", "refund")
    (told,) = write_drafted_test(store, again, HELD).notes
    assert told == "it says at most 1, the run did 2: refund per id; edit it if the run is right"
    incident = msgspec.structs.replace(again, verification={"expected_failures": ["cardinality-refund-per-id"]})
    assert write_drafted_test(store, incident, HELD).notes == ()  # it is to fail this
    drafted = path.read_text()
    edited = drafted.replace("at_most=1", "at_most=MOST").replace("    )\n", "        .trajectory(['a'])\n    )\n")
    path.write_text(edited)
    (told,) = write_drafted_test(store, again, HELD).notes
    assert told == "it says otherwise than the run in tools-called; edit it if the run is right"
    for text in (drafted.replace("expect(trace)", "other(trace)"), drafted.replace("at_most=1", "at_most='x'")):
        path.write_text(text)
        assert write_drafted_test(store, again, HELD).notes == ()


def test_a_redacted_command_is_drafted_and_told_of(store: Store) -> None:
    source = msgspec.structs.replace(COMMAND, command=("python", "agent.py", f"--key={MARKER}"))
    assert [n.partition(",")[0] for n in write_drafted_test(store, fixture("refund", source), HELD).notes] == [
        "the command was redacted"
    ]


def test_a_test_of_the_same_name_in_another_folder_is_told_of(store: Store, tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_refund.py").write_text("def test_it():\n    pass\n")
    (told,) = write_drafted_test(store, fixture(), HELD).notes
    assert told.startswith("tests/test_refund.py has the same name: give pytest --import-mode=importlib")
    path_of_test(store, "refund").unlink()
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\naddopts = ["--import-mode=importlib"]\n')
    assert write_drafted_test(store, fixture(), HELD).notes == ()
    path_of_test(store, "refund").unlink()
    (tmp_path / "pyproject.toml").unlink()
    (tmp_path / "tests/__init__.py").touch()
    assert write_drafted_test(store, fixture(), HELD).notes == ()


@pytest.mark.parametrize("kept", [b"import (", b"\xff\xfe", b"# nothing of ours\n"])
def test_any_file_in_its_place_is_kept(store: Store, kept: bytes) -> None:
    path = path_of_test(store, "refund")
    path.parent.mkdir(parents=True)
    path.write_bytes(kept)
    drafted = write_drafted_test(store, fixture(), HELD)
    assert not drafted.written
    assert len(drafted.notes) == 1
    assert path.read_bytes() == kept


def test_a_link_that_leads_nowhere_is_kept_too(store: Store, tmp_path: Path) -> None:
    path = path_of_test(store, "refund")
    path.parent.mkdir(parents=True)
    path.symlink_to(tmp_path / "elsewhere")
    assert not write_drafted_test(store, fixture(), HELD).written
    assert not (tmp_path / "elsewhere").exists()


def test_without_hard_links_it_is_written_once_as_well(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("not here")

    monkeypatch.setattr(os, "link", refuse)
    assert write_drafted_test(store, fixture(), HELD).written
    assert not write_drafted_test(store, fixture(), HELD).written


def test_a_folder_that_cannot_be_made_is_one_line(store: Store, tmp_path: Path) -> None:
    (tmp_path / "tests").write_text("a file")
    with pytest.raises(StoreError, match=r"^tests/stepfork/test_refund\.py: the test cannot be written \("):
        write_drafted_test(store, fixture(), HELD)


@pytest.mark.parametrize("folder", ["/elsewhere", "../tests", "tests/../..", ""])
def test_a_folder_outside_is_refused(store: Store, folder: str) -> None:
    with pytest.raises(UsageError, match="not below"):
        path_of_test(store, "refund", folder)


def test_any_name_makes_a_file_name_that_file_systems_take(store: Store) -> None:
    names = ["a" * 200, "ﷺ" * 60, "退款" * 30]
    paths = [path_of_test(store, name) for name in names]
    assert all(len(path.name.encode()) <= 200 for path in paths)
    assert all(path.stem.isidentifier() for path in paths)
    assert len({path_of_test(store, "b" + "a" * 199), path_of_test(store, "b" + "a" * 198), *paths}) == 5
