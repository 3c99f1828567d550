"""Refreshing one fixture, several or all: what is asked, what is run, what stays, and what is said of each."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stepfork.cli.exit_codes import INTERRUPTED
from tests.integration.conftest import Stand
from tests.integration.test_capture_outcomes import SCHEMA, TWICE

SAYS = "ask(open('says.txt').read())"


class Terminal(io.StringIO):
    """Someone who answers."""

    def isatty(self) -> bool:
        return True


def answers(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("".join(f"{line}\n" for line in lines)))


@pytest.fixture
def shop(stand: Stand, kept_project: Path) -> Stand:
    """Three fixtures, two of one command; what the agents say is in a file."""
    stand.once(kept_project, _make)
    return stand


def _make(stand: Stand) -> None:
    (stand.root / "says.txt").write_text("before")
    stand.capture(SAYS, name="a")
    for name, more in (("b", ()), ("c", ("--other",))):
        unusual(stand, name, command=("python", "agent.py", *more))
    (stand.root / "says.txt").write_text("after")


def says(stand: Stand, name: str) -> str:
    """What the first exchange of a fixture says."""
    told: str = stand.manifest(name)["exchanges"][0]["says"][0]
    return told


def unusual(stand: Stand, name: str, *, of: str = "a", **source: Any) -> None:
    """A copy of fixture `of` that came from somewhere else."""
    fixture = stand.store.read(of)
    run = msgspec.structs.replace(fixture.run, source=msgspec.structs.replace(fixture.run.source, **source))
    stand.store.write(msgspec.structs.replace(fixture, name=name, run=run))


def document(stand: Stand, *words: str, code: int = 0) -> list[dict[str, Any]]:
    made = json.loads(stand.stepfork("capture", "--refresh", *words, "--yes", "--json", code=code).out)
    SCHEMA.validate(made)
    rows: list[dict[str, Any]] = made["refreshed"]
    return rows


def test_one_command_in_two_folders_is_asked_about_twice(shop: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `python agent.py` runs depends on the folder."""
    (shop.root / "inner").mkdir()
    unusual(shop, "b", cwd="inner")
    answers(monkeypatch, "n", "n")
    said = shop.stepfork("capture", "--refresh", "a", "b", code=1)
    assert said.err.count("run it [y/N]") == 2
    assert said.err.count("command   python agent.py   in ") == 2
    assert "/inner\n          for b\n" in said.err


def test_names_may_stand_anywhere_and_one_name_is_one_document(shop: Stand) -> None:
    said = shop.stepfork("capture", "--refresh", "a", "--yes", "--json")
    made = json.loads(said.out)
    SCHEMA.validate(made)
    assert (made["name"], made["diff"]["changed"]) == ("a", True)
    rows = document(shop, "b", "a")
    assert [(row["name"], row["status"], row["result"]["diff"]["changed"]) for row in rows] == [
        ("b", "refreshed", True),
        ("a", "refreshed", False),
    ]


def test_one_consent_for_each_distinct_command_and_a_no_stops_only_its_own(
    shop: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(monkeypatch, "y", "n")
    said = shop.stepfork("capture", "--refresh", "--all", code=1)
    assert said.err.count("run it [y/N]") == 2
    assert "command   python agent.py   in " in said.err
    assert "          for a, b\n" in said.err
    assert [says(shop, name) for name in "abc"] == ["user: after", "user: after", "user: before"]
    assert said.err.endswith(
        "3 fixtures: 2 changed, 1 declined\n"
        "  a   changed, captured: nothing to verify\n"
        "  b   changed, captured: nothing to verify\n"
        "  c   declined\n"
        "next: stepfork capture --refresh c\n"
    )


def test_what_cannot_be_refreshed_stops_nothing_else(shop: Stand) -> None:
    unusual(shop, "hidden", command=("python", "agent.py", "--key=[redacted]"))
    unusual(shop, "spans", kind="otlp_file", command=(), replay_capable=False)
    rows = document(shop, "hidden", "spans", "a", code=2)
    assert [(row["name"], row["status"], row["result"] is not None) for row in rows] == [
        ("hidden", "refused", False),
        ("spans", "refused", False),
        ("a", "refreshed", True),
    ]
    assert "was redacted or templated" in rows[0]["problem"]
    told = shop.stepfork("capture", "--refresh", "spans", "a", "--yes", "--format", "github", code=2).out
    assert told.startswith(
        "::error file=.stepfork/fixtures/spans.json,title=stepfork capture spans::fixture 'spans' came"
    )
    assert told.count("\n") == 1
    rows = document(shop, "--all", code=2)
    assert [(row["name"], row["status"]) for row in rows][-2:] == [("hidden", "refused"), ("spans", "skipped")]


def test_words_that_no_fixture_is_called_are_named_on_one_line_before_anything_is_asked(shop: Stand) -> None:
    said = shop.stepfork("capture", "--refresh", "a", "--", "python", "../x\x1b[2J", code=2)
    assert said.err == (
        "stepfork capture: there is no fixture 'python' or '../x\\x1b[2J'; --refresh takes names that stepfork ls "
        "shows, and no command\n"
    )
    assert shop.model.asked == []


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"kind": "otlp_file", "command": ()}, "came from a file of spans, which has no command"),
    ({"kind": "in_process", "command": ()}, "was recorded in process, which has no command"),
    ({"command": ()}, "has no command to run again"),
    ({"command": ("python", "agent.py", "[redacted]")}, "was redacted or templated"),
    ({"command": ("python", "agent.py", "{{email_1}}")}, "was redacted or templated"),
    ({"cwd": "[redacted]"}, "was redacted or templated"),
    ({"cwd": "gone"}, "the folder to run the command in does not exist"),
    ({"command": ("no-such-program",)}, "no-such-program: command not found"),
    ({"flags": ("--from-the-future",)}, "was captured with options that this stepfork does not know"),
]


def test_refusals_are_one_line_before_anything_runs(stand: Stand) -> None:
    stand.capture("ask('hi')", name="a")
    for source, says in REFUSED:
        unusual(stand, "odd", **source)
        refused = stand.stepfork("capture", "--refresh", "odd", "--yes", code=2)
        assert says in refused.err
        assert refused.err.count("\n") == 1
    assert len(stand.model.asked) == 1


def test_it_asks_and_runs_nothing_where_nobody_can_answer(stand: Stand) -> None:
    stand.capture("ask('hi')")
    refused = stand.stepfork("capture", "--refresh", "case", code=2).err.splitlines()
    assert refused[0].startswith("command   python agent.py   in ")
    assert refused[1].startswith("stepfork capture: nobody can be asked here; read the command above")
    assert len(stand.model.asked) == 1


def test_every_command_is_shown_where_nobody_can_answer(shop: Stand) -> None:
    """The advice is to read them and add --yes, which runs them all."""
    refused = shop.stepfork("capture", "--refresh", "--all", code=2).err.splitlines()
    assert [line.split()[0] for line in refused] == ["command", "for", "command", "for", "stepfork"]
    assert refused[-1].endswith("read the commands above, then add --yes")


def test_a_no_is_taken_for_one_alone(shop: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, "n")
    assert shop.stepfork("capture", "--refresh", "a", code=1).err.endswith("a: declined, nothing was run\n")


def test_c034_what_a_recording_answers_is_redacted_again(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    password = "-".join(("blue", "parrot", "1042"))
    choice = {"index": 0, "message": {"role": "assistant", "content": f"It is {password}."}, "finish_reason": "stop"}
    body = json.dumps({"choices": [choice]}).encode()
    stand.capture("ask('hi')", lambda asked, line: line.whole(body, "Content-Type: application/json"))
    assert password in stand.store.manifest_path("case").read_text()  # nobody knew then
    monkeypatch.setenv("SHOP_PASSWORD", password)
    said = stand.stepfork("capture", "--refresh", "case", "--yes", "--reuse")
    assert "1 of 1 answered from the recording" in said.err
    assert password not in said.err + said.out
    for path in stand.store.root.rglob("*"):
        assert path.is_dir() or password not in path.read_text()


def test_c040_a_secret_of_the_command_is_in_no_file_and_no_refresh(stand: Stand) -> None:
    secret = "-".join(("abc", "123"))
    stand.agent(TWICE)
    stand.stepfork("capture", "--name", "case", "--", "env", f"SHOP_TOKEN={secret}", "python", "agent.py")
    written = [path for folder in (".stepfork", "tests") for path in (stand.root / folder).rglob("*")]
    assert stand.root / "tests" / "stepfork" / "test_case.py" in written
    for path in written:
        assert path.is_dir() or secret not in path.read_text()
    assert "was redacted or templated" in stand.stepfork("capture", "--refresh", "case", "--yes", code=2).err


def test_c099_a_refresh_of_one_touches_no_other(shop: Stand) -> None:
    before = shop.files()
    shop.stepfork("capture", "--refresh", "a", "--yes")
    after = shop.files()
    kept = {name for name in before if name.startswith("fixtures/")} - {"fixtures/a.json"}
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}
    shop.stepfork("fsck")


def test_a_fixture_with_a_world_is_not_refreshed(stand: Stand) -> None:
    stand.capture("ask('hi')", name="a")
    path = stand.store.manifest_path("a")
    path.write_text(path.read_text().replace('"world": null', '"world": {"state": {}}'))
    assert "fixtures/a.json: $.world" in stand.stepfork("capture", "--refresh", "a", "--yes", code=2).err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--refresh"], "takes the names of fixtures, --all, or --affected"),
        (["--refresh", "a", "--all"], "takes the names of fixtures, --all, or --affected"),
        (["--refresh", "a", "--name", "b"], "--refresh takes names alone"),
        (["--refresh", "a", "--expect-fail"], "--refresh takes names alone"),
        (["--name", "a", "--reuse", "--", "x"], "--reuse goes with --refresh"),
        (["--refresh", "a", "--format", "xml"], "--format is text or github"),
        (["--refresh", "a", "--json", "--format", "github"], "both want stdout"),
    ],
)
def test_options_that_do_not_go_together(stand: Stand, words: list[str], says: str) -> None:
    refused = stand.stepfork("capture", *words, code=2)
    assert says in refused.err
    assert refused.err.count("\n") == 1


def test_a_dry_run_reports_and_writes_nothing(shop: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    before = shop.files()
    said = shop.stepfork("capture", "--refresh", "a", "--yes", "--dry-run")
    assert said.line("stored") == "stored        nothing (--dry-run)"
    assert "+ after" in said.err
    shop.agent("sys.exit(1)")
    said = shop.stepfork("capture", "--refresh", "a", "--yes", "--dry-run", code=1)
    assert "cause" in said.err
    assert shop.files() == before
    assert not (shop.store.root / "failed").exists()
    assert not (shop.root / "tests").exists()
    shop.agent(SAYS)
    answers(monkeypatch, "y", "n")
    said = shop.stepfork("capture", "--refresh", "a", "--dry-run")
    assert said.err.index("+ after") < said.err.index("keep it [y/N]")
    assert shop.files() == before
    answers(monkeypatch, "y")  # and then the terminal is gone
    words = ["--refresh", "a", "--dry-run", "--result-file", "result.json"]
    assert "keep it" in shop.stepfork("capture", *words, code=INTERRUPTED).err
    assert json.loads((shop.root / "result.json").read_text())["fixture"] is None
    assert shop.files() == before
    answers(monkeypatch, "y", "y")
    said = shop.stepfork("capture", "--refresh", "a", "--dry-run")
    assert "stored        3 files, " in said.err.splitlines()[-3]
    assert said.err.splitlines()[-1] == "next: git add .stepfork"
    assert says(shop, "a") == "user: after"


def test_reuse_pays_for_what_is_new_alone(stand: Stand) -> None:
    stand.capture("for text in ('one', 'two', 'three'): ask(text)")
    before = stand.files()
    said = stand.stepfork("capture", "--refresh", "case", "--yes", "--reuse")
    assert "3 of 3 answered from the recording" in said.err
    assert "          recorded answers ask for no tool\n" in said.err
    assert [line for line in said.err.splitlines() if line.startswith("case: no ")] == [
        "case: no semantic change (3 exchanges)"
    ]
    assert (len(stand.model.asked), stand.files()) == (3, before)
    stand.agent("for text in ('one', 'other', 'three'): ask(text)")
    made = json.loads(stand.stepfork("capture", "--refresh", "case", "--yes", "--reuse", "--json").out)
    assert made["reused"] == 1
    assert [json.loads(asked.body)["messages"][0]["content"] for asked in stand.model.asked[3:]] == ["other", "three"]
    next(path for path in (stand.store.root / "objects").rglob("*.json")).unlink()
    assert (
        "nothing of it can be reused" in stand.stepfork("capture", "--refresh", "case", "--reuse", "--yes", code=2).err
    )


def test_an_interruption_keeps_what_is_done_and_says_what_is_left(shop: Stand) -> None:
    shop.agent(
        "import signal, time\n"
        f"if '--other' not in sys.argv: {SAYS}; sys.exit()\n"
        "signal.signal(signal.SIGINT, lambda number, frame: os._exit(130))\n"
        "ask('c'); os.kill(os.getppid(), signal.SIGINT)\nwhile True: time.sleep(0.01)"
    )
    said = shop.stepfork("capture", "--refresh", "a", "c", "b", "--yes", code=INTERRUPTED)
    assert [says(shop, name) for name in "acb"] == ["user: after", "user: before", "user: before"]
    assert said.err.splitlines()[-5:-3] == [
        "3 fixtures: 1 changed, 1 failed, 1 not run",
        "  a   changed, captured: nothing to verify",
    ]
    assert said.err.splitlines()[-1] == "next: stepfork capture --refresh c b"


def test_a_refresh_that_fails_keeps_the_old_fixture_and_one_that_is_not_verified_replaces_it(shop: Stand) -> None:
    shop.agent("if '--other' in sys.argv: sys.exit(4)\nask('after'); export(span(1), span(2))")
    rows = document(shop, "a", "c", code=1)
    assert [(row["name"], row["status"]) for row in rows] == [("a", "not_verified"), ("c", "failed")]
    assert [says(shop, name) for name in "ac"] == ["user: after", "user: before"]


def test_a_test_that_is_there_is_its_authors(stand: Stand) -> None:
    stand.capture(TWICE)
    test = stand.root / "tests" / "stepfork" / "test_case.py"
    test.write_text("# case, edited\n")
    said = stand.stepfork("capture", "--refresh", "case", "--yes")
    assert said.line("test") == "test          tests/stepfork/test_case.py (there already, left as it is)"
    assert test.read_text() == "# case, edited\n"


def test_an_incident_that_is_gone_is_a_healthy_run_from_then_on(stand: Stand) -> None:
    stand.agent(TWICE)
    stand.stepfork("capture", "--name", "case", "--expect-fail", "--require-spans", "--", "python", "agent.py")
    bound = [one for one in stand.manifest()["contracts"] if one["kind"] == "tool_cardinality"]
    stand.agent(TWICE.replace(", refund(3)", ""))
    said = stand.stepfork("capture", "--refresh", "case", "--yes")
    assert "case: the incident is gone, every contract holds" in said.err
    assert "incident (1 expected to fail) → verified" in said.err
    manifest = stand.manifest()
    assert manifest["source"]["flags"] == ["--require-spans"]
    assert (manifest["verification"]["verified"], manifest["verification"]["expect_fail"]) == (True, False)
    assert [one for one in manifest["contracts"] if one["kind"] == "tool_cardinality"] == bound
