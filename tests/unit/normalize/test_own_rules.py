"""A project's own rules: what they template, link, and keep, wherever it stands."""

import json

import msgspec
import pytest

from stepfork.normalize.normalize import normalize_again, normalize_run
from stepfork.normalize.own import OwnRules, literal_head
from stepfork.normalize.request_key import RunKeys
from stepfork.trace.body import JsonBody, TextBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Step, Trace
from tests.unit.normalize.scripted import World, exchange

SOURCE = Source("command", True)
IDS = OwnRules(id_fields=("booking_ref",), id_patterns=("ORD-[0-9a-f]{12}",))


def context(own):
    return msgspec.structs.replace(World(1).context(), own=own)


def of(own, *exchanges, steps=()):
    return normalize_run(Run(SOURCE, Trace("spans", steps), exchanges), context(own))


def asked(*contents):
    return exchange("chat_completions", {"messages": [{"role": "user", "content": text} for text in contents]}, {})


def text_of(own, content):
    (made,) = of(own, asked(content)).exchanges
    return made.request.body.value["messages"][0]["content"]


def test_an_own_id_is_linked_by_value_over_messages_results_paths_queries_streams_and_trace():
    ref, order = "Q7K2MP", "ORD-0123456789ab"
    result = json.dumps({"booking_ref": ref, "nested": json.dumps([{"for": order}])})
    call = {"id": "call_1", "type": "function", "function": {"name": "t", "arguments": json.dumps({"ref": ref})}}
    chat = {
        "messages": [
            {"role": "user", "content": f"Cancel {ref}, please."},
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": result},
        ]
    }
    pieces = ["Done: Q7", "K2MP and ORD-01234", "56789ab."]
    events = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    first = exchange("chat_completions", chat, "".join(f"data: {json.dumps(event)}\n\n" for event in events))
    tool = Exchange(
        "shop",
        "opaque",
        Request("GET", f"/bookings/{ref}", f"booking_ref={ref}&of={order}"),
        Response(200, body=JsonBody({"booking_ref": ref, order: [ref]})),
    )
    step = Step("tool_call", "t", 1, 2, arguments={"ref": ref}, result={"booking_ref": ref})
    run = of(IDS, first, tool, steps=(step,))
    user, assistant, told = run.exchanges[0].request.body.value["messages"]
    assert user["content"] == "Cancel {{id_1}}, please."
    assert assistant["tool_calls"][0]["function"]["arguments"] == '{"ref": "{{id_1}}"}'
    assert json.loads(told["content"]) == {"booking_ref": "{{id_1}}", "nested": '[{"for": "ORD-{{id_3}}"}]'}
    said = [
        json.loads(event[6:])["choices"][0]["delta"]["content"] for event in run.exchanges[0].response.body.events[:3]
    ]
    assert said == ["Done: {{id_1}}", " and ORD-{{id_3}}", "."]
    fetched = run.exchanges[1]
    line = (fetched.request.path, fetched.request.query)
    assert line == (
        "/bookings/{{id_1}}",
        "booking_ref={{id_1}}&of=ORD-{{id_3}}",
    )
    assert fetched.response.body.value == {"booking_ref": "{{id_1}}", "ORD-{{id_3}}": ["{{id_1}}"]}
    assert run.trace.steps[0].arguments == {"ref": "{{id_1}}"}
    assert run.trace.steps[0].result == {"booking_ref": "{{id_1}}"}


@pytest.mark.parametrize(
    ("value", "linked"),
    [
        ("Q7K2MP", True),
        ("XKCDQZ7", True),
        ("B-1042", True),
        ("2026/0042#A", True),
        ("84920", True),
        ("1042", False),
        ("pending", False),
        ("Ada Lovelace", False),
        ("A1", False),
    ],
)
def test_what_stands_in_a_text_by_chance_is_an_id_in_its_field_alone(value, linked):
    content = json.dumps({"booking_ref": value, "note": f"about ({value})."})
    made = json.loads(text_of(IDS, content))
    assert made["booking_ref"] == "{{id_1}}"
    assert made["note"] == ("about ({{id_1}})." if linked else f"about ({value}).")


def test_an_own_id_is_no_part_of_a_longer_word():
    content = json.dumps({"booking_ref": "2026/0042#A", "note": "x2026/0042#A 2026/0042#AB 2026/0042#A"})
    assert json.loads(text_of(IDS, content))["note"] == "x2026/0042#A 2026/0042#AB {{id_1}}"


def test_lists_of_ids_and_ids_that_are_numbers():
    content = json.dumps({"booking_ref": [881234, "Q7K2MP", 881234, 7], "total": 881234, "note": "no. 881234"})
    made = json.loads(text_of(IDS, content))
    assert made == {"booking_ref": [1, "{{id_2}}", 1, 3], "total": 881234, "note": "no. {{id_1}}"}


def test_times_and_durations_of_own_fields_whatever_they_say_and_wherever():
    own = OwnRules(time_fields=("quoted_at",), duration_fields=("took",))
    told = {
        "quoted_at": ["2020-01-01", "10:02", "2020-01-01T10:00:00+01:00", "12/31/2020 at 5 PM", "soon"],
        "took": ["PT3.2S", "0:00:03.2", "3.25", "980ms", "1.02 s", "a while"],
        "inner": {"quoted_at": 1577872800.5, "took": 3.25, "at": 1577872800},
    }
    made = json.loads(text_of(own, json.dumps(told)))
    assert made["inner"] == {"quoted_at": 1.0, "took": 0.0, "at": 1577872800}
    assert made["quoted_at"] == [
        "{{timestamp_2:YYYY-MM-DD}}",
        "{{timestamp_3:hh:mm}}",
        "{{timestamp_4:YYYY-MM-DDThh:mm:ss+hh:mm}}",
        "{{timestamp_5}}",
        "soon",
    ]
    assert made["took"] == ["PT0S", "0:00:00", "0", "0s", "0s", "a while"]


def test_own_fields_reach_opaque_bodies_headers_forms_and_streams():
    own = OwnRules(id_fields=("ref",), time_fields=("at",), duration_fields=("ms",))
    body = {"ref": "Q7K2MP", "at": 1577872800, "ms": 12}
    events = "".join(f"data: {json.dumps(body | {'n': n, 'at': 1577872800 + n})}\n\n" for n in (1, 2))
    from stepfork.trace.wire import read_body

    answer = Response(200, "text/event-stream", {"ref": "Q7K2MP"}, read_body(events.encode(), "text/event-stream"))
    sent = Exchange("shop", "opaque", Request("POST", "/q", "", "application/json", JsonBody(body)), answer)
    (made,) = of(own, sent).exchanges
    assert made.request.body.value == {"ref": "{{id_1}}", "at": 1, "ms": 0}
    assert made.response.headers == {"ref": "{{id_1}}"}
    told = [json.loads(event[6:]) for event in made.response.body.events if event]
    assert told == [{"ref": "{{id_1}}", "at": 1, "ms": 0, "n": n} for n in (1, 2)]


def test_names_of_the_frame_are_no_fields():
    own = OwnRules(id_fields=("body", "path", "query", "arguments", "name", "steps", "content_type", "result"))
    sent = Exchange("shop", "opaque", Request("GET", "/q", "x=1", "text/plain", TextBody("plain")), Response(200))
    run = of(own, sent, steps=(Step("tool_call", "lookup", 1, 2, arguments="x-1", result="y-2"),))
    assert run.exchanges[0].request == sent.request
    assert (run.trace.steps[0].name, run.trace.steps[0].arguments) == ("lookup", "x-1")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'Got: {"ref": "Q7K2MP", "n": 1, "at": 1577872800, "took": 1.5, "sku": "ada@example.com"} ok',
            'Got: {"ref": "{{id_1}}", "n": 1, "at": {{timestamp_1:epoch}}, "took": 0, "sku": "ada@example.com"} ok',
        ),
        ("Booking(ref='Q7K2MP', at='2020-01-01')", "Booking(ref='{{id_1}}', at='{{timestamp_1:YYYY-MM-DD}}')"),
        ("{'ref': 'Q7K2MP', 'x': 1}", "{'ref': '{{id_1}}', 'x': 1}"),
        ('He said: {\\"ref\\": \\"Q7K2MP\\"} there', 'He said: {\\"ref\\": \\"{{id_1}}\\"} there'),
        ("https://x.example/?ref=Q7K2MP&xref=Q7K2MPX.", "https://x.example/?ref={{id_1}}&xref=Q7K2MPX."),
        ("- ref: Q7K2MP\n  at: 10:02\n  took: 3 s", "- ref: {{id_1}}\n  at: {{timestamp_1:hh:mm}}\n  took: 0s"),
        ("The ref: of it; ref = none; my ref is Q7K2MP", "The ref: of it; ref = none; my ref is Q7K2MP"),
        ("href='Q7K2MP' a.ref='Q7K2MP'", "href='Q7K2MP' a.ref='Q7K2MP'"),
    ],
)
def test_own_fields_are_found_where_a_text_quotes_them(text, expected):
    own = OwnRules(id_fields=("ref",), time_fields=("at",), duration_fields=("took",), literal_fields=("sku",))
    assert text_of(own, text) == expected


LITERAL = OwnRules(
    literal_fields=("sku", "created", "id"),
    literal_patterns=(
        r"support@acme\.example",
        "call_8Ox[A-Za-z0-9]+",
        "/home/mkowalski/public",
        r"2026-[0-9-]+T12:00:00Z",
    ),
    id_patterns=("call_[A-Za-z0-9]{24}",),
)


def test_literal_fields_win_over_every_rule():
    world = World(1)
    clock, made_id = world.iso(), world.id("call_")
    told = {"sku": {"at": clock, "of": ["ada@example.com", made_id, "{{id_1}}"]}, "x": "ada@example.com"}
    body = {"id": made_id, "created": 5, "choices": [{"message": {"content": json.dumps(told)}}]}
    sent = exchange("chat_completions", {"messages": []}, body)
    (made,) = normalize_run(
        Run(SOURCE, Trace("spans", ()), (sent,)), msgspec.structs.replace(world.context(), own=LITERAL)
    ).exchanges
    assert (made.response.body.value["id"], made.response.body.value["created"]) == (made_id, 5)
    content = json.loads(made.response.body.value["choices"][0]["message"]["content"])
    told["sku"]["of"][2] = "{{!id_1}}"
    assert content == {"sku": told["sku"], "x": "{{email_1}}"}


@pytest.mark.parametrize(
    "literal",
    ["support@acme.example", "call_8OxUBi3JKAu9g2sPuhwfZtz4", "/home/mkowalski/public/x", "2026-11-30T12:00:00Z"],
)
def test_literal_patterns_win_over_every_rule(literal):
    assert text_of(LITERAL, f"see {literal}, ada@example.com") == f"see {literal}, {{{{email_1}}}}"
    message = {"role": "tool", "tool_call_id": literal, "content": literal}
    (made,) = of(LITERAL, exchange("chat_completions", {"messages": [message]}, {"id": literal})).exchanges
    assert made.request.body.value["messages"] == [message]
    assert made.response.body.value == {"id": literal}


def test_a_literal_keeps_all_of_the_value_that_it_is_a_part_of():
    own = OwnRules(literal_patterns=(r"acme\.example",))
    assert text_of(own, "ada@acme.example, ada@example.com") == "ada@acme.example, {{email_1}}"


def test_own_patterns_come_before_the_rules_that_everybody_has():
    own = OwnRules(id_patterns=("ticket-[a-z]+@desk",))
    assert text_of(own, "ticket-abc@desk.example") == "ticket-{{id_1}}.example"


def test_a_normalised_run_stays_as_it_is():
    own = OwnRules(
        id_fields=("booking_ref",),
        time_fields=("quoted_at",),
        duration_fields=("took",),
        id_patterns=("ORD-\\S+", "[0-9]{4,}", "[a-z]{2}_"),
        literal_fields=("sku",),
        literal_patterns=("id_1", "timestamp"),
    )
    told = {
        "booking_ref": ["Q7K2MP", 881234, "{{id_1}}"],
        "quoted_at": ["2020-01-01", 5, "{{timestamp_2}}"],
        "took": ["3 s", 7],
        "sku": "{{id_9}} 5678",
        "text": "ORD-{{user}} ORD-7 1234 {{id_1}} ada@example.com ab_",
    }
    run = Run(SOURCE, Trace("spans", ()), (asked(json.dumps(told)),))
    once = normalize_run(run, context(own))
    assert "1234" not in json.dumps(once.exchanges[0].request.body.value)
    assert normalize_run(once, context(own), templated=True) == once
    assert normalize_again(once.exchanges, own) == once.exchanges


def test_rules_that_a_project_adds_later_reach_what_is_stored():
    told = asked(json.dumps({"booking_ref": "Q7K2MP"}), "about Q7K2MP, call_8OxUBi3JKAu9g2sPuhwfZtz4")
    before = normalize_run(Run(SOURCE, Trace("spans", ()), (told,)), World(1).context()).exchanges
    first, second = normalize_again(before, IDS)[0].request.body.value["messages"]
    assert first["content"] == '{"booking_ref": "{{id_1}}"}'
    assert second["content"] == "about {{id_1}}, call_{{id_2}}"


def test_keys_are_blind_to_own_ids_times_and_durations():
    own = OwnRules(id_fields=("ref",), time_fields=("at",), duration_fields=("ms",), id_patterns=("ORD-[0-9a-f]{4}",))

    def calls(numbers, at):
        first, second = numbers
        told = [{"ref": first, "at": at, "ms": at % 7}, {"ref": second, "of": f"ORD-{first % 10000:04x}"}]
        return [asked(json.dumps(one)) for one in told]

    one, two = calls((881234, 99), 1577872800), calls((12, 4711), 1600000000)
    keys = [RunKeys(told, context(own)) for told in (one, two)]
    assert [keys[0](call) for call in one] == [keys[1](call) for call in two]
    assert [keys[0](call) for call in reversed(one)] == [keys[1](call) for call in reversed(two)]
    plain = RunKeys(one, context(OwnRules()))
    assert plain(one[0]) != RunKeys(two, context(OwnRules()))(two[0])


@pytest.mark.parametrize(
    ("pattern", "head"),
    [
        ("ORD-[0-9a-f]{12}", "ORD-"),
        (r"\bORD\-[0-9]+\b", "ORD-"),
        (r"(?<![\w-])bk_[a-z0-9]{8}", "bk_"),
        (r"inv\.2026\.[0-9]+", "inv.2026."),
        ("ORD-?[0-9]", "ORD"),
        ("a|b", ""),
        ("B[0-9]{8}", ""),
        ("(?i)ord-[0-9]", ""),
        ("ORD", ""),
        ("(?:ab|cd)-[0-9]", ""),
    ],
)
def test_what_each_match_begins_with_stays_in_front(pattern, head):
    assert literal_head(pattern) == head
