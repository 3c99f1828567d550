"""Streams: deltas are joined, edited and given back; every event stays one event; untouched bytes stay."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise

import pytest

from stepfork.rewrite.events import rewrite_events
from stepfork.rewrite.place import Edit, Place, Rewriter

HERE = Place(("exchange", 0, "response"), ("body",))


class Hide(Rewriter):
    def text(self, text: str, place: Place) -> Sequence[Edit]:
        return [Edit(m.start(), m.end(), "[gone]") for m in re.finditer("topsecret", text)]


def chat(piece: str, spaced: bool = False) -> str:
    body = {"id": "x", "choices": [{"index": 0, "delta": {"content": piece}}]}
    return "data: " + json.dumps(body, separators=None if spaced else (",", ":"))


def contents(events: Sequence[str]) -> list[str]:
    return [json.loads(event[6:])["choices"][0]["delta"]["content"] for event in events]


@pytest.mark.parametrize("cuts", [(3,), (1, 2, 3, 4, 5, 6, 7, 8), (12, 14), (0,)])
def test_a_word_split_over_deltas_is_gone_from_the_joined_text(cuts: tuple[int, ...]) -> None:
    text = "see topsecret now"
    ends = [0, *sorted(4 + cut for cut in cuts if 4 + cut < len(text)), len(text)]
    pieces = [text[a:b] for a, b in pairwise(ends)]
    made = rewrite_events([chat(piece) for piece in pieces], HERE, Hide(), "chat_completions")
    assert "".join(contents(made)) == "see [gone] now"
    assert len(made) == len(pieces)
    touched = [index for index, piece in enumerate(contents(made)) if "[gone]" in piece]
    assert len(touched) == 1


def test_the_first_delta_that_is_touched_gets_the_marker() -> None:
    made = rewrite_events([chat("a top"), chat("sec"), chat("ret b")], HERE, Hide(), "chat_completions")
    assert contents(made) == ["a [gone]", "", " b"]


def test_events_in_which_nothing_changed_keep_their_bytes() -> None:
    events = [": keep-alive", chat("x", spaced=True), "event: ping\r\ndata: {}", "data: [DONE]", ""]
    assert list(rewrite_events(events, HERE, Hide())) == events


def test_a_word_in_any_other_string_of_an_event_goes_too() -> None:
    events = ['data: {"type":"response.completed","response":{"output":[{"text":"a \\"topsecret\\" b"}]}}']
    made = rewrite_events(events, HERE, Hide(), "responses")
    assert json.loads(made[0][6:])["response"]["output"][0]["text"] == 'a "[gone]" b'


def test_comments_names_and_broken_data_are_read_as_text() -> None:
    events = [": topsecret", "event: topsecret\ndata: topsecret {", "id: topsecret"]
    assert list(rewrite_events(events, HERE, Hide())) == [": [gone]", "event: [gone]\ndata: [gone] {", "id: [gone]"]


def test_tool_arguments_in_deltas_stay_json() -> None:
    def delta(piece: str) -> str:
        call = {"index": 0, "function": {"arguments": piece}}
        return "data: " + json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})

    made = rewrite_events([delta('{"a": "top'), delta("secret"), delta(' \\" x"}')], HERE, Hide(), "chat_completions")
    joined = "".join(
        json.loads(event[6:])["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] for event in made
    )
    assert json.loads(joined) == {"a": '[gone] " x'}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_json_over_several_data_lines_is_one_document(end: str) -> None:
    lines = [
        "event: x",
        "data: {",
        'data:   "choices": [{"index": 0, "delta":',
        'data:{"content": "a top"}}]',
        "data: }",
    ]
    made = rewrite_events([end.join(lines), chat("secret b")], HERE, Hide(), "chat_completions")
    assert made[0] == end.join(lines).replace("a top", "a [gone]")
    assert contents(made[1:]) == [" b"]
