"""Personal data that a project asks for become pseudonyms: the same for one value, however and wherever it stands."""

from __future__ import annotations

import json

import msgspec
import pytest

from stepfork.normalize.normalize import normalize_exchange, normalize_run
from stepfork.normalize.personal import written
from stepfork.normalize.placeholders import escape, parse
from stepfork.normalize.request_key import request_key
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Step, Trace
from tests.unit.normalize.scripted import World, exchange

CARD = "4111 1111" + " 1111 1111"
IBAN = "GB82 WEST" + " 1234 5698 7654 32"
PHONE = "+44 20 7946 0958"
CONTEXT = msgspec.structs.replace(
    World(1).context(), personal=("phone", "card", "iban"), names=("Ada Lovelace", "Grace Hopper")
)


def said(*texts: str) -> list[str]:
    """How texts of one message after the other are stored."""
    asked = exchange("chat_completions", {"messages": [{"role": "user", "content": text} for text in texts]}, {})
    return [message["content"] for message in normalize_exchange(asked, CONTEXT).request.body.value["messages"]]


def test_values_are_numbered_over_the_run_and_the_first_spelling_is_bare() -> None:
    assert said(
        f"{PHONE}, then 020 7946 0958 and +442079460958 and {PHONE}; 07700 900123",
        f"{CARD} {CARD.replace(' ', '')}, {IBAN.replace(' ', '')} and {IBAN}",
        "Ada Lovelace's, LOVELACE, ADA and Grace Hopper",
    ) == [
        "{{phone_1}}, then {{phone_1:0## #### ####}} and {{phone_1:+44##########}} and {{phone_1}}; {{phone_2}}",
        "{{card_1}} {{card_1:################}}, {{iban_1}} and {{iban_1:#### #### #### #### #### ##}}",
        "{{name_1}}'s, {{name_1:FAMILY, GIVEN}} and {{name_2}}",
    ]


def test_numbers_without_a_country_are_those_of_the_country_that_was_said() -> None:
    assert said("020 7946 0958 +44 20 7946 0958 +1 207 946 0958") == [
        "{{phone_1}} {{phone_1:+44 ## #### ####}} {{phone_2}}"
    ]


def test_a_card_that_is_a_json_number_stays_json() -> None:
    arguments = json.dumps({"card": int(CARD.replace(" ", "")), "phone": 4155550123, "order_id": 4155550123})
    (made,) = said(arguments)
    assert json.loads(made) == {
        "card": "{{card_1:number}}",
        "phone": "{{phone_1:number}}",
        "order_id": 4155550123,
    }


def test_names_of_members_and_queries_and_json_in_json_and_the_trace_are_read() -> None:
    inner = json.dumps({"a": json.dumps({"Ada Lovelace": [PHONE]})})
    sent = exchange("chat_completions", {"messages": [{"role": "user", "content": inner}]}, {"choices": []})
    sent = msgspec.structs.replace(
        sent, request=msgspec.structs.replace(sent.request, query="to=%2B44%2020%207946%200958&who=Ada+Lovelace")
    )
    step = Step("tool_call", "t", 1, 2, arguments={"to": PHONE}, result=[int(CARD.replace(" ", ""))])
    run = normalize_run(Run(Source("command", True), Trace("spans", (step,)), (sent,)), CONTEXT)
    (made,) = run.exchanges
    assert made.request.query == "to={{phone_1}}&who={{name_1}}"
    assert json.loads(json.loads(made.request.body.value["messages"][0]["content"])["a"]) == {
        "{{name_1}}": ["{{phone_1}}"]
    }
    assert (run.trace.steps[0].arguments, run.trace.steps[0].result) == (
        {"to": "{{phone_1}}"},
        ["{{card_1:number}}"],
    )
    assert normalize_run(run, CONTEXT, templated=True) == run


def test_escapes_and_percent_encoding_are_undone() -> None:
    assert said(PHONE, r"a\n020 7946 0958", "https://x.example/?to=%2B44%2020%207946%200958&who=Ada%20Lovelace") == [
        "{{phone_1}}",
        r"a\n{{phone_1:0## #### ####}}",
        "https://x.example/?to={{phone_1:url +44 ## #### ####}}&who={{name_1:url Given Family}}",
    ]
    assert written("phone", "+44 2079460958", "url +44 ## #### ####", None) == "%2B44%2020%207946%200958"
    assert written("name", "Ada Lovelace", "url Given Family", None) == "Ada%20Lovelace"


def test_what_tokens_spell_is_read_as_one() -> None:
    tokens = ["Call +", "442", "079", "460", "958", " now"]
    content = [{"token": token, "logprob": -0.5, "bytes": list(token.encode()), "top_logprobs": []} for token in tokens]
    answer = {"choices": [{"message": {"content": "".join(tokens)}, "logprobs": {"content": content}}]}
    asked = exchange("chat_completions", {"messages": []}, answer)
    made = normalize_exchange(asked, CONTEXT)
    (choice,) = made.response.body.value["choices"]
    assert choice["message"]["content"] == "Call {{phone_1}} now"
    assert "".join(token["token"] for token in choice["logprobs"]["content"]) == "Call {{phone_1}} now"
    assert len(choice["logprobs"]["content"]) == len(tokens)
    assert "442" not in json.dumps(made.response.body.value)
    assert normalize_exchange(made, CONTEXT, templated=True) == made


def test_nothing_is_looked_for_that_was_not_asked_for() -> None:
    asked = exchange(
        "chat_completions", {"messages": [{"role": "user", "content": f"{PHONE} {CARD} Ada Lovelace"}]}, {}
    )
    assert normalize_exchange(asked, World(1).context()).request == asked.request


def test_keys_are_blind_to_who_it_is_and_how_it_is_written() -> None:
    def key(text: str) -> object:
        return request_key(exchange("chat_completions", {"messages": [{"role": "user", "content": text}]}, {}), CONTEXT)

    assert key(f"I am Ada Lovelace, {PHONE}") == key("I am GRACE HOPPER, 020 7946 0001")
    assert key(f"{PHONE} and {PHONE}") == key(f"{PHONE} and 020 7946 0958")
    assert key(f"{PHONE} and {PHONE}") != key(f"{PHONE} and 020 7946 0001")


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("{{name}} {{phone}}", "{{name}} {{phone}}"),
        ("{{name_1}} {{!phone_2:x}}", "{{!name_1}} {{!!phone_2:x}}"),
        ("{{name_x}} {{names_1}}", "{{name_x}} {{names_1}}"),
    ],
)
def test_text_that_looks_like_a_pseudonym_is_escaped_and_a_templates_word_is_not(text: str, stored: str) -> None:
    assert escape(text) == stored
    assert parse(stored) == (text,)
    assert said(text) == [stored]


@pytest.mark.parametrize(
    ("kind", "value", "wanted", "own", "text"),
    [
        ("phone", "+44 2079460958", None, "0## #### ####", "020 7946 0958"),
        ("phone", "+44 2079460958", "+44##########", "0## #### ####", "+442079460958"),
        ("phone", "+49 30901820", "+44##########", "+49 ## ######", "+4930901820"),
        ("phone", "+49 30901820", "+44 ## #### ####", "+49 ## ######", "+49 30 901820"),
        ("phone", "+1 2025550143", None, None, "+12025550143"),
        ("card", "378282246" + "310005", "#### #### #### ####", "#### ###### #####", "3782 822463" + " 10005"),
        ("card", "378282246" + "310005", "################", "#### ###### #####", "378282246" + "310005"),
        ("card", "411111111" + "1111111", "number", None, "411111111" + "1111111"),
        ("name", "Ada Lovelace", "FAMILY, GIVEN", None, "LOVELACE, ADA"),
        ("name", "Cher", "FAMILY, GIVEN", "given family", "cher"),
    ],
)
def test_a_value_is_written_as_it_was_or_else_as_the_run_writes_it(
    kind: str, value: str, wanted: str | None, own: str | None, text: str
) -> None:
    assert written(kind, value, wanted, own) == text
