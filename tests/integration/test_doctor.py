"""First aid: what an environment and a store say, and two runs of a command compared."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import stepfork
from tests.integration.stand import Said, Stand
from tests.integration.wire import Asked, Line

SCHEMA = json.loads((Path(stepfork.__file__).parent / "schemas" / "doctor.schema.json").read_text(encoding="utf-8"))
KEY = "kT5qZ8" + "nWv2RyXc7LbM"  # in two pieces, since it is made to look like one
CALL = {"id": "call_Ab3dE5fG7hJ9kL1mN3pQ", "type": "function", "function": {"name": "rate", "arguments": "{}"}}
ASKS = {"role": "assistant", "content": None, "tool_calls": [CALL]}

TOOL = """
messages = [{"role": "user", "content": "What is the rate?"}]
first = json.loads(call({"model": "m", "messages": messages}))["choices"][0]["message"]
told = {"role": "tool", "tool_call_id": first["tool_calls"][0]["id"], "content": json.dumps(RESULT)}
call({"model": "m", "messages": [*messages, first, told]})
"""


def model(asked: Asked, line: Line) -> None:
    message = {"role": "assistant", "content": "It is 2."} if b"tool_call_id" in asked.body else ASKS
    line.whole(json.dumps({"id": "chatcmpl-1", "choices": [{"index": 0, "message": message}]}).encode())


def doctor(stand: Stand, *options: str, program: str = "", code: int = 0) -> Said:
    if program:
        stand.agent(program)
        stand.model.script = model
        return stand.stepfork("doctor", *options, "--", "python", "agent.py", code=code)
    return stand.stepfork("doctor", *options, code=code)


def line_of(said: Said, name: str) -> str:
    (found,) = (line for line in said.out.splitlines() if line.split()[:1] == [name])
    return found.split(maxsplit=1)[1]


def test_a_project_that_is_ready(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    stand.git("init", "-q")
    said = doctor(stand)
    host = stand.model.url.removeprefix("http://")
    assert said.out.startswith("no problem found\n")
    assert line_of(said, "openai") == f"OPENAI_BASE_URL → {host} (this machine), OPENAI_API_KEY set"
    assert line_of(said, "anthropic") == f"ANTHROPIC_BASE_URL → {host} (this machine), ANTHROPIC_API_KEY not set"
    assert line_of(said, "store") == ".stepfork (fixtures: 0, objects: 0), all well"
    assert line_of(said, "git").endswith("files of the store are kept as they are")
    assert KEY not in said.out + said.err
    assert stand.model.asked == []
    assert all(len(line) < 100 for line in said.out.splitlines())


def test_what_is_wrong_is_said_with_what_to_do(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:41234/" + "0a" * 16 + "/openai/v1")
    monkeypatch.setenv("OPENAI_API_KEY", f'"{KEY}"')
    monkeypatch.delenv("ANTHROPIC_BASE_URL")
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    (stand.root / ".env").write_text(f"ANTHROPIC_BASE_URL=http://me:{KEY}@gateway.test\nSHORT_KEY=abc\n")
    (stand.root / ".stepfork" / "config.toml").write_text("[routes.azure]\nvariable = 'AZ_URL'\n")
    stand.git("init", "-q")
    (stand.root / ".gitignore").write_text(".stepfork/\n")
    (stand.root / ".stepfork" / "objects" / "stray").write_text("x")
    said = doctor(stand, code=1)
    assert said.out.startswith("8 problems\n")
    problems = [part.split("\n", 2)[:2] for part in said.out.split("PROBLEM  ")[1:]]
    assert [(text, fix.strip()) for text, fix in problems] == [
        ("OPENAI_BASE_URL is the address of a recording that is over", "unset it"),
        ("OPENAI_API_KEY has white space, quotes or control characters around its value", "set it anew"),
        (
            "ANTHROPIC_BASE_URL is in .env alone: recorded calls would go to api.anthropic.com",
            "export ANTHROPIC_BASE_URL before you record",
        ),
        ("the one on the way to openai is no HTTP proxy", "unset its variable, or name the host in NO_PROXY"),
        ("OTEL_SDK_DISABLED is true: no span is made", "unset it"),
        (".stepfork (fixtures: 0, objects: 0), not all well: findings 1", "stepfork fsck names them"),
        ("routes.azure has no dialect", "choose one of openai, anthropic, opaque"),
        ("files of the store are ignored", "git check-ignore -v .stepfork/fixtures/probe.json"),
    ]
    assert KEY not in said.out + said.err


def test_a_store_that_cannot_be_written_is_not_well(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    can = os.access
    shut = str(stand.store.objects.folder)
    monkeypatch.setattr(os, "access", lambda path, *mode: can(path, *mode) and str(path) != shut)  # root may do all
    said = doctor(stand, code=1)
    assert ".stepfork (fixtures: 0, objects: 0), .stepfork/objects cannot be written" in line_of(said, "store")


def test_without_a_store_or_a_repository_there_is_nothing_wrong(
    stand: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = doctor(stand)
    assert line_of(said, "store") == "none here or above; stepfork init makes one"
    assert line_of(said, "git") == "this is no repository"
    assert "PROBLEM" in line_of(doctor(stand, "--store", "nowhere", code=1), "store"), "one was named"


def test_two_equal_runs_are_the_same_and_nothing_is_written(stand: Stand) -> None:
    before = sorted(stand.root.rglob("*"))
    said = doctor(stand, program='RESULT = {"rate": 2}\n' + TOOL)
    assert "two runs of python agent.py: the same, byte for byte" in said.out
    assert line_of(said, "recorded") == "2 calls, 0 spans, 3 steps"
    assert set(stand.root.rglob("*")) - set(before) <= {stand.root / "agent.py", stand.root / ".env"}
    assert "run 2 of 2" in said.err
    assert len(stand.model.asked) == 4


VOLATILE = """
import time, uuid
RESULT = {"rate": 2, "served": time.monotonic_ns(), "quotes": [{"at": time.perf_counter_ns()} for _ in "ab"]}
"""


def test_a_value_of_a_tools_result_is_named_with_the_rule_that_absorbs_it(stand: Stand) -> None:
    said = doctor(stand, program=VOLATILE + TOOL, code=1)
    assert "two runs of python agent.py: 3 values differ" in said.out
    assert "exchange 1    result of rate /served" in said.out
    assert "exchange 1    result of rate /quotes/0/at" in said.out
    assert said.out.endswith('[normalize.tool.rate]\nvolatile = ["/served", "/quotes/*/at"]\n')
    rule = said.out[said.out.index("[normalize.tool") :]
    (stand.root / ".stepfork" / "config.toml").write_text(rule)
    said = doctor(stand, program=VOLATILE + TOOL)
    assert "the same but for what is named as volatile" in said.out
    assert "[normalize" not in said.out


def test_what_the_program_asks_otherwise_is_behaviour(stand: Stand) -> None:
    program = "import uuid\nask('Ticket ' + str(uuid.uuid4()) + '.'); ask('It is over.', seed=os.getpid())"
    said = doctor(stand, "--json", program=program, code=1)
    document = json.loads(said.out)
    Draft202012Validator(SCHEMA).validate(document)
    found = [(one["exchange"], one["place"], one["kind"], one["advice"]) for one in document["runs"]["differences"]]
    assert found == [
        (0, "message 0 (user)", "behaviour", "an id that the program makes up: let recordings give it a fixed one"),
        (1, "params.seed", "behaviour", "this is behaviour: the program does something else each time"),
    ]
    assert not document["well"]
    assert document["runs"]["config"] == ""


def test_another_answer_parts_the_runs(stand: Stand) -> None:
    numbers = itertools.count()

    def unsure(asked: Asked, line: Line) -> None:
        text = f"Perhaps {next(numbers)}."
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        line.whole(json.dumps({"id": "chatcmpl-1", "choices": [choice], "x_node": text}).encode())

    stand.agent("ask('hi'); ask('there')")
    stand.model.script = unsure
    said = stand.stepfork("doctor", "--", "python", "agent.py", code=1)
    assert '"Perhaps 0." → "Perhaps 2."' in said.out
    assert "the runs part at exchange 0; what comes after it was not compared" in said.out
    assert "Perhaps 1" not in said.out


def test_a_run_that_cannot_become_a_fixture_is_said_with_its_cause(stand: Stand) -> None:
    said = doctor(stand, program="raise SystemExit(3)", code=1)
    assert "two runs of python agent.py: no fixture can be made" in said.out
    assert said.out.startswith("no problem before the run; no fixture can be made of the run, see below\n")
    assert "run 1         PROBLEM  the command ended with exit code 3 before any model call" in said.out


def test_in_ci_the_command_does_not_run_unless_asked(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    said = doctor(stand, program="ask('hi')", code=2)
    told = "nothing goes live in CI without --allow-capture; run it on your machine, or without a command"
    assert said.err == f"stepfork doctor: {told}\n"
    assert stand.model.asked == []
    assert "CI is set" in line_of(doctor(stand), "ci")
    doctor(stand, "--allow-capture", program="ask('hi')")


def test_a_command_that_is_not_there_is_said_in_one_line(stand: Stand) -> None:
    said = stand.stepfork("doctor", "--", "no-such-program", code=2)
    assert said.err.count("\n") == 1


def test_secrets_of_a_command_are_never_shown(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--", "python", "agent.py", "--api-key", KEY]
    for options in ([], ["--json"]):
        said = doctor(stand, *options, *words, program="", code=1)
        assert "[redacted]" in said.out
        assert KEY not in said.out + said.err
    said = doctor(stand, "--", f"RATE_PIN={KEY}", "python", code=2)
    assert said.err == "stepfork doctor: RATE_PIN: the command begins with a variable; write env before it\n"
    monkeypatch.setenv("CI", "1")
    (stand.root / ".env").write_text(f"OTHER_KEY={KEY}\n")
    said = stand.stepfork("capture", "--name", "case", "--", "python", "agent.py", KEY, code=2)
    assert said.err.endswith(": stepfork capture --name case -- python agent.py '[redacted]'\n")
