"""Why each placeholder stands where it stands."""

import json
import re
from pathlib import Path

import msgspec
import pytest

import stepfork
from stepfork.normalize import placeholders
from stepfork.normalize.explain import explain
from stepfork.normalize.normalize import normalize_run
from stepfork.normalize.own import NO_OWN, OwnRules
from stepfork.normalize.reasons import CONSTANTS, RULES
from stepfork.trace.body import BytesBody, JsonBody, TextBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Trace
from tests.unit.normalize.scripted import World, chat_run, exchange, messages_run, responses_run

EMPTY = Trace("exchanges", ())
SOURCE = Source("command", True)


def explained(*exchanges, source=SOURCE, trace=EMPTY, context=None, own=NO_OWN):
    run = Run(source, trace, exchanges)
    context = msgspec.structs.replace(context or World(1).context(), own=own)
    return explain(normalize_run(run, context), own)


def answer(text, **members):
    message = {"role": "assistant", "content": text} | members
    return {"choices": [{"index": 0, "message": message}]}


def asked(text, response=None, **members):
    request = {"model": "m", "messages": [{"role": "user", "content": text}]} | members
    return exchange("chat_completions", request, response or answer("Done."))


def only(found, kind):
    (value,) = [one for one in found.values if one.kind == kind]
    return value


def rules_of(value):
    return [(reason.rule, reason.name, count) for reason, count in value.reasons]


@pytest.mark.parametrize("make", [chat_run, responses_run, messages_run])
def test_every_placeholder_of_a_run_is_explained(make):
    world = World(5)
    run = normalize_run(make(world), world.context())
    found = explain(run)
    text = msgspec.json.encode(run).decode()
    stored = {match.group() for match in placeholders.LOOK_ALIKE.finditer(text)}
    told = {re.sub(r"^[^{]*", "", one.shown) for one in found.values if "{{" in one.shown}
    assert told == stored
    assert all(reason.rule != "untold" for one in found.values for reason, _ in one.reasons)
    assert all(one.places == sum(count for _, count in one.reasons) for one in found.values)
    # By value each is listed once; a timestamp is another one in each part.
    assert len({one.shown for one in found.values if one.kind in placeholders.BY_VALUE}) == sum(
        one.kind in placeholders.BY_VALUE for one in found.values
    )


def test_a_call_id_is_told_by_its_field_and_found_in_text():
    world = World(1)
    found = explain(normalize_run(chat_run(world), world.context()))
    call = next(one for one in found.values if one.shown == "call_{{id_3}}")
    assert call.first == "/exchanges/0/response/body/choices/0/delta/tool_calls/0/id (event 1)"
    assert call.told_at == call.first
    assert rules_of(call) == [
        ("response_field", "id", 1),
        ("message_field", "id", 1),
        ("told", "", 2),
        ("message_field", "tool_call_id", 1),
        ("step_field", "call_id", 1),
    ]


def test_a_field_of_a_stream_and_a_message_that_calls_repeat_count_once():
    world = World(1)
    found = explain(normalize_run(chat_run(world), world.context()))
    made = next(one for one in found.values if one.shown == "chatcmpl-{{id_2}}")
    assert (made.places, made.first) == (1, "/exchanges/0/response/body/id (event 0)")
    assert only(found, "cwd").places == 1
    assert only(found, "email").first == "/exchanges/1/request/body/messages/3/content/email"
    assert rules_of(only(found, "time_number")) == [("response_field", "created", 2)]


def test_the_part_of_a_request_tells_what_its_field_is_of():
    made = "resp_68af4030592c81938ec0a5fbab4a3e9f05438e46b5f69a3b"
    request = {"model": "m", "previous_response_id": made, "instructions": f"Read {made}.", "input": "go"}
    value = only(explained(exchange("responses", request, {"output": []})), "id")
    assert rules_of(value) == [("told", "", 1), ("request_field", "previous_response_id", 1)]
    assert value.first == "/exchanges/0/request/body/instructions"
    assert value.told_at == "/exchanges/0/request/body/previous_response_id"


def test_messages_stand_where_they_stood_in_the_body():
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "I am ada@example.com."}]
    found = explained(exchange("chat_completions", {"model": "m", "messages": messages}, answer("x")))
    assert only(found, "email").first == "/exchanges/0/request/body/messages/1/content"


def test_an_id_that_no_field_tells_was_found_by_its_prefix():
    value = only(explained(asked("Look at call_aB3dE5gH7jK9mN1pQ3sT5uV7.")), "id")
    assert value.shown == "call_{{id_1}}"
    assert rules_of(value) == [("prefix", "call_", 1)]


def test_uuids_of_frameworks():
    text = json.dumps({"checkpoint_ns": "tools:2d1b7a64-93f0-4f0c-8a2e-5f0f6f1f0a11"})
    assert rules_of(only(explained(asked(text)), "id")) == [("framework_field", "checkpoint_ns", 1)]


def test_times_by_field_by_header_and_by_a_clock():
    world = World(1)
    told = Response(
        200,
        "application/json",
        {"date": world.started.strftime("%a, %d %b %Y %H:%M:%S GMT"), "openai-processing-ms": "320"},
        JsonBody({"created_at": world.iso(), "usage": {"total_time": 0.5}}),
    )
    said = asked(f"It is {world.iso()}.")
    found = explained(msgspec.structs.replace(said, response=told), context=world.context())
    stamps = [one for one in found.values if one.kind == "timestamp"]
    assert [rules_of(one) for one in stamps] == [
        [("clock", "", 1)],
        [("response_header", "date", 1)],
        [("response_field", "created_at", 1)],
    ]
    durations = [rules_of(one) for one in found.values if one.kind == "duration"]
    assert durations == [[("response_header", "openai-processing-ms", 1)], [("response_field", "total_time", 1)]]


def test_known_values_the_day_and_the_command():
    world = World(1)
    context = msgspec.structs.replace(world.context(), finds_today=True)
    day = world.started.astimezone().date().isoformat()
    source = Source("command", True, command=("python", f"{world.home}/agent/run.py"))
    found = explained(asked(f"{day}: buildbox7 has {world.home}/x"), source=source, context=context)
    first = {one.kind: (rules_of(one)[0][:2], one.first) for one in found.values}
    place = "/exchanges/0/request/body/messages/0/content"
    assert first == {
        "cwd": (("known_value", "cwd"), "/source/command/1"),
        "today": (("today", ""), place),
        "host": (("known_value", "host"), place),
        "home": (("known_value", "home"), place),
    }


def test_trace_context_and_a_boundary():
    text = f"traceparent: 00-{'4bf92f35' * 4}-00f067aa0ba902b7-01"
    found = explained(asked(text))
    assert [(one.shown, one.places) for one in found.values] == [("0" * 31 + "1", 1), ("0" * 15 + "1", 1)]
    upload = Exchange(
        "openai",
        "other",
        Request("POST", "/files", "", "multipart/form-data; boundary=abc123", TextBody("--abc123--", "media_type")),
        Response(200),
    )
    boundary = only(explained(upload), "boundary")
    assert rules_of(boundary) == [("boundary", "", 2)]


def test_a_project_s_own_fields():
    own = OwnRules(id_fields=("booking_ref",), time_fields=("quoted_at",), duration_fields=("took",))
    result = {"booking_ref": "QX7-2291", "quoted_at": 1764590000, "took": "3 min", "note": "Seats on QX7-2291"}
    found = explained(asked(json.dumps(result)), own=own)
    ref, stamp, took = found.values
    assert (ref.shown, rules_of(ref)) == ("{{id_1}}", [("own_field", "id_fields booking_ref", 1), ("told", "", 1)])
    assert (stamp.kind, rules_of(stamp)) == ("time_number", [("own_field", "time_fields quoted_at", 1)])
    assert (took.kind, took.shown, rules_of(took)) == ("duration", "0s", [("own_field", "duration_fields took", 1)])


def test_a_project_s_own_patterns():
    own = OwnRules(id_patterns=("ORD-[0-9a-f]{12}", "[A-Z]{3}/[0-9]{6}"))
    found = explained(asked("See ORD-4f3a9c2e1b70 and QXA/229145."), own=own)
    assert [(one.shown, rules_of(one)) for one in found.values] == [
        ("ORD-{{id_1}}", [("own_pattern", "", 1)]),
        ("{{id_2}}", [("own_pattern", "", 1)]),
    ]


def test_a_number_that_is_an_id():
    own = OwnRules(id_fields=("ticket",))
    found = explained(asked(json.dumps({"ticket": 884213, "text": "no. 884213"})), own=own)
    (value,) = found.values
    assert (value.shown, rules_of(value)) == ("1", [("own_field", "id_fields ticket", 1), ("told", "", 1)])


def test_literal_fields_hold_no_placeholder():
    own = OwnRules(literal_fields=("sku",))
    text = json.dumps({"sku": "call_aB3dE5gH7jK9mN1pQ3sT5uV7 {{id_1}} 00-" + "4bf92f35" * 4 + "-00f067aa0ba902b7-01"})
    found = explained(asked(text), own=own)
    assert (found.values, [one.text for one in found.literals]) == ((), ["{{id_1}}"])


def test_a_member_s_name_is_a_place_too():
    found = explained(asked("x", metadata={"ada@example.com": "owner"}))
    assert only(found, "email").first == "/exchanges/0/request/body/metadata/{{email_1}} (name)"


def test_text_that_only_looks_like_a_placeholder_is_listed_apart():
    found = explained(asked("Fill in {{user}} and {{!id_3}}, not {{name}}."))
    assert [(one.text, one.stored, one.places) for one in found.literals] == [
        ("{{user}}", "{{!user}}", 1),
        ("{{!id_3}}", "{{!!id_3}}", 1),
    ]
    assert found.values == ()


def test_what_the_stored_form_does_not_tell_is_said_to_be_untold():
    run = Run(SOURCE, EMPTY, (asked("Booking {{id_1}} for {{conversation_1}}"),))
    assert [rules_of(one) for one in explain(run).values] == [[("untold", "", 1)], [("untold", "", 1)]]


def test_opaque_routes_and_bytes_do_no_harm():
    body = BytesBody(b"\xff{{id_1}}")
    raw = Exchange("tool", "opaque", Request("GET", "/{{id_1}}", "q={{email_1}}"), Response(200, body=body))
    found = explain(Run(SOURCE, EMPTY, (raw,)))
    assert [(one.shown, one.first) for one in found.values] == [
        ("{{id_1}}", "/exchanges/0/request/path"),
        ("{{email_1}}", "/exchanges/0/request/query/q"),
    ]


@pytest.mark.parametrize("kind", [*placeholders.BY_VALUE, placeholders.BY_POSITION, *placeholders.CONSTANT])
def test_every_kind_that_a_run_can_hold_has_a_reason(kind):
    number = None if kind in placeholders.CONSTANT else 1
    text = str(placeholders.Placeholder(kind, number))
    body = {"id": text} if kind in placeholders.BY_VALUE else {"text": text}
    raw = Exchange("openai", "chat_completions", Request("GET", "/"), Response(200, body=JsonBody(body)))
    (value,) = explain(Run(SOURCE, EMPTY, (raw,))).values
    assert value.reasons[0][0].rule != "untold"


def test_the_schema_names_every_rule():
    path = Path(stepfork.__file__).parent / "schemas" / "placeholders.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    assert schema["$defs"]["reason"]["properties"]["rule"]["enum"] == list(RULES)
    described = schema["$defs"]["value"]["description"]
    assert all(kind in described for kind in CONSTANTS)


def test_explaining_twice_says_the_same_and_changes_nothing():
    world = World(2)
    run = normalize_run(chat_run(world), world.context())
    before = msgspec.json.encode(run)
    assert explain(run) == explain(run)
    assert msgspec.json.encode(run) == before
    assert explain(Run(SOURCE, EMPTY)).values == ()
