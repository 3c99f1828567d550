"""What holds of every comparison."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from stepfork.canonical.encode import dumps
from stepfork.cli.render.diff_json import diff_document
from stepfork.cli.render.diff_text import render_report
from stepfork.diff.alignment import Item, align
from stepfork.diff.fixture_diff import DiffOptions, diff_fixtures
from stepfork.diff.json_diff import json_diff
from stepfork.diff.lcs import common
from stepfork.diff.text_diff import changed_lines, windows
from stepfork.providers.normal import normal_request
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture, Run, Source
from stepfork.trace.step import Trace
from tests.unit.diff.conversations import diff_requests

ALL = DiffOptions(responses=True, trace=True)
words = st.sampled_from(["a", "b", "refund", "{{id_1}}", "{{id_2}}", "{{email_1}}", "é", "\n", "\x1b[2J", "", "1"])
costly = settings(deadline=None, max_examples=40)  # an example is a comparison of whole fixtures
texts = st.lists(words, max_size=5).map(" ".join)
scalars = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.0, 1.0, -1.0, 0.5]), texts)
keys = st.sampled_from(["a", "b", "__x", "a/b", "~", "", "id", "name"])
json_values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=12,
)
calls = st.builds(
    lambda number, name, arguments: {
        "id": f"call_{{{{id_{number}}}}}",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    },
    st.integers(1, 4),
    st.sampled_from(["lookup", "refund"]),
    st.one_of(texts, json_values.map(json.dumps)),
)
messages = st.one_of(
    st.builds(
        lambda role, text: {"role": role, "content": text}, st.sampled_from(["user", "assistant", "system"]), texts
    ),
    st.builds(lambda made: {"role": "assistant", "content": None, "tool_calls": made}, st.lists(calls, max_size=2)),
    st.builds(
        lambda number, text: {"role": "tool", "tool_call_id": f"call_{{{{id_{number}}}}}", "content": text},
        st.integers(1, 4),
        st.one_of(texts, json_values.map(json.dumps)),
    ),
    st.builds(lambda value: {"role": "user", "content": [{"type": "text", "text": "x", "extra": value}]}, json_values),
)
bodies = st.fixed_dictionaries(
    {"messages": st.lists(messages, max_size=5)},
    optional={
        "model": st.sampled_from(["m1", "m2"]),
        "temperature": scalars,
        "tools": st.lists(
            st.builds(
                lambda name, value: {"type": "function", "function": {"name": name, "parameters": value}},
                st.sampled_from(["lookup", "refund"]),
                json_values,
            ),
            max_size=2,
        ),
        "odd": json_values,
    },
)
exchanges = st.builds(
    lambda api, body, answer: Exchange(
        "openai",
        api,
        Request("POST", "/chat/completions" if api == "chat_completions" else "/x", body=JsonBody(body)),
        Response(
            200, body=JsonBody({"choices": [{"index": 0, "message": {"content": answer}, "finish_reason": "stop"}]})
        ),
    ),
    st.sampled_from(["chat_completions", "chat_completions", "responses", "other"]),
    bodies,
    texts,
)
fixtures = st.builds(
    lambda made: Fixture("f", Run(Source("command", True), Trace("exchanges", ()), tuple(made))),
    st.lists(exchanges, max_size=4),
)


def reversed_members(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: reversed_members(value[name]) for name in reversed(value)}
    return [reversed_members(item) for item in value] if isinstance(value, list) else value


def at(value: Any, path: str) -> Any:
    for step in path.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


@given(st.lists(st.integers(0, 4), max_size=9), st.lists(st.integers(0, 4), max_size=9), st.integers(1, 2))
def test_ops_make_the_new_sequence_of_the_old_one(old: list[int], new: list[int], kinds: int) -> None:
    def items(values: list[int]) -> list[Item]:
        return [Item((value, value % 3), value % kinds, (f"word {value}",)) for value in values]

    ops = align(items(old), items(new))
    applied = [
        old[op.old] if op.kind in ("same", "moved") and op.old is not None else new[op.new]
        for op in ops
        if op.new is not None
    ]
    assert applied == new
    assert sorted(op.old for op in ops if op.old is not None) == list(range(len(old)))
    assert [op.new for op in ops if op.new is not None] == list(range(len(new)))
    reported = sum(op.kind != "same" for op in ops)
    assert reported <= len(old) + len(new) - 2 * len(common(old, new))


@given(json_values, json_values)
def test_json_differs_exactly_where_canonical_bytes_do(old: Any, new: Any) -> None:
    assert (json_diff(old, new) == ()) == (dumps(old) == dumps(new))


@given(json_values, json_values)
def test_each_path_exists_and_holds_the_value_that_it_says(old: Any, new: Any) -> None:
    for change in json_diff(old, new):
        before = change.path if change.old_path is None else change.old_path
        if change.change != "added":
            assert dumps(at(old, before)) == dumps(change.old)
        if change.change != "removed":
            assert dumps(at(new, change.path)) == dumps(change.new)


@given(json_values)
def test_the_order_of_members_never_matters(value: Any) -> None:
    assert json_diff(value, reversed_members(value)) == ()


@given(texts, texts)
def test_lines_make_the_new_text_of_the_old_one(old: str, new: str) -> None:
    lines = changed_lines(old, new)
    assert (lines == ()) == (old == new)
    gone = [line.text for line in lines if line.op == "-"]
    come = [line.text for line in lines if line.op == "+"]
    kept_old, kept_new = old.split("\n"), new.split("\n")
    for side, changed in ((kept_old, gone), (kept_new, come)):
        for text in changed:
            side.remove(text)
    assert sorted(kept_old) == sorted(kept_new)


@given(st.text("ab \n", max_size=80), st.text("ab \n", max_size=80), st.integers(4, 40))
def test_windows_of_different_lines_differ(old: str, new: str, width: int) -> None:
    shown = windows(old, new, width)
    assert (shown[0] == shown[1]) == (old == new)


@costly
@given(bodies, bodies)
def test_requests_differ_exactly_where_their_normal_forms_do(old: dict[str, Any], new: dict[str, Any]) -> None:
    first, second = (
        normal_request(
            Exchange(
                "openai", "chat_completions", Request("POST", "/chat/completions", body=JsonBody(body)), Response(200)
            )
        )
        for body in (old, new)
    )
    diff = diff_requests(first, second)
    assert bool(diff) == (dumps(msgspec.to_builtins(first)) != dumps(msgspec.to_builtins(second)))
    again = msgspec.to_builtins(first)
    assert not diff_requests(first, msgspec.convert(copy.deepcopy(again), type(first)))


@costly
@given(fixtures)
def test_a_fixture_never_differs_from_itself_or_from_its_members_in_another_order(one: Fixture) -> None:
    assert not diff_fixtures(one, one, ALL).changed
    assert not diff_fixtures(one, with_bodies(one, reversed_members), ALL).changed


def renamed(value: Any, number: Callable[[int], int]) -> Any:
    """A value with the numbers of its ids and addresses changed."""
    text = msgspec.json.encode(value).decode()
    changed = re.sub(r"\{\{(id|email)_(\d)\}\}", lambda found: f"{{{{{found[1]}_{number(int(found[2]))}}}}}", text)
    return msgspec.json.decode(changed)


def with_bodies(one: Fixture, change: Callable[[Any], Any]) -> Fixture:
    """A fixture whose requests and responses have other bodies."""
    made = [
        msgspec.structs.replace(
            exchange,
            request=msgspec.structs.replace(exchange.request, body=JsonBody(change(exchange.request.body.value))),
            response=msgspec.structs.replace(exchange.response, body=JsonBody(change(exchange.response.body.value))),
        )
        for exchange in one.run.exchanges
        if isinstance(exchange.request.body, JsonBody) and isinstance(exchange.response.body, JsonBody)
    ]
    return msgspec.structs.replace(one, run=msgspec.structs.replace(one.run, exchanges=tuple(made)))


@costly
@given(fixtures, st.integers(1, 5))
def test_numbers_that_earlier_calls_shifted_are_no_change(one: Fixture, by: int) -> None:
    assert not diff_fixtures(one, with_bodies(one, lambda body: renamed(body, lambda number: number + by)), ALL).changed


@costly
@given(fixtures, fixtures)
def test_fixtures_differ_exactly_where_the_normal_forms_of_their_requests_do(old: Fixture, new: Fixture) -> None:
    def plain(body: Any) -> Any:
        return msgspec.json.decode(msgspec.json.encode(body).replace(b"{{", b"(("))

    def forms(one: Fixture) -> bytes:
        told = [(each.api, msgspec.to_builtins(normal_request(each))) for each in one.run.exchanges]
        return dumps([[api, form] for api, form in told])

    old, new = with_bodies(old, plain), with_bodies(new, plain)
    assert diff_fixtures(old, new).changed == (forms(old) != forms(new))


@settings(deadline=None, max_examples=60)
@given(fixtures, fixtures)
def test_any_two_fixtures_are_compared_and_shown(old: Fixture, new: Fixture) -> None:
    for options in (DiffOptions(), ALL):
        diff = diff_fixtures(old, new, options)
        assert bool(diff.exchanges) <= diff.changed
        dumps(diff_document(diff))
        for full in (False, True):
            text = "\n".join(render_report((diff,), full=full))
            assert text.replace("\n", "").isprintable()
        indices = {exchange.index for exchange in diff.exchanges}
        told = {
            index for change in diff.changes if change.section not in ("answer", "run") for index in change.exchanges
        }
        assert told <= indices
