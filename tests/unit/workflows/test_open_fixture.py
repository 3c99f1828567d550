"""A fixture by its path or its name, wherever the program that asks was started."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepfork.errors import ConfigError, NotFoundError
from stepfork.store.bundle import write_bundle
from stepfork.store.layout import init_store
from stepfork.store.store import Store
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Trace
from stepfork.workflows.open_fixture import open_fixture


def fixture(name: str) -> Fixture:
    return Fixture(name, Run(Source("command", False, ("true",)), Trace("spans", ())))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    init_store(tmp_path / "project")
    made = Store(tmp_path / "project" / ".stepfork")
    for name in ("refund", "fixtures/de/refund"):
        made.write(fixture(name))
    return made


@pytest.mark.parametrize("name", ["refund", "fixtures/de/refund"])
def test_by_the_path_of_its_manifest(store: Store, name: str, tmp_path: Path) -> None:
    opened = open_fixture(store.manifest_path(name), near=tmp_path)
    assert opened.fixture.name == name
    assert opened.store is not None
    assert opened.store.root == store.root


def test_by_a_path_that_goes_up_and_down(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(store.root.parent)
    path = Path("tests/stepfork/../../.stepfork/fixtures/refund.json")
    (store.root.parent / "tests/stepfork").mkdir(parents=True)
    assert open_fixture(path, near=Path()).fixture.name == "refund"


def test_by_its_name_in_the_nearest_store(store: Store, tmp_path: Path) -> None:
    inside = store.root.parent / "deep" / "down"
    inside.mkdir(parents=True)
    assert open_fixture("refund", near=inside).fixture.name == "refund"
    assert open_fixture("refund", near=tmp_path, override=str(store.root)).fixture.name == "refund"


def test_by_the_path_of_a_bundle(store: Store, tmp_path: Path) -> None:
    write_bundle(tmp_path / "run.sftrace", fixture("run"))
    for near in (tmp_path, store.root.parent):
        opened = open_fixture(tmp_path / "run.sftrace", near=near)
        assert (opened.fixture.name, opened.store) == ("run", None)


@pytest.mark.parametrize("word", ["gone", Path(".stepfork/fixtures/gone.json"), Path("gone.sftrace")])
def test_one_that_is_not_there_is_named(store: Store, word: Path | str) -> None:
    where = store.root.parent
    with pytest.raises(NotFoundError, match="gone"):
        open_fixture(where / word if isinstance(word, Path) else word, near=where)


@pytest.mark.parametrize("path", ["agent.py", "fixtures/refund.json", ".stepfork/config.toml"])
def test_another_file_is_no_fixture(store: Store, path: str) -> None:
    with pytest.raises(NotFoundError, match="is no manifest of a fixture"):
        open_fixture(store.root.parent / path, near=store.root.parent)


def test_a_store_that_is_too_new_is_refused(store: Store) -> None:
    (store.root / "config.toml").write_text("format = 9\n")
    with pytest.raises(ConfigError, match="upgrade stepfork"):
        open_fixture(store.manifest_path("refund"), near=store.root)
