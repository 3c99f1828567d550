"""Documents one after another: what they spell out together, whatever form says that they belong together."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from stepfork.rewrite.concatenated import documents_edits, documents_in, rewrite_items
from stepfork.rewrite.events import rewrite_events
from stepfork.rewrite.place import Edit, Place, Rewriter, apply_edits
from stepfork.rewrite.text import rewrite_text
from stepfork.rewrite.value import rewrite_value

HERE = Place(("exchange", 0, "response"), ("body",))


class Hide(Rewriter):
    """Hides a word, also where texts spell it together."""

    reads_across = True

    def text(self, text: str, place: Place) -> Sequence[Edit]:
        return [Edit(m.start(), m.end(), "[gone]") for m in re.finditer("topsecret", text)]

    def key(self, text: str, place: Place) -> Sequence[Edit]:
        return self.text(text, place)

    def across(self, texts: Sequence[str], place_of: Callable[[int], Place]) -> Sequence[Sequence[Edit]]:
        from stepfork.rewrite.joined import Joined

        joined = Joined(texts)
        edits: list[list[Edit]] = [[] for _ in texts]
        for edit in self.text(joined.text, place_of(0)):
            for number, share in joined.shares(edit):
                edits[number].append(share)
        return edits


class HideEach(Hide):
    """Hides the word where it stands in one piece, and in streams of a known form."""

    reads_across = False


PIECES = ["a to", "", "p", "secret", " b"]
LEFT = ["a [gone]", "", "", "", " b"]


def data(document: Any, name: str = "") -> str:
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(document)}"


def read(event: str) -> Any:
    return json.loads(event.partition("data: ")[2])


def test_a_field_that_no_provider_names_is_read_over_its_events() -> None:
    events = [data({"v": 2, "out": [{"voice": piece}]}) for piece in PIECES]
    assert [read(event)["out"][0]["voice"] for event in rewrite_events(events, HERE, Hide())] == LEFT
    assert list(rewrite_events(events, HERE, HideEach())) == events


@pytest.mark.parametrize("mark", ["index", "type", "id", "event", "list"])
def test_texts_that_come_interleaved_are_told_apart(mark: str) -> None:
    events = []
    for piece in PIECES:
        for which in ("x", "y"):
            said = piece if which == "x" else "other "
            if mark == "event":
                events.append(data({"piece": said}, which))
            elif mark == "list":
                events += [data({"pieces": [piece, "other "]})] if which == "x" else []
            else:
                events.append(data({mark: {"x": 0, "y": 1}[which] if mark == "index" else which, "piece": said}))
    made = rewrite_events(events, HERE, Hide())
    mine = [read(event)["pieces"][0] for event in made] if mark == "list" else [read(e)["piece"] for e in made[::2]]
    assert mine == LEFT


def test_data_that_is_plain_text_is_read_over_its_events_and_lines() -> None:
    events = ["data: a to", "event: x\ndata: p\ndata:", "data: [DONE]"]
    assert list(rewrite_events(events, HERE, Hide())) == events, "a line ends what it says"
    assert list(rewrite_events(["data: a to", "data: psecret b"], HERE, Hide())) == ["data: a [gone]", "data:  b"]


def test_a_stream_of_strings_is_one_text() -> None:
    made = rewrite_events([data(piece) for piece in PIECES], HERE, Hide())
    assert [read(event) for event in made] == LEFT


def test_words_of_the_protocol_are_no_pieces_of_a_text() -> None:
    events = [data({"id": piece, "type": piece, "x": ["same"]}) for piece in PIECES]
    assert list(rewrite_events(events, HERE, Hide())) == events


def test_blocks_of_an_answer_may_spell_one_text() -> None:
    events = [
        data({"type": "content_block_delta", "index": index // 2, "delta": {"type": "text_delta", "text": piece}})
        for index, piece in enumerate(PIECES)
    ]
    made = rewrite_events(events, HERE, Hide(), "messages")
    assert [read(event)["delta"]["text"] for event in made] == LEFT


def test_the_mark_of_an_encoding_stands_before_the_first_field() -> None:
    events = [
        "\ufeff" + data({"choices": [{"delta": {"content": "a top"}}]}),
        data({"choices": [{"delta": {"content": "secret"}}]}),
    ]
    made = rewrite_events(events, HERE, HideEach())
    assert made[0] == events[0].replace("a top", "a [gone]")
    assert read(made[1])["choices"][0]["delta"]["content"] == ""


def test_events_in_one_text_are_each_read_whole() -> None:
    """Where a stream spells its blank lines in two ways it is cut at one of them alone."""
    one = ["data: {", 'data: "choices": [{"delta": {"content": "PIECE"}}]}']
    text = "\r\n\r\n".join("\r\n".join(one).replace("PIECE", piece) for piece in ("a top", "secret b"))
    made = rewrite_events([text], HERE, HideEach())
    assert made == (text.replace("a top", "a [gone]").replace("secret b", " b"),)


def test_two_names_of_an_event_that_become_one_stay_two() -> None:
    (made,) = rewrite_events([data({"a topsecret": 1, "a [gone]": 2, "b": {"topsecret": 3}})], HERE, Hide())
    assert read(made) == {"a [gone]#2": 1, "a [gone]": 2, "b": {"[gone]": 3}}


LINES = {
    "lines": "\n".join,
    "lines with ends": lambda documents: "".join(f"{one}\r\n" for one in documents),
    "array": lambda documents: "[" + "\n,\r\n".join(documents) + "]",
    "array cut off": lambda documents: "[" + ",\n".join(documents) + ',\n{"cut": "o',
    "sequence": lambda documents: "".join(f"\x1e{one}\n" for one in documents),
    "one line": "".join,
    "spread out": lambda documents: "\n".join(json.dumps(json.loads(one), indent=2) for one in documents),
}


@pytest.mark.parametrize("form", LINES)
@pytest.mark.parametrize("path", [("message", "content"), ("a", "piece")])
def test_documents_in_one_text(form: str, path: tuple[str, str]) -> None:
    documents = [json.dumps({path[0]: {path[1]: piece}, "done": False}) for piece in PIECES]
    text = LINES[form](documents)
    found = documents_in(text)
    assert len(found) == len(PIECES)
    made = apply_edits(text, documents_edits(text, found, HERE, Hide()))
    assert [value[path[0]][path[1]] for _, _, value in documents_in(made)] == LEFT
    if path[0] == "message":
        known = apply_edits(text, documents_edits(text, found, HERE, HideEach()))
        assert [value["message"]["content"] for _, _, value in documents_in(known)] == LEFT


@pytest.mark.parametrize("text", ["", "{}", '{"a": 1} and prose {"b": 2}', "[1]\n[x]", "1\n2\n3", "prose", "{", "[\n"])
def test_other_texts_are_no_documents(text: str) -> None:
    assert documents_in(text) == []


def test_what_follows_the_documents_is_read_as_text() -> None:
    text = '{"a": "x"}\n{"a": "y"}\nlast line topsecret'
    made = apply_edits(text, documents_edits(text, documents_in(text), HERE, Hide()))
    assert made == text.replace("topsecret", "[gone]")


def test_an_array_that_was_streamed() -> None:
    items = [{"candidates": [{"content": {"parts": [{"text": piece}]}}], "n": 1.0} for piece in PIECES]
    made = rewrite_items(items, HERE, Hide())
    assert [item["candidates"][0]["content"]["parts"][0]["text"] for item in made] == LEFT
    assert made[4] is items[4], "no document is written anew in which nothing changed"
    assert rewrite_items(made, HERE, Hide()) is made


@pytest.mark.parametrize(
    "wrap",
    [
        lambda pieces: pieces,
        lambda pieces: [{"type": "text", "text": piece} for piece in pieces],
        lambda pieces: [{"type": "thinking", "thinking": piece} for piece in pieces],
    ],
)
def test_strings_in_a_row_are_read_as_one(wrap: Callable[[list[str]], list[Any]]) -> None:
    document = {"x": [{"content": wrap(PIECES)}]}
    expected = {"x": [{"content": wrap(LEFT)}]}
    assert rewrite_value(document, HERE, Hide()) == expected
    for text in (json.dumps(document), json.dumps(json.dumps(document)), json.dumps(document, ensure_ascii=False)):
        made = json.loads(rewrite_text(text, HERE, Hide()))
        assert (json.loads(made) if isinstance(made, str) else made) == expected
    assert rewrite_value(document, HERE, HideEach()) is document
