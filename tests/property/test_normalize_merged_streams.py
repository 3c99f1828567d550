"""Events that are read as one become what each would have become alone, byte for byte."""

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.normalize import normalizer, own_telling, telling
from stepfork.normalize.merging import Merged
from stepfork.normalize.normalize import normalize_run
from stepfork.normalize.own import OwnRules
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Trace
from tests.unit.normalize.scripted import World, exchange

WORLD = World(5)
VALUES = (
    "ada@example.com", WORLD.id("call_"), "/home/mkowalski/agent/x", "2027-01-15T08:00:00.5Z", "plain words ",
    'quote " and \\ back', "{{id_1}}", "é\u2028\U0001f600", "Q7K2MP", "1796064174", "\n", "",
)  # fmt: skip
texts = st.lists(st.sampled_from(VALUES), max_size=6).map("".join)
cuts = st.lists(st.integers(0, 9), max_size=14)
OWN = OwnRules(id_fields=("ref",), id_patterns=("Q7[A-Z0-9]{4}",), literal_patterns=("plain",))


def cut(text, sizes):
    pieces, cursor = [], 0
    for size in sizes:
        pieces.append(text[cursor : cursor + size])
        cursor += size
    return [*pieces, text[cursor:]]


def chat(pieces, ascii_only, other):
    head = {"id": WORLD.id("chatcmpl-", 29), "created": 1800000000, "system_fingerprint": "fp_a1b2", "ref": "Q7K2MP"}
    for number, piece in enumerate(pieces):
        delta = {"content": piece} if not other or number % 5 else {"reasoning": piece, "content": None}
        yield head | {"choices": [{"index": 0, "delta": delta}], "obfuscation": "x" * (number % 4)}


def calls(pieces, ascii_only, other):
    for number, piece in enumerate(pieces):  # of one call, or of two in turn
        call = {"index": number % 2 if other else 0, "function": {"arguments": piece}}
        yield {"id": "x-1", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}], "usage": None}


def responses(pieces, ascii_only, other):
    item = WORLD.hex("msg_", 48)
    for number, piece in enumerate(pieces):
        event = {"type": "response.output_text.delta", "item_id": item, "output_index": 0, "content_index": 0}
        yield event | {"sequence_number": number, "delta": piece, "logprobs": [], "obfuscation": "ab"[: number % 3]}
    yield {"type": "response.output_text.done", "item_id": item, "text": "".join(pieces), "sequence_number": 99}


def messages(pieces, ascii_only, other):
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    for piece in pieces:
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
        if other and len(piece) == 3:
            yield {"type": "ping"}
    yield {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "Eq" * 9}}


def unknown(pieces, ascii_only, other):
    for piece in pieces:
        yield {"id": "x-2", "message": {"content": piece}, "created_at": "2027-01-15T08:00:00Z"}


APIS = {
    chat: "chat_completions",
    calls: "chat_completions",
    responses: "responses",
    messages: "messages",
    unknown: "chat_completions",
}


def built(shape, pieces, ascii_only, other, named):
    events = [json.dumps(event, ensure_ascii=ascii_only) for event in shape(pieces, ascii_only, other)]
    name = "event: delta\n" if named else ""
    stream = "".join(f"{name}data: {event}\n\n" for event in events) + "data: [DONE]\n\n"
    sent = exchange(APIS[shape], {"input": "x"}, stream)
    return Run(Source("command", True), Trace("spans", ()), (sent,))


def one_by_one(run, context):
    with pytest.MonkeyPatch.context() as patch:
        for module in (normalizer, own_telling, telling):
            patch.setattr(module, "merged_of", lambda body, api: None)
        return normalize_run(run, context)


@settings(max_examples=250, deadline=None)
@given(st.sampled_from(list(APIS)), texts, cuts, st.tuples(*[st.booleans()] * 4))
def test_merged_events_become_what_each_would_alone(shape, text, sizes, flags):
    *flags, with_own = flags
    run = built(shape, cut(text, sizes), *flags)
    context = World(5).context()
    context = msgspec.structs.replace(context, own=OWN) if with_own else context
    assert normalize_run(run, context) == one_by_one(run, context)


def test_a_long_stream_is_read_as_a_few_events():
    run = built(chat, ["word "] * 500, False, False, True)
    body = run.exchanges[0].response.body
    assert len(Merged(body, "chat_completions").events) < 6


def test_what_is_no_piece_of_a_text_is_not_merged():
    run = built(unknown, ["a"] * 5, False, False, False)
    body = run.exchanges[0].response.body
    assert Merged(body, "chat_completions").events == body.events
