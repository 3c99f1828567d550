"""What the JSON document of a comparison says is enough to make the new messages of the old ones, and no more."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.cli.render.diff_json import diff_document
from stepfork.diff.fixture_diff import diff_fixtures
from stepfork.diff.lcs import common
from stepfork.providers.normal import normal_request
from tests.property.test_diff_properties import at, bodies, renamed, with_bodies
from tests.unit.diff.conversations import chat, fixture

Message = dict[str, Any]
Told = tuple[str, Counter[str]]
"""A message as the document tells it: its role and its lines, in any order."""

costly = settings(deadline=None, max_examples=60)
START = {"role": "user", "content": "start"}
texts = st.lists(st.sampled_from(["a", "b", "refund", "é", "1", "\n"]), min_size=1, max_size=6).map(" ".join)
messages = st.one_of(
    st.builds(
        lambda role, text: {"role": role, "content": text}, st.sampled_from(["user", "assistant", "system"]), texts
    ),
    st.builds(lambda text: {"role": "tool", "tool_call_id": "call_1", "content": text}, texts),
)
lists = st.lists(messages, max_size=7)


@st.composite
def edited(draw: st.DrawFn) -> tuple[list[Message], list[Message]]:
    """Two lists of messages, the second mostly the first after some edits."""
    old = draw(lists)
    if draw(st.booleans()):
        return old, draw(lists)
    new = list(old)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(new)))
        if new and draw(st.booleans()):
            taken = new.pop(min(place, len(new) - 1))
            if draw(st.booleans()):
                new.insert(draw(st.integers(0, len(new))), taken)
        else:
            new.insert(place, draw(messages))
    return old, new


def applied(old: list[Told], document: dict[str, Any]) -> list[Told]:
    """The old list with the operations of a document done, from the document alone."""
    ops = [
        op
        for exchange in document["exchanges"]
        for part in ("messages", "tool_results")
        for op in exchange.get(part, ())
    ]
    gone = {op.get("old_index", op["index"]) for op in ops if op["change"] != "added"}
    kept = [told for place, told in enumerate(old) if place not in gone]
    come: dict[int, Told] = {}
    for op in ops:
        if op["change"] != "removed":
            lines = Counter() if op["change"] == "added" else Counter(old[op.get("old_index", op["index"])][1])
            lines.subtract(line["text"] for line in op["lines"] if line["op"] == "-")
            lines.update(line["text"] for line in op["lines"] if line["op"] == "+")
            come[op["index"]] = (op["role"], +lines)
    made: list[Told] = []
    while kept or come:
        made.append(come.pop(len(made)) if len(made) in come else kept.pop(0))
    return made


@costly
@given(edited())
def test_operations_of_a_document_make_the_new_messages_of_the_old_ones(
    both: tuple[list[Message], list[Message]],
) -> None:
    sides = [[START, *side] for side in both]
    document = diff_document(diff_fixtures(*(fixture([chat(side, "ok")]) for side in sides)))
    old, new = ([(one["role"], Counter(one["content"].split("\n"))) for one in side] for side in sides)
    assert applied(old, document) == new
    said = [
        op
        for exchange in document["exchanges"]
        for part in ("messages", "tool_results")
        for op in exchange.get(part, ())
    ]
    keys = [[msgspec.json.encode(one) for one in side] for side in sides]
    assert len(said) <= len(old) + len(new) - 2 * len(common(*keys))


@settings(deadline=None, max_examples=25)
@given(bodies, bodies)
def test_each_path_of_a_document_exists(old: dict[str, Any], new: dict[str, Any]) -> None:
    sides = [chat([], "ok") for _ in range(2)]
    made = [with_bodies(fixture([one]), lambda _, body=body: body) for one, body in zip(sides, (old, new), strict=True)]
    forms = [normal_request(one.run.exchanges[0]) for one in made]
    for exchange in diff_document(diff_fixtures(*made))["exchanges"]:
        if exchange["change"] != "changed":
            continue
        found = [(field, [form.params for form in forms]) for field in exchange.get("params", ())]
        found += [
            (field, [form.tools.get(tool["name"]) for form in forms])
            for tool in exchange.get("tools", ())
            for field in tool["fields"]
        ]
        for field, (before, after) in found:
            if field["change"] == "removed":
                at(before, field["path"])
            else:
                at(after, field["path"])
                assert field["change"] == "added" or at(before, field.get("old_path", field["path"])) is not Ellipsis


@costly
@given(st.lists(st.sampled_from(["{{id_1}}", "{{id_2}}", "{{id_3}}", "a", "\n"]), max_size=6))
def test_two_ids_that_became_one_are_a_change(words: list[str]) -> None:
    said = [{"role": "user", "content": " ".join(words)}, {"role": "user", "content": "{{id_1}} or {{id_2}}"}]
    one = fixture([chat(said, "ok")])
    merged = with_bodies(one, lambda body: renamed(body, lambda number: 1 if number == 2 else number))
    assert diff_fixtures(one, merged).changed
    assert diff_fixtures(merged, one).changed
