"""What people and services write is stored as it is, wherever it stands."""

import json

import msgspec
import pytest

from stepfork.normalize.normalize import normalize_run
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Step, Trace
from tests.unit.normalize.scripted import World, exchange

VALUES = (
    # SKUs, order numbers, tickets, references
    "SKU-2024-11-05-XL", "O-1042", "ORD-20270115-00017", "INV/2027/0042", "B-88", "PO#4500017", "TCK-1042", "RMA 77-A",
    "Q7K2MP", "LH 454", "978-3-16-148410-0", "DE89370400440532013000", "1Z999AA10123456784", "A1B2C3", "X7-PRO-256GB",
    "call_the_customer_at_5pm", "run_tests_2", "item_12345678901234567890", "step_1", "batch_size_128", "thread-9",
    "msg_count_per_day_2027", "file-2027-01-15", "file-quarterly-report-2027", "event_1", "group_b", "session-3",
    # models and versions
    "gpt-4.1-2025-04-14", "claude-sonnet-4-5-20250929", "gemini-2.5-flash-preview-05-20", "llama-3.3-70b-versatile",
    "ft:gpt-4o-mini-2024-07-18:acme::9x8Y7z6W", "mistral-large-2411", "us.anthropic.claude-sonnet-4-20250514-v1:0",
    "1.2.20240101", "v2.11.0-rc.1", "2027.1.15", "python 3.13.1", "pkg@1.2.3", "node:22-alpine",
    # hashes and ids that somebody typed
    "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3", "a94a8fe", "d41d8cd98f00b204e9800998ecf8427e",
    "716077ee-e829-4b61-ace2-2c2e56f5f989", "9695BB6D-C521-90FC-925B-C4ED0F7798DB",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "01ARZ3NDEKTSV4RRFFQ69G5FAV", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "#1042",
    # dates, times, durations, numbers
    "2027-01-15", "15.01.2027", "01/15/2027", "15 January 2027", "10:02", "10:02:33", "2027-01-15 19:00",
    "January 15, 2027 at 7:00 PM", "2020-01-01T00:00:00Z", "2027-02-20T10:00:00+01:00", "2027-W03", "2027-01", "PT15M",
    "3.5 s", "1800000000", "1800000000123", "42", "3.14", "1,299.00", "99.9%", "+3", "EUR 40.00",
    # addresses of other kinds, code, prose
    "git@github.com:acme/shop.git", "icon@2x.png", "user@localhost", "@ada", "http://localhost:8000/x",
    "127.0.0.1:5432",
    "https://example.com/item_1/call_2", "/srv/reports/2027/q1.csv", "C:\\\\reports\\\\q1.csv", "order_id = 'O-1042'",
    "jump at 0x08001234", "line 42, in main", "pid 4711", "Thread-3 (worker)", "Order(id='O-1042', created=5)",
    "{{customer}}", "{{ user }}", "${HOME}", "{{name}}", "the request id of the form", "request id: none",
)  # fmt: skip
NAMES = ("id", "call_id", "conversation_id", "created", "created_at", "duration_ms", "timestamp", "session_id", "sku")


def built(value):
    """A run with `value` in system prompt, messages, arguments, results, schemas, headers, metadata and the trace."""
    data = dict.fromkeys(NAMES, value) | {"deep": [{"text": value}, [value]]}
    inside = json.dumps({"result": json.dumps(data)})
    call = {"id": "call_1", "type": "function", "function": {"name": "t", "arguments": json.dumps(data)}}
    schema = {"type": "object", "properties": {"a": {"type": "string", "description": value, "default": value}}}
    chat = {
        "model": value,
        "stop": [value],
        "user": value,
        "metadata": {"note": value, "user_id": value},
        "tools": [{"type": "function", "function": {"name": "t", "description": value, "parameters": schema}}],
        "messages": [
            {"role": "system", "content": f"You know {value}."},
            {"role": "user", "content": value, "name": "ada"},
            {"role": "assistant", "content": f"({value})", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": inside},
        ],
    }
    said = {"role": "assistant", "content": f"It is {value}, I think.", "tool_calls": [call]}
    answer = {"model": value, "choices": [{"message": said}]}
    first = exchange("chat_completions", chat, answer, headers={"retry-after": value})
    block = {"type": "tool_use", "id": "x", "name": "t", "input": data}
    messages = {"system": [{"type": "text", "text": value}], "messages": [{"role": "assistant", "content": [block]}]}
    second = exchange("messages", messages, {"content": [block]}, provider="anthropic")
    opaque = Exchange("shop", "opaque", Request("POST", "/q", body=JsonBody(data)), Response(200, body=JsonBody(data)))
    step = Step("tool_call", "t", 1, 2, arguments=data, result=inside)
    return Run(Source("command", True), Trace("spans", (step,), input=value, output=data), (first, second, opaque))


@pytest.mark.parametrize("value", VALUES)
def test_data_is_stored_as_it_is_in_every_position(value):
    run = built(value)
    made = msgspec.json.encode(normalize_run(run, World(1).context())).decode()
    assert made.replace("call_{{id_1}}", "call_1").replace('"{{id_2}}"', '"x"') == msgspec.json.encode(run).decode()


def test_there_are_enough():
    assert len(set(VALUES)) >= 60
