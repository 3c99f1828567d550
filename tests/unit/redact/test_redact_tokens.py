"""Log probabilities say an answer once more, token by token: what was redacted there is redacted here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stepfork.providers.logprobs import token_rows
from stepfork.redact.redactor import redact_run
from stepfork.redact.secrets import Secrets
from stepfork.trace.body import EventsBody, JsonBody, TextBody
from tests.unit.redact.samples import GITHUB, OPENAI
from tests.unit.redact.test_redact_runs import run_of

R = "[redacted]"
KNOWN = Secrets.collect({"A_SECRET": "pässwörd-längër"}, {})
TOKENS = ["see ", OPENAI[:9], OPENAI[9:20], OPENAI[20:], " now"]
LEFT = ["see ", R, "", "", " now"]


def told(text: str, data: bytes | None = None, **more: Any) -> dict[str, Any]:
    return {"token": text, "logprob": -0.5, "bytes": list(text.encode() if data is None else data), **more}


def item(text: str) -> dict[str, Any]:
    return told(text, top_logprobs=[told(text), told("zz")])


def left(text: str, old: str) -> dict[str, Any]:
    return item(text) if text == old else told(text, top_logprobs=[told(text), told(text)])


def chat(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {"choices": [{"index": 0, "logprobs": {"content": rows, "refusal": None}, "message": {"content": "-"}}]}


def responses(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {"output": [{"type": "message", "content": [{"type": "output_text", "text": "-", "logprobs": rows}]}]}


FORMS = {
    "chat": (chat(list(map(item, TOKENS))), chat(list(map(left, LEFT, TOKENS)))),
    "responses": (responses(list(map(item, TOKENS))), responses(list(map(left, LEFT, TOKENS)))),
    "no bytes": (
        chat([{"token": token, "logprob": 0, "bytes": None} for token in TOKENS]),
        chat([{"token": token, "logprob": 0, "bytes": None} for token in LEFT]),
    ),
    "completions": (
        {"choices": [{"logprobs": {"tokens": TOKENS, "top_logprobs": [None, *({t: -1, "b": 0} for t in TOKENS[1:])]}}]},
        {"choices": [{"logprobs": {"tokens": LEFT, "top_logprobs": [None, {}, {}, {}, {" now": -1, "b": 0}]}}]},
    ),
    "gemini": (
        {"candidates": [{"logprobsResult": {
            "chosenCandidates": [{"token": token, "tokenId": 7, "logProbability": -1} for token in TOKENS],
            "topCandidates": [{"candidates": [{"token": token, "tokenId": 7}, {"token": "b"}]} for token in TOKENS]}}]},
        {"candidates": [{"logprobsResult": {
            "chosenCandidates": [
                {"token": new, "tokenId": 7 if new == old else 0, "logProbability": -1}
                for new, old in zip(LEFT, TOKENS, strict=True)],
            "topCandidates": [
                {"candidates": [{"token": old, "tokenId": 7}, {"token": "b"}] if new == old
                 else [{"token": new, "tokenId": 0}, {"token": new}]}
                for new, old in zip(LEFT, TOKENS, strict=True)]}}]},
    ),
    "inference": (
        {"details": {"tokens": [{"id": 5, "text": token, "logprob": 0} for token in TOKENS]}},
        {"details": {"tokens": [
            {"id": 5 if new == old else 0, "text": new, "logprob": 0} for new, old in zip(LEFT, TOKENS, strict=True)]}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_tokens_of_an_answer(form: str) -> None:
    document, expected = FORMS[form]
    made, findings = redact_run(run_of(response=JsonBody(document)), Secrets({}))
    body = made.exchanges[0].response.body
    assert isinstance(body, JsonBody)
    assert body.value == expected
    assert [found.rule for found in findings] == ["openai-key"]
    assert redact_run(made, Secrets({})) == (made, ())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("indent", [None, 2])
def test_tokens_in_json_text(form: str, indent: int | None) -> None:
    document, expected = FORMS[form]
    text = json.dumps(document, indent=indent)
    made, _ = redact_run(run_of(request=JsonBody({"tool": text}), response=TextBody(text)), Secrets({}))
    request, response = made.exchanges[0].request.body, made.exchanges[0].response.body
    assert isinstance(request, JsonBody)
    assert isinstance(response, TextBody)
    assert json.loads(request.value["tool"]) == json.loads(response.text) == expected


@pytest.mark.parametrize("api", ["chat_completions", "responses", "other"])
def test_tokens_of_a_stream(api: str) -> None:
    def chunk(token: str, row: dict[str, Any]) -> dict[str, Any]:
        if api == "responses":
            return {"type": "response.output_text.delta", "item_id": "m", "delta": token, "logprobs": [row]}
        return {"choices": [{"index": 0, "delta": {"content": token}, "logprobs": {"content": [row]}}]}

    done = {"type": "response.output_text.done", "logprobs": list(map(item, TOKENS))}
    chunks = [*(chunk(token, item(token)) for token in TOKENS), done]
    body = EventsBody((*(f"data: {json.dumps(one)}" for one in chunks), "data: [DONE]", ""))
    made, findings = redact_run(run_of(response=body), Secrets({}))
    events = made.exchanges[0].response.body
    assert isinstance(events, EventsBody)
    expected = [chunk(new, left(new, old)) for new, old in zip(LEFT, TOKENS, strict=True)]
    done = {**done, "logprobs": list(map(left, LEFT, TOKENS))}
    assert [json.loads(event[6:]) for event in events.events[:-2]] == [*expected, done]
    assert events.events[0] == body.events[0]
    assert {found.path for found in findings} >= {
        "/exchanges/0/response/body (event 1)",
        "/exchanges/0/response/body (event 5)",
    }
    assert redact_run(made, Secrets({})) == (made, ())


def test_a_character_that_two_tokens_share_is_read_by_its_bytes() -> None:
    data = "my pässwörd-längër!".encode()
    cuts = [data[:5], data[5:10], data[10:]]  # in the middle of ä, and of ö
    rows = [told(cut.decode("utf-8", "replace"), cut) for cut in cuts]
    made, _ = redact_run(run_of(response=JsonBody(chat(rows))), KNOWN)
    body = made.exchanges[0].response.body
    assert isinstance(body, JsonBody)
    rows = body.value["choices"][0]["logprobs"]["content"]
    assert [row["token"] for row in rows] == [f"my {R}", "", "!"]
    assert [bytes(row["bytes"]).decode() for row in rows] == [f"my {R}", "", "!"]


def test_a_name_that_stands_twice_hides_no_token() -> None:
    rows = json.dumps(chat([item("a"), item("b")])).replace('"token": "a"', f'"token": "{GITHUB}", "token": "a"', 1)
    made, _ = redact_run(run_of(response=TextBody(rows)), Secrets({}))
    body = made.exchanges[0].response.body
    assert isinstance(body, TextBody)
    assert body.text == rows.replace(GITHUB, R)


@pytest.mark.parametrize(
    "odd",
    [
        None, [], {}, "x", {"content": None}, {"content": [None, 1, "x", {}, {"token": 1}]}, {"tokens": {"a": 1}},
        {"content": [{"token": "a", "bytes": [300, "x"], "top_logprobs": [None, {"token": None}]}]},
        {"tokens": ["a"], "top_logprobs": [3]}, {"chosenCandidates": ["a"], "topCandidates": [{"candidates": [1]}]},
    ],
)  # fmt: skip
def test_what_is_no_row_of_tokens_is_left_alone(odd: Any) -> None:
    body = JsonBody({"choices": [{"logprobs": odd}], "details": odd})
    assert redact_run(run_of(response=body), Secrets({}))[0].exchanges[0].response.body == body
    list(token_rows({"logprobs": odd}))
