import json

import pytest

from stepfork.normalize.request_key import NO_RULES, KeyRules, RunKeys, keyed_form, request_key
from stepfork.normalize.volatile import without
from tests.unit.normalize.scripted import World, exchange

RESULT = {"amount": 40.0, "order": {"at": 7, "lines": [{"sku": "a", "at": 1}, {"sku": "b", "at": 2}]}, "~/": 1}


@pytest.mark.parametrize(
    ("pointers", "left"),
    [
        ([], RESULT),
        (["/amount"], {"order": RESULT["order"], "~/": 1}),
        (["/none", "/order/none/x", "/amount/deeper", "/order/lines/9"], RESULT),
        (["/order/at", "/~0~1"], {"amount": 40.0, "order": {"lines": RESULT["order"]["lines"]}}),
        (["/order/lines/0/at"], RESULT | {"order": {"at": 7, "lines": [{"sku": "a"}, {"sku": "b", "at": 2}]}}),
        (["/order/lines/1"], RESULT | {"order": {"at": 7, "lines": [{"sku": "a", "at": 1}, None]}}),
        (["/order/lines/*/at"], RESULT | {"order": {"at": 7, "lines": [{"sku": "a"}, {"sku": "b"}]}}),
        (["/order/lines/*"], RESULT | {"order": {"at": 7, "lines": [None, None]}}),
        (["/*"], {}),
        (["/*/at"], RESULT | {"order": {"lines": RESULT["order"]["lines"]}}),
    ],
)
def test_what_a_pointer_leads_to_is_left_out(pointers, left):
    assert json.loads(without(json.dumps(RESULT), pointers)) == left


def test_pointers_reach_through_json_in_text():
    told = [json.dumps({"body": json.dumps({"rate": rate, "unit": "EUR"})}) for rate in (1, 2)]
    assert without(told[0], ["/body/rate"]) == without(told[1], ["/body/rate"])
    assert without(told[0], ["/body/unit"]) != without(told[1], ["/body/unit"])


@pytest.mark.parametrize("text", ["", "no JSON", '{"a": 1', '{"a": 1, "a": 2}', '"{x"'])
def test_what_is_no_json_is_as_it_is(text):
    assert without(text, ["/a", "/*"]) in (text, text + "\n")


def test_the_empty_pointer_is_the_whole_result():
    assert without("any text", [""]) == without("another", ["", "/x"]) == ""


def asked(api, result, name="rate"):
    call = {"name": name, "arguments": "{}"}
    if api == "chat_completions":
        return {
            "messages": [
                {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": call}]},
                {"role": "tool", "tool_call_id": "c1", "content": result},
            ]
        }
    if api == "responses":
        return {
            "input": [
                {"type": "function_call", "call_id": "c1", **call},
                {"type": "function_call_output", "call_id": "c1", "output": result},
            ]
        }
    return {
        "messages": [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": name, "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": result}]},
        ]
    }


@pytest.mark.parametrize("api", ["chat_completions", "responses", "messages"])
def test_a_volatile_field_is_not_in_the_key(api):
    rules = KeyRules({"rate": ("/amount",)})
    one, two, three = (
        exchange(api, asked(api, json.dumps(result)), {}) for result in ({"amount": 1}, {"amount": 2}, {"price": 2})
    )
    assert request_key(one, rules=rules) == request_key(two, rules=rules)
    assert request_key(one, rules=rules) != request_key(three, rules=rules)
    assert request_key(one) != request_key(two)
    assert request_key(one).prompt != request_key(two).prompt
    assert keyed_form(one, rules) == keyed_form(two, rules)
    keys = [RunKeys([given], World(1).context(), rules)(given) for given in (one, two)]
    assert keys[0] == keys[1]


def test_a_server_in_front_of_a_tools_name_makes_no_difference():
    one, two = (exchange("messages", asked("messages", json.dumps({"at": n}), "mcp__bank__rate"), {}) for n in (1, 2))
    assert request_key(one, rules=KeyRules({"rate": ("/at",)})) == request_key(two, rules=KeyRules({"rate": ("/at",)}))
    own = KeyRules({"rate": ("/at",), "mcp__bank__rate": ()})
    assert request_key(one, rules=own) != request_key(two, rules=own)


@pytest.mark.parametrize("api", ["chat_completions", "responses", "messages"])
def test_rules_are_for_the_results_of_one_tool_alone(api):
    rules = KeyRules({"rate": ("/amount",)})
    one, two = (exchange(api, asked(api, json.dumps({"amount": n}), "other"), {}) for n in (1, 2))
    assert request_key(one, rules=rules) != request_key(two, rules=rules)
    assert request_key(one, rules=rules) == request_key(one, rules=NO_RULES)
