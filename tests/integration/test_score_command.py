"""`stepfork score`: what it prints, its exit codes, and that nothing of a test is run."""

from __future__ import annotations

import io
import json
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec import UNSET

from stepfork.cli.app import main
from tests.integration.exported import RECORDED, WANTED, booking, bundle, edited

CALLED = {"called": ["search_flights"]}
PORTO = {"arguments": [{"name": "search_flights", "value": {"city": "Porto"}}]}
ANOTHER = {"called": ["book_flight"]}


def scored(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["score", *arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(scored(capsys, *arguments, "--json")[1])
    schema = json.loads(resources.files("stepfork").joinpath("schemas/score.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(made)
    return made


def test_the_booking_example(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    test = booking(project, agent="open('ran', 'w')\n")
    edited(test, ("\n\n\ndef ", "\nopen('ran', 'w')\n\n\ndef "))
    assert scored(capsys, test.name) == (
        0,
        "claim-pinned: rejected 7/7 mutants\n"
        "pins: 1 live (selected_flight); 2 leaf(s) reproduce the run (destination, plan)\n",
        "",
    )
    assert not (project / "ran").exists()
    told = as_json(capsys, test.name)
    assert told["verdict"] == "claim-pinned"
    assert told["expectation"]["pins"] == {
        "live": ["selected_flight"],
        "reproduced": ["destination", "plan"],
        "hidden": [],
        "unnamed": [],
    }


def test_the_recorded_output_is_run_pinned_with_exit_code_1(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    test = booking(project, expectation=RECORDED)
    code, out, err = scored(capsys, test.name)
    assert (code, err) == (1, "")
    assert out.startswith("run-pinned: rejected 6/7 mutants")
    assert "pins: 0 live; 3 leaf(s) reproduce the run (destination, selected_flight, plan)\n" in out
    (project / "expected.json").write_text(json.dumps(WANTED))
    assert scored(capsys, test.name, "--expect-output", "expected.json")[0] == 0


def test_many_places_are_folded_and_all_are_in_the_document(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = {f"leaf_{number}": "expected" for number in range(500)}
    test = booking(project, expectation=wanted, output=dict.fromkeys(wanted, "recorded"))
    code, out, _ = scored(capsys, test.name)
    assert code == 0
    assert out.splitlines()[0] == "claim-pinned: rejected 1001/1001 mutants"
    assert "pins: 500 live (leaf_0, leaf_1, " in out
    assert "leaf_19, … and 480 more); 0 leaf(s) reproduce the run\n" in out
    assert len(as_json(capsys, test.name)["expectation"]["pins"]["live"]) == 500


@pytest.mark.parametrize(
    ("expected", "code", "verdicts"),
    [
        ((WANTED, None), 0, ("claim-pinned", "claim-pinned", None)),
        ((RECORDED, CALLED), 1, ("run-pinned", "run-pinned", "run-pinned")),
        ((RECORDED, ANOTHER), 0, ("claim-pinned", "run-pinned", "claim-pinned")),
        ((WANTED, CALLED), 0, ("claim-pinned", "claim-pinned", "run-pinned")),
        ((..., ANOTHER), 0, ("claim-pinned", None, "claim-pinned")),
        ((..., CALLED), 1, ("run-pinned", None, "run-pinned")),
        ((None, None), 0, ("claim-pinned", "claim-pinned", None)),
        ((..., PORTO), 0, ("claim-pinned", None, "claim-pinned")),
        ((..., {"max_steps": 1}), 1, ("run-pinned", None, "run-pinned")),
    ],
)
def test_trajectories_are_scored_too(
    expected: tuple[Any, Any], code: int, verdicts: tuple[Any, ...], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expectation, trajectory = expected
    test = booking(project, expectation=UNSET if expectation is ... else expectation, trajectory=trajectory)
    got, out, _ = scored(capsys, test.name)
    assert got == code
    assert out.startswith(verdicts[0])
    assert ("trajectory" in out) is (trajectory is not None)
    told = as_json(capsys, test.name)
    parts = (told["expectation"], told["trajectory"])
    assert (told["verdict"], *(None if part is None else part["verdict"] for part in parts)) == verdicts


def test_a_null_expectation_and_an_annotated_one(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither is no expectation: each has a verdict of its own."""
    test = booking(project, expectation=None, output=None)
    assert scored(capsys, test.name)[0] == 1
    edited(test, ("EXPECTATION = None\nHAS", "EXPECTATION: dict | None = None\nHAS"))
    assert scored(capsys, test.name)[0] == 1
    edited(test, ("EXPECTATION: dict | None = None", 'EXPECTATION: dict = {"a": 1}'))
    assert scored(capsys, test.name)[0] == 0


def test_what_cannot_be_said_is_exit_code_2_in_one_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    test = booking(project, expectation=UNSET)
    (project / "bad.json").write_text('{"a": 1, "a": 2}')
    (project / "deep.json").write_text("[" * 100_000)
    draft = project / "other.sftrace"
    draft.mkdir()
    (draft / "manifest.json").write_text("[" * 100_000)
    (project / "plain.json").write_text("{}")
    cases = [
        (test.name,),
        ("none.py",),
        ("agent.py",),
        (".",),
        (test.name, "--expect-output", "none.json"),
        (test.name, "--expect-output", "bad.json"),
        (test.name, "--expect-output", "deep.json"),
        (test.name, "--expect-output", "."),
        *(
            (test.name, "--expect-output", "plain.json", "--bundle", name)
            for name in ("none", "other.sftrace", ".", test.name)
        ),
    ]
    for arguments in cases:
        code, out, err = scored(capsys, *arguments)
        assert (code, out) == (2, ""), arguments
        assert err.startswith("stepfork score: ")
        assert err.count("\n") == 1
    assert "no expectation to score" in scored(capsys, test.name)[2]


def test_a_run_that_raised_leaves_it_undetermined(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    test = booking(project)
    bundle(project, raised=True, name="raised")
    code, out, _ = scored(capsys, test.name, "--bundle", "raised.sftrace")
    assert (code, out) == (
        2,
        "undetermined: rejected 6/6 mutants, which cannot separate a claim from a copy: "
        "the recorded run has no output\n",
    )
    assert as_json(capsys, test.name, "--bundle", "raised.sftrace")["verdict"] == "undetermined"


def test_an_expectation_that_has_nothing_of_the_run_is_noticed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = scored(capsys, booking(project, expectation={"answer": 42}).name)
    assert code == 0
    assert "unnamed: 3 place(s) that only the run has (destination, plan, selected_flight)" in out
    assert "was it written for this run?" in err


def test_odd_names_reach_no_terminal_and_differ(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["[/nope]", "[link]", "[link2]", "\x1b[31mred", "a.b", "a b", "", "é", "##[error]", "\u202etxt"]
    test = booking(project, expectation=dict.fromkeys(names, 1), output=dict.fromkeys(names, 2))
    code, out, _ = scored(capsys, test.name)
    assert code == 0
    assert out.isprintable() or out.replace("\n", "").isprintable()
    assert '["[/nope]"], ["[link]"], ["[link2]"]' in out
    assert '["a.b"]' in out
    assert "##[error]" not in out
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stdout)
    assert main(["score", test.name]) == 0
    stdout.seek(0)
    assert '["\\xe9"]' in stdout.read()


def test_a_secret_in_a_name_is_not_shown(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = "sk-proj-" + "Zq8" * 16
    test = booking(project, expectation={secret: 1}, output={"x": 1})
    for told in (scored(capsys, test.name)[1], json.dumps(as_json(capsys, test.name))):
        assert secret not in told
        assert "[redacted]" in told


@pytest.mark.parametrize(
    ("trajectory", "never"),
    [
        (ANOTHER, True),
        (PORTO, True),
        ({"counts": {"search_flights": 2}}, True),
        (CALLED, False),
        ({"max_steps": 1}, False),
    ],
)
def test_a_trajectory_that_the_recorded_calls_cannot_meet_is_told_beside_the_verdict(
    trajectory: Any, never: bool, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    test = booking(project, trajectory=trajectory)
    code, out, err = scored(capsys, test.name)
    assert (code, out.partition(":")[0]) == (0, "claim-pinned")
    assert ("the test fails on any code, the fixed one too" in err) is never
    assert err.count("\n") == never
