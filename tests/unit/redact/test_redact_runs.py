from __future__ import annotations

import json
import urllib.parse
from typing import Any

import msgspec
import pytest

from stepfork.redact.finding import Finding
from stepfork.redact.redactor import redact_run, redact_text
from stepfork.redact.secrets import Secrets
from stepfork.trace.body import Body, BytesBody, EventsBody, JsonBody, TextBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Step, StepError, Trace
from tests.unit.redact.samples import BEARER, EVERY, GITHUB, HEX32, OPENAI, PASSWORD, PEM

R = "[redacted]"
KNOWN = Secrets.collect({"SERVICE_TOKEN": "lettersonlysecret", "PIN_SECRET": "8844221199"}, {})


def run_of(
    request: Body = None,
    response: Body = None,
    *,
    path: str = "/v1",
    query: str = "",
    trace: Trace | None = None,
    **headers: str,
) -> Run:
    exchange = Exchange(
        "openai", "chat_completions", Request("POST", path, query, body=request), Response(200, "", headers, response)
    )
    return Run(Source("command", True, ("agent",)), trace or Trace("exchanges", ()), (exchange,))


def redact(run: Run, secrets: Secrets = KNOWN) -> tuple[Exchange, tuple[Finding, ...]]:
    made, findings = redact_run(run, secrets)
    again, none = redact_run(made, secrets)
    assert again == made, "redacting twice changes nothing"
    assert none == ()
    return made.exchanges[0], findings


def value(body: Body) -> Any:
    assert isinstance(body, JsonBody)
    return body.value


def stream(*deltas: str, kind: str = "chat") -> EventsBody:
    chunks: list[Any] = {
        "chat": lambda: [{"choices": [{"index": 0, "delta": {"content": delta}}]} for delta in deltas],
        "reasoning": lambda: [{"choices": [{"index": 0, "delta": {"reasoning_content": delta}}]} for delta in deltas],
        "arguments": lambda: [
            {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": delta}}]}}]}
            for delta in deltas
        ],
        "responses": lambda: [
            {
                "type": "response.output_text.delta",
                "item_id": "msg_1",
                "output_index": 0,
                "content_index": 0,
                "delta": delta,
            }
            for delta in deltas
        ],
        "thinking": lambda: [
            {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": delta}}
            for delta in deltas
        ],
        "partial_json": lambda: [
            {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": delta}}
            for delta in deltas
        ],
    }[kind]()
    return EventsBody((*(f"data: {json.dumps(chunk)}" for chunk in chunks), "data: [DONE]", ""))


KINDS = ["chat", "reasoning", "arguments", "responses", "thinking", "partial_json"]


def spelled(body: Body, kind: str) -> list[str]:
    assert isinstance(body, EventsBody)
    found = []
    for event in body.events[:-2]:
        chunk = json.loads(event[6:])
        delta = chunk["choices"][0]["delta"] if "choices" in chunk else chunk
        while isinstance(delta, dict):
            delta = delta.get("delta", delta.get("thinking", delta.get("partial_json", next(iter(delta.values())))))
            if isinstance(delta, list):
                delta = delta[0]["function"]["arguments"]
        found.append(delta)
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pieces", [2, 3, 12, len(OPENAI)])
def test_c037_a_secret_spread_over_deltas(kind: str, pieces: int) -> None:
    step = -(-len(OPENAI) // pieces)
    parts = [OPENAI[index : index + step] for index in range(0, len(OPENAI), step)]
    deltas = ["use ", parts[0], *parts[1:], " now"]
    exchange, findings = redact(run_of(response=stream(*deltas, kind=kind)))
    made = spelled(exchange.response.body, kind)
    assert "".join(made) == f"use {R} now"
    assert len(made) == len(deltas)
    assert made[:2] == ["use ", R], "the marker stands in the first delta that the secret touches"
    assert [found.rule for found in findings] == ["openai-key"]
    assert findings[0].path == "/exchanges/0/response/body (event 1)"


def test_events_in_which_nothing_changed_keep_their_bytes() -> None:
    odd = 'data:  {"choices" : [ {"index":0,"delta":{"content":"caf\\u00e9 "}} ]}'
    body = EventsBody((odd, *stream(OPENAI[:9], OPENAI[9:]).events))
    made = redact(run_of(response=body))[0].response.body
    assert isinstance(made, EventsBody)
    assert made.events[0] == odd


def test_every_other_string_of_an_event_is_read_decoded() -> None:
    quoted = 'pa"ss\\word-lettersonly'
    secrets = Secrets.collect({"Q_SECRET": quoted}, {})
    event = {"type": "response.completed", "response": {"output": [{"content": [{"text": f"it is {quoted}."}]}]}}
    made = redact(run_of(response=EventsBody((f"data: {json.dumps(event)}", ""))), secrets)[0].response.body
    assert isinstance(made, EventsBody)
    assert json.loads(made.events[0][6:])["response"]["output"][0]["content"][0]["text"] == f"it is {R}."


def test_c048_every_string_at_every_depth_is_visited() -> None:
    inner = json.dumps({"list": [[{"unknown": f"x {OPENAI}"}]], "api_key": HEX32})
    body = {"messages": [{"content": [[inner]], "arguments": json.dumps({"nested": inner})}], "second": [1, GITHUB]}
    exchange, findings = redact(run_of(request=JsonBody(body)))
    made = value(exchange.request.body)
    expected = json.dumps({"list": [[{"unknown": f"x {R}"}]], "api_key": R})
    assert made["messages"][0]["content"] == [[expected]]
    assert json.loads(made["messages"][0]["arguments"]) == {"nested": expected}
    assert made["second"] == [1, R]
    assert {found.path for found in findings} >= {
        "/exchanges/0/request/body/second/1",
        "/exchanges/0/request/body/messages/0/content/0/0/api_key",
    }


def test_two_names_that_both_become_the_marker_stay_two() -> None:
    body = {"usage": {OPENAI: 1, GITHUB: 2, "[redacted]": 3}}
    exchange, findings = redact(run_of(response=JsonBody(body)))
    made = value(exchange.response.body)["usage"]
    assert sorted(made.values()) == [1, 2, 3]
    assert len(made) == 3
    assert all(name.startswith(R) for name in made)
    paths = {found.path for found in findings}
    assert paths == {f"/exchanges/0/response/body/usage/<redacted key #{number}>" for number in (1, 2)}


def test_c035_the_service_echoes_the_credential() -> None:
    body = JsonBody({"error": {"message": f"Incorrect API key provided: {OPENAI}."}})
    exchange, _ = redact(run_of(response=body, **{"x-user": "lettersonlysecret", "retry-after": "2"}))
    assert value(exchange.response.body)["error"]["message"] == f"Incorrect API key provided: {R}."
    assert exchange.response.headers == {"x-user": R, "retry-after": "2"}


def test_c036_basic_credentials_in_a_tool_output() -> None:
    import base64

    shown = base64.b64encode(b"ann:" + PASSWORD.encode()).decode()
    known = base64.b64encode(b"ann:lettersonlysecret").decode()
    text = f'curl -H "Authorization: Basic {shown}"; auth={known}'
    exchange, _ = redact(run_of(response=TextBody(text)))
    assert exchange.response.body == TextBody(f'curl -H "Authorization: Basic {R}"; auth={R}')


@pytest.mark.parametrize(
    "query",
    ["key=x1&alt=sse", "alt=sse&api-key=short", "sig=abc%2Fdef%3D", "access_token=a&client_secret=b", "api%5Fkey=q"],
)
def test_the_query_of_a_path(query: str) -> None:
    exchange, _ = redact(run_of(query=query))
    for pair in exchange.request.query.split("&"):
        name, _, shown = pair.partition("=")
        assert shown == ("sse" if name == "alt" else R)


def test_bytes_bodies_lose_known_values_and_shapes_and_nothing_else() -> None:
    data = b"\xff\x00--boundary\r\n" + OPENAI.encode() + b"\xfe lettersonlysecret \x80"
    exchange, _ = redact(run_of(request=BytesBody(data)))
    assert exchange.request.body == BytesBody(b"\xff\x00--boundary\r\n[redacted]\xfe [redacted] \x80")


def test_a_known_value_of_digits_is_found_as_a_number() -> None:
    exchange, findings = redact(run_of(request=JsonBody({"pin": 8844221199, "other": 8844221198})))
    assert value(exchange.request.body) == {"pin": R, "other": 8844221198}
    assert findings == (Finding("value of PIN_SECRET", "/exchanges/0/request/body/pin"),)


def test_the_method_of_a_request_is_read_too() -> None:
    run = run_of()
    request = msgspec.structs.replace(run.exchanges[0].request, method=OPENAI)
    exchange, _ = redact(
        msgspec.structs.replace(run, exchanges=(msgspec.structs.replace(run.exchanges[0], request=request),))
    )
    assert exchange.request.method == R


def test_the_trace_and_its_errors_are_redacted() -> None:
    trace = Trace(
        "spans",
        (
            Step(
                "tool_call",
                "login",
                1,
                2,
                arguments={"pass" + "word": PASSWORD},
                error=StepError("AuthError", f"bad {OPENAI}"),
                finish_reasons=("stop", f"blocked {OPENAI}"),
            ),
        ),
        input=f"use {GITHUB}",
        output=["lettersonlysecret"],
        notes=(f"note {OPENAI}",),
    )
    made, _ = redact_run(run_of(trace=trace), KNOWN)
    step = made.trace.steps[0]
    assert step.arguments == {"password": R}
    assert step.error == StepError("AuthError", f"bad {R}")
    assert step.finish_reasons == ("stop", f"blocked {R}")
    assert (made.trace.input, made.trace.output, made.trace.notes) == (f"use {R}", [R], (f"note {R}",))


def test_c042_overlapping_rules_give_one_marker_in_any_order() -> None:
    value = "longpass" + "1234"
    dsn = f"postgres://app:{value}@db.example/main"
    secrets = [
        Secrets.collect({"A_PASSWORD": value, "B_DSN": dsn}, {}),
        Secrets.collect({"B_DSN": dsn, "A_PASSWORD": value}, {}),
    ]
    text = f"dsn {dsn} and Bearer " + ".".join(EVERY[4].split("."))
    assert {redact_text(text, one) for one in secrets} == {f"dsn {R} and Bearer {R}"}


def test_a_run_without_secrets_is_left_as_it_is() -> None:
    body = JsonBody({"id": "chatcmpl-4bWt8z6koznnpqQDPUQ4ubLnUn6fg", "usage": {"total_tokens": 9}, "n": 1.0})
    run = run_of(request=body, response=stream("he", "llo"))
    assert redact_run(run, KNOWN) == (run, ())


def test_private_keys_go_whole_whatever_spells_their_lines() -> None:
    for text in (PEM, PEM.replace("\n", "\n    "), json.dumps({"private_key": PEM}), PEM.rpartition("\n")[0]):
        made = redact_text(f"a {text} b", Secrets({}))
        assert made.startswith("a ")
        assert made.endswith(" b")
        assert "KEY-----" not in made
        assert "Mkljez" not in made


def test_a_bearer_keeps_its_word() -> None:
    assert redact_text(f"Authorization: Bearer {BEARER}", Secrets({})) == f"Authorization: Bearer {R}"


def test_a_number_that_a_name_calls_a_password_goes_and_any_other_stays() -> None:
    body = {
        "pass" + "word": 482913,
        "max_tokens": 482913,
        "token": 482913,
        "pass" + "code": {"length": 6},
        "password_age": 9,
    }
    exchange, _ = redact(run_of(request=JsonBody(body), response=TextBody(json.dumps(body))))
    assert value(exchange.request.body) == {**body, "password": R}
    assert exchange.response.body == TextBody(json.dumps({**body, "password": R}))


@pytest.mark.parametrize("form", ["8844221199", "8844221199.0", "-8844221199", "188442211990", "0.8844221199"])
def test_a_number_that_holds_the_digits_of_a_known_value_goes_and_json_stays_json(form: str) -> None:
    text = f'{{"a": [{form}, 1], "b": {{"c":{form}}}}}'
    body = TextBody(f"{text}\n", "duplicate")
    exchange, _ = redact(run_of(request=JsonBody(json.loads(text)), response=body))
    assert value(exchange.request.body) == {"a": [R, 1], "b": {"c": R}}
    assert exchange.response.body == TextBody(f'{{"a": ["{R}", 1], "b": {{"c":"{R}"}}}}\n', "duplicate")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_bytes_that_are_text_in_utf_16_stay_such(encoding: str) -> None:
    text = '{"caf\u00e9": "REST", "token": "lettersonlysecret"}'
    body = BytesBody(text.replace("REST", OPENAI).encode(encoding))
    exchange, findings = redact(run_of(request=body))
    expected = text.replace("REST", R).replace("lettersonlysecret", R)
    assert exchange.request.body == BytesBody(expected.encode(encoding))
    assert {found.path for found in findings} == {
        "/exchanges/0/request/body/caf\u00e9",
        "/exchanges/0/request/body/token",
    }


def test_text_in_utf_16_inside_of_other_bytes_is_read() -> None:
    wide = "my lettersonlysecret here".encode("utf-16-le")
    exchange, _ = redact(run_of(request=BytesBody(b"\xff\x01\x80" * 200 + wide + b"\xfe\xff")))
    left = "my ".encode("utf-16-le") + R.encode() + " here".encode("utf-16-le")
    assert exchange.request.body == BytesBody(b"\xff\x01\x80" * 200 + left + b"\xfe\xff")


def test_a_form_has_plus_signs_for_blanks() -> None:
    body = TextBody("a=1&key=" + urllib.parse.quote_plus(PEM) + "&b=2")
    exchange, _ = redact(run_of(request=body))
    assert exchange.request.body == TextBody(f"a=1&key={R}&b=2")


DEEP = 99


@pytest.mark.parametrize(
    "around",
    [
        "\ud800 {} \udfff",
        "\0{}\0",
        "lorem ipsum " * 50_000 + "{} \n\t" + '"dolor" \\ ' * 50_000,
        '{{"a": "{}", "a": "{}", "n": 1' + "0" * 5000 + ', "a": {{}}}}',
        '{{"a": "{}", "a": "{}", "n": 1e999, "m": -0}}',
        "[" * 900 + '"{}"' + "]" * 900,
        "[" * 100_000 + '"{}"' + "]" * 100_000,
        '{{"a":[' * DEEP + '"{}"' + "]}}" * DEEP,
        '"{}',
        '["{}", \ud83d',
        "data: {}\n\ndata: [[[\n\n: {}\r\r\n\n\n",
    ],
    ids=lambda around: around[:12],
)
def test_odd_texts(around: str) -> None:
    text = around.replace("{}", f"x {OPENAI} lettersonlysecret y").replace("{{", "{").replace("}}", "}")
    expected = text.replace(OPENAI, R).replace("lettersonlysecret", R)
    exchange, _ = redact(run_of(request=TextBody(text), response=JsonBody({"inner": [text]})))
    assert exchange.request.body == TextBody(expected)
    assert value(exchange.response.body) == {"inner": [expected]}


def test_a_body_as_deep_as_is_kept() -> None:
    document = json.loads('{"a":[' * DEEP + f'"{OPENAI}"' + "]}" * DEEP)
    exchange, findings = redact(run_of(request=JsonBody(document)))
    assert exchange.request.body == JsonBody(json.loads('{"a":[' * DEEP + f'"{R}"' + "]}" * DEEP))
    assert len(findings) == 1
