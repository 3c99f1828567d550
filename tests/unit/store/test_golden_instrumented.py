"""The frozen bundle of an instrumented run: written the same for ever, and read alike by a second reader."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stepfork.canonical.encode import dumps
from stepfork.errors import DamagedError
from stepfork.store.bundle import read_bundle
from stepfork.store.codec import encode_fixture
from stepfork.store.fsck import fsck_bundle
from stepfork.store.trace_form import read_trace, trace_document
from stepfork.trace.body import EventsBody
from stepfork.trace.in_process import told_arguments, told_result
from tests.golden.make_instrumented import BUNDLE, calls, fixture
from tests.golden.naive_reader import NaiveBundle


def test_it_is_whole_and_written_the_same() -> None:
    assert fsck_bundle(BUNDLE).findings == ()
    names = {path.parent.name + path.stem: path.read_bytes() for path in BUNDLE.glob("objects/*/*.json")}
    assert encode_fixture(read_bundle(BUNDLE)).objects == names
    assert encode_fixture(fixture()).objects == names


def test_both_readers_give_what_was_called() -> None:
    run, naive = read_bundle(BUNDLE).run, NaiveBundle(BUNDLE)
    by_name: dict[str, list[Any]] = {}
    for call in calls():
        by_name.setdefault(call.asked.name, []).append(call)
    for step, told in zip(run.trace.steps, naive.trace["steps"], strict=True):
        call = by_name[step.name].pop(0)
        body = None if step.exchange is None else run.exchanges[step.exchange].response.body
        events = [*body.events] if isinstance(body, EventsBody) else []
        assert dumps(told_arguments(step, run.exchanges)) == dumps(call.asked.arguments)
        assert dumps(naive.asked(told)) == dumps(call.asked.arguments)
        if call.outcome is None or call.outcome.error is not None:
            assert step.error is not None
            assert step.raised == told.get("raised", step.raised)
            continue
        result = told_result(step, run.exchanges)
        assert json.dumps(result) == json.dumps(call.outcome.result) or step.exchange is not None
        assert dumps(result) == dumps(call.outcome.result)
        assert dumps(naive.answered(told, events)) == dumps(call.outcome.result)
    assert not any(by_name.values())


@pytest.mark.parametrize("damage", [-1, 99, "0", None, True, [0]])
def test_a_shape_that_is_not_there_is_damage(damage: Any) -> None:
    document = json.loads(json.dumps(trace_document(fixture().run.trace)))
    assert read_trace(document) == fixture().run.trace
    step = next(step for step in document["steps"] if "result_shape" in step)
    step["result_shape"] = damage
    with pytest.raises(DamagedError):
        read_trace(document)


@pytest.mark.parametrize("order", ["9", "10*9999999999", 7, "10 10 10 10 10"])
def test_an_order_that_does_not_fit_is_damage(order: Any) -> None:
    document = json.loads(json.dumps(trace_document(fixture().run.trace)))
    step = next(step for step in document["steps"] if "result_order" in step)
    step["result_order"] = order
    with pytest.raises(DamagedError):
        read_trace(document)
