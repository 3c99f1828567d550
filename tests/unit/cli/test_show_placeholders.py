"""`show --placeholders`: one screen, calm and safe, and the same facts as a document."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from importlib import resources
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from stepfork.cli.main import main
from stepfork.cli.render.placeholders_text import placeholder_lines
from stepfork.cli.render.places import place_words
from stepfork.normalize.explain import explain
from stepfork.normalize.normalize import normalize_run
from stepfork.normalize.reasons import Explained, Literal, Reason, Value
from stepfork.store.bundle import write_bundle
from stepfork.store.layout import init_store
from stepfork.store.store import Store
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Trace
from tests.unit.cli.test_columns import Terminal
from tests.unit.normalize.scripted import World, chat_run, exchange

SCREEN = """\
refund: 12 values templated, in 22 places

  kind          values  places  why
  home               1       1  home folder of the run
  cwd                1       1  working directory of the run
  id                 4       9  field id of the response ×3
                                field id, tool_call_id of a message ×2
                                told by a field, found in text ×2
                                header x-request-id
                                field call_id of a step
"""


def refund(name: str = "refund") -> Fixture:
    world = World(1)
    return Fixture(name, normalize_run(chat_run(world), world.context()))


def test_the_screen_begins_with_the_kinds(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    init_store(project)
    Store(project / ".stepfork").write(refund())
    assert main(["show", "refund", "--placeholders"]) == 0
    said = capfd.readouterr()
    assert said.err == ""
    assert said.out.startswith(SCREEN)
    assert "  call_{{id_3}}            6  exchange 0 response /choices/0/delta/tool_calls/0/id (event 1)\n" in said.out
    assert "\x1b" not in said.out


@pytest.mark.parametrize("causes", [None, ["it failed"]], ids=["bundle", "draft"])
def test_the_document_is_what_its_schema_says(
    project: Path, capfd: pytest.CaptureFixture[str], causes: list[str] | None
) -> None:
    fixture = refund("some/name")
    write_bundle(
        project / "one.sftrace", Fixture(fixture.name, fixture.run, extensions={"causes": causes} if causes else {})
    )
    assert main(["show", "--placeholders", "--json", "one.sftrace"]) == 0
    document = json.loads(capfd.readouterr().out)
    path = resources.files("stepfork").joinpath("schemas/placeholders.schema.json")
    Draft202012Validator(json.loads(path.read_text("utf-8"))).validate(document)
    assert document["name"] == "some/name"
    assert len(document["values"]) == len(explain(fixture.run).values)


def test_lines_fit_a_terminal_and_stand_below_their_column(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *_, **__: os.terminal_size((80, 24)))
    lines = "\n".join(placeholder_lines("refund", explain(refund().run), Terminal())).split("\n")
    assert max(map(len, lines)) <= 80
    at = next(index for index, line in enumerate(lines) if "call_{{id_3}}" in line)
    column = lines[at].index("exchange 0")
    assert lines[at + 1].startswith(" " * column + "/choices")
    assert lines[at + 2].startswith(" " * column + "also field")


def test_a_project_s_own_rules_are_named(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    init_store(project)
    (project / ".stepfork" / "config.toml").write_text('[normalize]\nid_fields = ["booking_ref"]\n')
    body = {"model": "m", "messages": [{"role": "user", "content": json.dumps({"booking_ref": "{{id_1}}"})}]}
    run = Run(Source("command", True), Trace("exchanges", ()), (exchange("chat_completions", body, {}),))
    Store(project / ".stepfork").write(Fixture("booked", run))
    assert main(["show", "booked", "--placeholders"]) == 0
    assert "  id         1       1  config.toml: id_fields booking_ref\n" in capfd.readouterr().out


def test_what_is_a_secret_by_now_is_not_shown(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    value = "".join(("brass", "-lantern-", "quiet-", "4921"))
    monkeypatch.setenv("SHOP_TOKEN", value)
    body = {"model": "m", "messages": [], "metadata": {value: "{{email_1}} {{!cwd}}"}}
    run = Run(Source("command", True), Trace("exchanges", ()), (exchange("chat_completions", body, {}),))
    write_bundle(project / "old.sftrace", Fixture("old", run))
    for words in ((), ("--json",)):
        assert main(["show", "old.sftrace", "--placeholders", *words]) == 0
        said = capfd.readouterr().out
        assert value not in said
        assert said.count("/metadata/[redacted]") == 2


def test_nothing_templated_is_said_in_words() -> None:
    assert list(placeholder_lines("plain", Explained())) == ["plain: nothing templated"]


def test_many_values_are_counted_and_the_first_are_listed() -> None:
    values = tuple(
        Value("id", f"{{{{id_{n}}}}}", 1, "/trace/output", ((Reason("prefix", "x_"), 1),)) for n in range(40)
    )
    lines = list(placeholder_lines("many", Explained(values)))
    assert "  and 28 more of id (--json has them all)" in lines
    assert "{{id_12}}" not in "".join(lines)


def test_names_and_texts_of_a_fixture_act_on_no_terminal() -> None:
    evil = "\x1b]0;pwned\x07 [bold]\u202e"
    message = {"role": "user", "content": json.dumps({evil: "{{user}} ada@example.com", f"id{evil}": 1})}
    made = exchange("chat_completions", {"model": "m", "messages": [message]}, {evil: {"id": "x"}})
    run = normalize_run(Run(Source("command", True, (evil,)), Trace("exchanges", ()), (made,)), World(1).context())
    found = explain(run)
    literal = Literal(f"{{{{user:{evil}}}}}", "", 1, f"/trace/{evil}")
    text = "\n".join(placeholder_lines(evil, Explained(found.values, (*found.literals, literal))))
    assert not any(mark in text for mark in "\x1b\x07\u202e")
    assert "\\x1b" in text
    assert "[bold]" in text


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/exchanges/2/response/body/choices/0/id", "exchange 2 response /choices/0/id"),
        ("/exchanges/2/response/body/id (event 7)", "exchange 2 response /id (event 7)"),
        ("/exchanges/2/response/body (event 7)", "exchange 2 response (event 7)"),
        ("/exchanges/0/request/body", "exchange 0 request"),
        ("/exchanges/0/response/headers/x-request-id", "exchange 0 response header x-request-id"),
        ("/exchanges/0/request/query", "exchange 0 request query"),
        ("/exchanges/0/request/content_type", "exchange 0 request content type"),
        ("/exchanges/0/request/bodyguard", "exchange 0 request /bodyguard"),
        ("/exchanges/0/request/body/a (name)", "exchange 0 request /a (name)"),
        ("/source/command/3", "command, argument 3"),
        ("/source/cwd", "/source/cwd"),
        ("/trace/steps/0/result/x", "trace /steps/0/result/x"),
        ("", ""),
    ],
)
def test_a_path_in_words(path: str, words: str) -> None:
    assert place_words(path) == words


def test_a_fixture_at_a_revision_is_read_as_it_was(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    init_store(project)
    store = Store(project / ".stepfork")
    store.write(refund())
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run(["git", *words], cwd=project, check=True)
    store.write(Fixture("refund", Run(Source("command", True), Trace("exchanges", ()))))
    assert main(["show", "HEAD:refund", "--placeholders"]) == 0
    assert capfd.readouterr().out.startswith("refund: 12 values")
