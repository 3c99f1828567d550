"""stepfork replay --entrypoint, as it is typed."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

import stepfork
from stepfork.store.bundle import read_bundle, write_bundle
from stepfork.store.drafts import CAUSES
from tests.integration.stand import Said, Stand

AGENT = """
import os, sys
import stepfork

@stepfork.trace_tool
def search(city):
    raise AssertionError("the body ran")

@stepfork.trace_tool
def book(flight, who):
    raise AssertionError("the body ran")

def run(task):
    found = search(task["city"])
    return book(found[0], task["who"])

def loud(task):
    print("printed by the agent")
    os.system("echo printed by a process")
    return run(task)

def other(task):
    found = search(task["city"])
    try:
        book(found[1], task["who"])
    except Exception:
        pass
    return "all is well"

def less(task):
    return search(task["city"])[0]

def fails(task):
    run(task)
    raise ValueError("denied for " + os.environ["SHOP_API_KEY"])

def leaves(task):
    run(task)
    sys.exit(0)

def stops(task):
    raise KeyboardInterrupt
"""
KEY = "x9" + "Kq27Lm" * 4


@pytest.fixture
def shop(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stand]:
    """A stand with the bundle `booking.sftrace`, and an agent that no other test has imported."""
    (stand.root / "zz_agent.py").write_text(AGENT)

    @stepfork.trace_tool
    def search(city: str) -> list[str]:
        return [f"{city}-1", f"{city}-2"]

    @stepfork.trace_tool
    def book(flight: str, who: str) -> str:
        return f"{flight} for {who}"

    def run(task: dict[str, str]) -> str:
        return book(search(task["city"])[0], task["who"])

    with stepfork.record("booking", output="booking.sftrace") as capture:
        capture.run(run, {"city": "Paris", "who": "ada@example.org"})
    monkeypatch.setenv("SHOP_API_KEY", KEY)
    yield stand
    sys.modules.pop("zz_agent", None)


def replay(shop: Stand, name: str, *words: str, code: int = 0) -> Said:
    return shop.stepfork("replay", "booking.sftrace", "--entrypoint", f"zz_agent:{name}", *words, code=code)


def test_a_replay_says_what_was_substituted_and_what_ran(shop: Stand) -> None:
    said = replay(shop, "run")
    assert said.out == ""
    assert said.err.splitlines()[0].startswith("booking: replayed, 2 calls answered  ")
    assert said.line("substituted") == "substituted        search, book"
    assert said.line("ran") == "ran                no tool"
    assert said.line("output") == "output             as recorded"
    assert all(len(line) <= 80 for line in said.err.splitlines())


def test_a_divergence_says_the_first_difference_and_what_to_do(shop: Stand) -> None:
    said = replay(shop, "other", code=1)
    lines = said.err.splitlines()
    assert lines[0].startswith("booking: diverged at call 2 of 2  ")
    assert lines[0].endswith("exit 1")
    assert lines[1:4] == [
        "  first difference   book, its input at flight",
        '      - "Paris-1"',
        '      + "Paris-2"',
    ]
    assert lines[-1] == "if the change is wanted: record the changed run, and export from that"


def test_calls_that_were_not_made_are_listed_by_name_and_input(shop: Stand) -> None:
    said = replay(shop, "less", code=1)
    assert said.err.startswith("booking: diverged, 1 of 2 recorded calls not made")
    assert said.line("cause").startswith(
        'cause              call 2 was recorded and not made: book {"flight": "Paris-1"'
    )


def test_another_end_is_told_without_secrets(shop: Stand) -> None:
    said = replay(shop, "fails", code=1)
    assert said.err.startswith("booking: ended otherwise than recorded")
    assert said.line("cause").endswith(
        "the run ended with ValueError: denied for [redacted], the recorded one did not fail"
    )
    assert replay(shop, "leaves", code=1).line("cause").startswith("cause              the run ended with SystemExit")
    assert replay(shop, "stops", code=130).out == ""


@pytest.mark.parametrize("name", ["loud", "run", "other", "less", "fails"])
def test_the_document_has_stdout_to_itself_and_fits_its_schema(shop: Stand, name: str) -> None:
    code = 0 if name in ("loud", "run") else 1
    said = replay(shop, name, "--json", "--result-file", "result.json", code=code)
    document: dict[str, Any] = json.loads(said.out)
    schema = json.loads((Path(stepfork.__file__).parent / "schemas" / "frozen.schema.json").read_text())
    Draft202012Validator(schema).validate(document)
    assert document["passed"] is (code == 0)
    assert json.loads((shop.root / "result.json").read_text()) == document
    assert KEY not in said.out + said.err
    if name == "loud":
        assert "printed by the agent" in said.err
        assert "printed by a process" in said.err


def test_without_a_document_what_the_agent_prints_is_its_own(shop: Stand) -> None:
    assert replay(shop, "loud").out == "printed by the agent\nprinted by a process\n"


def test_a_live_tool_really_runs(shop: Stand) -> None:
    said = replay(shop, "run", "--mode", "live", "--allow-live-tool", "search", code=1)
    assert said.line("ran") == "ran                search"
    assert "AssertionError: the body ran" in said.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--entrypoint", "zz_agent:run", "--mode", "strict"], "--mode strict replays a command"),
        (["--entrypoint", "zz_agent:run", "--mode", "warm"], "--mode warm is none that there is"),
        (["--entrypoint", "zz_agent:run", "--mode", "live"], "names no tool that may run"),
        (["--entrypoint", "zz_agent:run", "--allow-live-tool", "book"], "add --mode live"),
        (["--entrypoint", "zz_agent:run", "--mode", "frozen", "--allow-live-tool", "book"], "add --mode live"),
        (["--entrypoint", "zz_agent:run", "--mode", "live", "--allow-live-tool", "erase"], "it has book, search"),
        (["--entrypoint", "zz_agent:run", "--executes", "book"], "--executes is for the replay of a command"),
        (["--entrypoint", "zz_agent:run", "--block-egress"], "--block-egress is for the replay of a command"),
        (["--entrypoint", "zz_agent:run", "--format", "github"], "--format github is for the replay of a command"),
        (["--entrypoint", "zz_agent:run", "--", "python", "agent.py"], "leave one of them out"),
        (["--mode", "frozen"], "add --entrypoint MODULE:FUNCTION"),
        (["--mode", "live", "--allow-live-tool", "book", "--", "python", "x.py"], "add --entrypoint MODULE:FUNCTION"),
        (["--entrypoint", "zz_agent:nope"], "zz_agent has no 'nope'"),
        (["--entrypoint", "zz_agent"], "write it as package.module:function"),
        (["--entrypoint", ""], "no name of a callable"),
    ],
)
def test_what_cannot_be_replayed_is_one_line(shop: Stand, words: list[str], says: str) -> None:
    said = shop.stepfork("replay", "booking.sftrace", *words, code=2)
    assert says in said.err
    assert len(said.err.splitlines()) == 1
    assert said.out == ""


def test_a_fixture_that_cannot_be_trusted_is_never_a_pass_and_imports_nothing(shop: Stand) -> None:
    (shop.root / "zz_agent.py").write_text("raise AssertionError('imported')\n")
    whole = read_bundle(Path("booking.sftrace"))
    files = [path for path in sorted(Path("booking.sftrace").rglob("*")) if path.is_file()]
    assert len(files) > 1
    for path in files:
        kept = path.read_bytes()
        middle = len(kept) // 2
        edited = kept[:middle] + bytes([kept[middle] ^ 1]) + kept[middle + 1 :]
        for damaged in (edited, kept[:-20], b"\xff" + kept, b"[" * 100_000, b'{"a": 1e999}', b"", None):
            if damaged is None:
                path.unlink()
            else:
                path.write_bytes(damaged)
            said = replay(shop, "run", code=2)
            assert len(said.err.splitlines()) == 1
            assert "imported" not in said.err
        path.write_bytes(kept)
    assert "its import raised AssertionError: imported" in replay(shop, "run", code=2).err
    shutil.rmtree("booking.sftrace")
    write_bundle(Path("booking.sftrace"), msgspec.structs.replace(whole, extensions={CAUSES: ["it broke off"]}))
    assert "is the draft" in replay(shop, "run", code=2).err


def test_a_manifest_that_somebody_edited_is_no_recording(shop: Stand) -> None:
    manifest = Path("booking.sftrace/manifest.json")
    kept = manifest.read_bytes()
    for at in range(40, len(kept), max(1, len(kept) // 25)):
        manifest.write_bytes(kept[:at] + bytes([kept[at] ^ 1]) + kept[at + 1 :])
        assert len(replay(shop, "run", code=2).err.splitlines()) == 1


def test_the_help_shows_both_ways(shop: Stand) -> None:
    said = shop.stepfork("replay", "--help")
    assert "--entrypoint MODULE:FUNCTION" in said.out
    assert "-- COMMAND..." in said.out
