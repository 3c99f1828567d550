"""The report as one JSON document, against its published schema."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from stepfork.canonical.encode import dumps
from stepfork.cli.render.diff_json import diff_document, report_document
from stepfork.diff.fixture_diff import DiffOptions, diff_fixtures
from stepfork.trace.body import EventsBody
from stepfork.trace.fixture import Fixture
from tests.unit.diff.conversations import SYSTEM, TURNS, asks, conversation, fixture

TOOL = {"type": "function", "function": {"name": "issue_refund", "parameters": {"type": "object"}}}
TWICE = [TURNS[0], [*TURNS[1], *TURNS[1]], [("audit", {}, "noted")], *TURNS[2:]]
CASES: list[tuple[Fixture | None, Fixture | None]] = [
    (fixture(conversation()), fixture(conversation())),
    (fixture(conversation()), fixture(conversation(system=SYSTEM.replace("once", "twice")))),
    (
        fixture(conversation()),
        fixture(conversation(TWICE, final="x", tools=[TOOL], model="m"), name="later", exit_code=1),
    ),
    (fixture(conversation(TWICE)), fixture(conversation())),
    (fixture([asks("a", top_p=1), asks("b")]), fixture([asks("b"), asks("a", top_p=1.0, stop=None)])),
    (None, fixture(conversation())),
    (fixture(conversation()), None),
]


def schema() -> Any:
    return json.loads(resources.files("stepfork").joinpath("schemas/diff.schema.json").read_text("utf-8"))


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize("all_parts", [False, True])
def test_documents_satisfy_the_schema(case: int, all_parts: bool) -> None:
    old, new = CASES[case]
    document = diff_document(diff_fixtures(old, new, DiffOptions(responses=all_parts, trace=all_parts)))
    Draft202012Validator(schema()).validate(json.loads(dumps(document)))


def test_an_unchanged_pair_lists_no_exchange() -> None:
    document = diff_document(diff_fixtures(*CASES[0]))
    assert (document["changed"], document["exchanges"]) == (False, [])


def test_an_exchange_lists_what_differs_in_it_and_nothing_else() -> None:
    document = diff_document(diff_fixtures(*CASES[1]))
    lines = [{"op": "-", "text": "You refund once."}, {"op": "+", "text": "You refund twice."}]
    used = {"input_tokens": 100, "output_tokens": 10, "cost": None}
    assert document["exchanges"] == [
        {
            "fixture": "refund",
            "index": index,
            "change": "changed",
            "label": "openai chat_completions gpt-4.1",
            "usage": {"old": used, "new": used, "difference": used | {"input_tokens": 0, "output_tokens": 0}},
            "system": lines,
        }
        for index in range(5)
    ]
    [change] = document["fixtures"][0]["changes"]
    assert (change["exchanges"], change["lines"]) == ([0, 1, 2, 3, 4], lines)


def test_a_null_is_there_and_an_absent_side_is_not() -> None:
    document = diff_document(diff_fixtures(fixture([asks("a", stop=None)]), fixture([asks("a", seed=None)])))
    assert document["exchanges"][0]["params"] == [
        {"path": "/seed", "change": "added", "new": None},
        {"path": "/stop", "change": "removed", "old": None},
    ]


def test_several_pairs_are_one_document() -> None:
    document = report_document([diff_fixtures(old, new) for old, new in CASES])
    Draft202012Validator(schema()).validate(json.loads(dumps(document)))
    assert document["changed"] is True
    assert len(document["fixtures"]) == len(CASES)
    assert {entry["fixture"] for entry in document["exchanges"]} == {"refund", "later"}


def test_c114_strings_are_as_recorded() -> None:
    codes = "\x1b[2J\u202e"
    document = diff_document(diff_fixtures(fixture([asks("x")]), fixture([asks(codes, model=codes)])))
    assert document["exchanges"][0]["messages"][0]["lines"][1]["text"] == codes
    assert document["exchanges"][0]["model"]["new"] == codes


def test_every_string_is_redacted_again() -> None:
    word = "hunter" + "2" * 6
    tool = {"type": "function", "function": {"name": word, "description": word, "parameters": {word: [word]}}}
    new = fixture(conversation(TWICE, system=word, user=word, final=word, tools=[tool], model=word), name=word)
    diff = diff_fixtures(CASES[0][0], new, DiffOptions(responses=True, trace=True))
    document = diff_document(diff, clean=lambda text: text.replace(word, "[redacted]"))
    assert word not in json.dumps(document)
    assert json.dumps(document).count("[redacted]") > 10


def test_a_secret_of_many_lines_is_seen_whole() -> None:
    block = "-----BEGIN\nabc\n-----END"
    diff = diff_fixtures(fixture([asks("x\ny")]), fixture([asks(f"x\n{block}\ny")]))
    document = diff_document(diff, clean=lambda text: text.replace(block, "[redacted]"))
    assert document["exchanges"][0]["messages"][0]["lines"] == [{"op": "+", "text": "[redacted]"}]


def test_a_lone_surrogate_in_a_stream_still_makes_a_document() -> None:
    one = asks("x")

    def streamed(text: str) -> Fixture:
        event = f'data: {{"choices": [{{"index": 0, "delta": {{"content": "{text}"}}, "finish_reason": "stop"}}]}}'
        response = msgspec.structs.replace(one.response, body=EventsBody((event, "data: [DONE]", "")))
        return fixture([msgspec.structs.replace(one, response=response)])

    diff = diff_fixtures(streamed("a"), streamed("\\ud800"), DiffOptions(responses=True))
    assert diff.changed
    Draft202012Validator(schema()).validate(json.loads(dumps(diff_document(diff))))


def test_a_secret_that_a_summary_would_cut_is_gone_before() -> None:
    word = "hunter" + "2" * 6
    new = fixture([*[asks("x")] * 2, asks("y" * 190 + word)])
    document = diff_document(diff_fixtures(fixture([asks("x")] * 2), new), clean=lambda text: text.replace(word, "*"))
    assert "hunter" not in json.dumps(document)


def test_the_example_of_the_reference_satisfies_the_schema() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "diff.md").read_text("utf-8")
    example = page.partition("```json\n")[2].partition("```")[0]
    Draft202012Validator(schema()).validate(json.loads(example))
