"""What `show --json` and `ls --json` print is what their published schemas say."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from stepfork.cli.main import main
from stepfork.store.bundle import write_bundle
from stepfork.store.layout import init_store
from stepfork.store.store import Store
from stepfork.trace.fixture import Fixture
from stepfork.trace.step import Step, StepError, Trace, Usage
from tests.unit.store.sample_runs import conversation, fixture_of, odd_exchanges

FULL = Step("tool_call", "t", 1, 2, "call", 0, 3, {"a": 1}, None, StepError("E"), "m", Usage(1, 2, 3), ("stop",), 0)
TRACES = [
    Trace(
        "spans",
        (Step("llm_call", "chat", 0, 4), FULL),
        agent="agent",
        conversation="c",
        input=None,
        output=["x"],
        status="error",
        error=StepError("E"),
        cost_usd=0.5,
        notes=("n",),
    ),
    Trace("exchanges", ()),
]


def printed(capfd: pytest.CaptureFixture[str], code: int, *words: str) -> Any:
    assert main(list(words)) == code
    said = capfd.readouterr()
    assert said.err == ""
    return json.loads(said.out)


def check(name: str, document: Any) -> None:
    path = resources.files("stepfork").joinpath(f"schemas/{name}.schema.json")
    schema = json.loads(path.read_text("utf-8"))
    assert schema["title"] == f"stepfork {name} --json"
    Draft202012Validator(schema).validate(document)


@pytest.mark.parametrize("trace", TRACES, ids=["full", "empty"])
def test_show(project: Path, capfd: pytest.CaptureFixture[str], trace: Trace) -> None:
    fixture = fixture_of([*conversation(2), *odd_exchanges()], trace=trace)
    write_bundle(project / "one.sftrace", fixture)
    document = printed(capfd, 0, "show", "one.sftrace", "--json")
    check("show", document)
    assert len(document["exchanges"]) == len(fixture.run.exchanges)


def test_show_a_draft(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = fixture_of(conversation(1)).run
    write_bundle(project / "draft.sftrace", Fixture("draft", run, extensions={"causes": ["it failed"]}))
    document = printed(capfd, 0, "show", "draft.sftrace", "--json")
    check("show", document)
    assert document["extensions"]["causes"] == ["it failed"]


def test_ls(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    init_store(project)
    assert printed(capfd, 0, "ls", "--json") == {"fixtures": []}
    store = Store(project / ".stepfork")
    store.write(fixture_of(conversation(1), "whole"))
    store.write(fixture_of(conversation(2), "group/broken"))
    store.manifest_path("group/broken").write_bytes(b"{")
    document = printed(capfd, 2, "ls", "--json")
    check("ls", document)
    assert [(row["name"], row["problem"] is None) for row in document["fixtures"]] == [
        ("group/broken", False),
        ("whole", True),
    ]
