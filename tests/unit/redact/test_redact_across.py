"""What several strings spell together, and what they do not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stepfork.redact.across import Across
from stepfork.redact.redactor import Redactor, redact_run
from stepfork.redact.secrets import Secrets
from stepfork.rewrite.place import Place
from stepfork.rewrite.value import rewrite_value
from stepfork.trace.body import EventsBody, JsonBody, TextBody
from stepfork.trace.step import Step, Trace
from tests.unit.redact.samples import EVERY, GITHUB, HEX32, OPENAI, PEM
from tests.unit.redact.test_redact_runs import run_of

R = "[redacted]"
VALUE = "lettersonlysecret"
KNOWN = Secrets.collect({"SERVICE_TOKEN": VALUE, "LONG_KEY": PEM * 2}, {})


def redacted(value: Any, secrets: Secrets = KNOWN) -> Any:
    made = rewrite_value(value, Place(()), Redactor(secrets))
    assert rewrite_value(made, Place(()), Redactor(secrets)) == made
    return made


@pytest.mark.parametrize("secret", [VALUE, GITHUB, OPENAI, *EVERY])
@pytest.mark.parametrize("at", [1, 5, 12])
def test_a_secret_that_goes_from_one_text_into_the_next(secret: str, at: int) -> None:
    assert redacted([f"x {secret[:at]}", secret[at : at + 1], f"{secret[at + 1 :]} y"]) == [f"x {R}", "", " y"]


@pytest.mark.parametrize(
    "texts",
    [
        [OPENAI, "backup"],
        ["sk", "-backup-2024", "task", "-x1"],
        ["Bearer", HEX32],
        [GITHUB, GITHUB],
        ["abc", OPENAI, "def"],
        ["api_key", "token", "secret", "backup"],
        ["", "", ""],
    ],
)
def test_a_text_that_is_whole_in_itself_does_not_go_on_in_the_next(texts: list[str]) -> None:
    assert redacted(texts) == [redacted(text) for text in texts]


def test_a_known_value_goes_on_where_a_shape_is_whole() -> None:
    value = OPENAI + "0moreOfTheSame1"
    secrets = Secrets.collect({"A_KEY": value}, {})
    assert redacted([f"x {OPENAI}", "0moreOfTheSame1 y"], secrets) == [f"x {R}", " y"]
    assert redacted([f"x {OPENAI}", "0moreOfTheSame1 y"], Secrets({})) == [f"x {R}", "0moreOfTheSame1 y"]


def test_a_name_in_one_text_introduces_a_value_in_the_next() -> None:
    assert redacted(["the api_key is: api_key=", HEX32, " ok"]) == ["the api_key is: api_key=", R, " ok"]


def test_long_texts_are_read_where_they_meet() -> None:
    filler = "lorem ipsum dolor " * 2000
    made = redacted([filler + VALUE[:8], VALUE[8:] + filler + PEM[:90], PEM[90:] + filler])
    assert made == [filler + R, filler + R, filler]
    read = Across([filler, filler, filler], KNOWN.matcher)
    assert len(read.text) < len(filler) * 0.6
    assert read.spans() == []


def test_where_a_long_text_is_cut_for_reading_nothing_begins() -> None:
    """What stands before the cut decides whether a key begins there: this is a word that ends in ``sk-``."""
    texts = ["a" * 9000 + "ta" + ("sk-" + OPENAI[8:] * 200)[:4096], "Zz9"]
    assert redacted(texts) == texts


def test_blocks_of_a_message_and_results_of_tools() -> None:
    blocks = [{"type": "text", "text": f"see {VALUE[:5]}"}, {"type": "text", "text": f"{VALUE[5:]}."}]
    left = [{"type": "text", "text": f"see {R}"}, {"type": "text", "text": "."}]
    trace = Trace("spans", (Step("tool_call", "t", 1, 2, arguments={"a": json.dumps(blocks)}, result=blocks),))
    run = run_of(request=JsonBody({"messages": [{"role": "user", "content": blocks}]}), trace=trace)
    made, findings = redact_run(run, KNOWN)
    body, step = made.exchanges[0].request.body, made.trace.steps[0]
    assert isinstance(body, JsonBody)
    assert body.value["messages"][0]["content"] == left == step.result
    assert isinstance(step.arguments, dict)
    assert json.loads(step.arguments["a"]) == left
    assert [found.path for found in findings] == [
        "/exchanges/0/request/body/messages/0/content/0/text",
        "/trace/steps/0/arguments/a/0/text",
        "/trace/steps/0/result/0/text",
    ]


def test_lines_of_json_and_streams_of_any_dialect_are_told_by_their_document() -> None:
    pieces = ["see ", VALUE[:4], VALUE[4:], "."]
    lines = "\n".join(json.dumps({"out": {"part": piece}}) for piece in pieces)
    events = tuple(f"data: {json.dumps({'out': {'part': piece}})}" for piece in pieces)
    array = JsonBody([{"out": {"part": piece}} for piece in pieces])
    for body, where in (
        (TextBody(lines), "/body (document 1)"),
        (EventsBody(events), "/body (event 1)"),
        (array, "/body/1/out/part"),
    ):
        made, findings = redact_run(run_of(response=body), KNOWN)
        assert [found.path for found in findings] == [f"/exchanges/0/response{where}"]
        assert VALUE[4:] not in repr(made)
