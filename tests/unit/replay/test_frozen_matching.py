"""Recorded inputs against live ones: redacted, templated, one value for one placeholder and the other way round."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from stepfork.normalize.known import Context
from stepfork.normalize.times import is_clocks
from stepfork.redact.secrets import Secrets
from stepfork.replay.frozen_calls import RecordedCall
from stepfork.replay.frozen_matching import Matching
from stepfork.replay.frozen_values import ABSENT, Alike, Unlike
from stepfork.trace.step import StepError

NOW = 1_764_590_400_000_000_000
CONTEXT = Context(started_ns=NOW, ended_ns=NOW, cwd="/srv/agents/booking", home="/home/ada", tmp="/tmp")
UUIDS = ("3f2b8c1e-9d4a-4c7b-8e21-5a6f7b8c9d0e", "a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d")


def matching(*recorded: Any, secrets: dict[str, str] | None = None) -> Matching:
    return Matching("demo", CONTEXT, Secrets.collect(secrets or {}, {}), recorded)


def take(made: Matching, recorded: Any, live: Any) -> Alike | Unlike:
    """Compare, and settle what is alike, as a call does that is answered."""
    found = made.compare(made.redacted(recorded), made.reading(live))
    if isinstance(found, Alike):
        made.settle(found)
    return found


@pytest.mark.parametrize(
    ("recorded", "live"),
    [
        (True, 1),
        (1, 1.0),
        (0.0, -0.0),
        (None, "null"),
        ("1", 1),
        ([], {}),
        ({"$py": "datetime", "value": "1999-12-31T00:00:00"}, "1999-12-31T00:00:00"),
        ({"$py": "float", "value": "nan"}, "nan"),
        ({"$py": "tuple", "value": [1]}, [1]),
    ],
)
def test_values_of_other_types_are_other_values(recorded: Any, live: Any) -> None:
    for old, new in ((recorded, live), (live, recorded)):
        assert take(matching(), {"value": old}, {"value": old}) == Alike()
        assert isinstance(take(matching(), {"value": old}, {"value": new}), Unlike)


@pytest.mark.parametrize(
    ("recorded", "live", "path", "old", "new"),
    [
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, ("a", "b", 1), 2, 3),
        ({"a": [1]}, {"a": [1, None]}, ("a", 1), ABSENT, None),
        ({"a": [1, 2]}, {"a": [1]}, ("a", 1), 2, ABSENT),
        ({"a": None}, {}, ("a",), None, ABSENT),
        ({}, {"x.y": 1}, ("x.y",), ABSENT, 1),
        ({"a": "x", "b": 1}, {"a": "y", "b": 2}, ("a",), "x", "y"),
    ],
)
def test_the_first_place_that_differs_is_told(recorded: Any, live: Any, path: Any, old: Any, new: Any) -> None:
    found = take(matching(), recorded, live)
    assert found == Unlike(path, old, new)


@pytest.mark.parametrize(
    ("placeholder", "one", "other"),
    [
        ("{{email_%d}}", "ada@example.org", "bob@example.org"),
        ("{{id_%d}}", *UUIDS),
        ("order {{id_%d}} of today", f"order {UUIDS[0]} of today", f"order {UUIDS[1]} of today"),
        ("call_{{id_%d}}", "call_a1B2c3D4e5F6g7H8", "call_Z9y8X7w6V5u4T3s2"),
        ("{{id_%d}}-copy", "plain-word-copy", "other_word-copy"),
    ],
)
def test_a_placeholder_stands_for_one_value_and_a_value_for_one_placeholder(
    placeholder: str, one: str, other: str
) -> None:
    first, second = placeholder % 1, placeholder % 2
    made = matching()
    assert isinstance(take(made, {"to": first}, {"to": one}), Alike)
    assert isinstance(take(made, {"to": first}, {"to": one}), Alike)
    assert isinstance(take(made, {"to": first}, {"to": other}), Unlike), "the placeholder stands for another value"
    assert isinstance(take(made, {"to": second}, {"to": one}), Unlike), "the value stands for another placeholder"
    assert isinstance(take(made, {"to": second}, {"to": other}), Alike)
    assert isinstance(take(matching(), [first, first], [one, other]), Unlike)
    assert isinstance(take(matching(), [first, second], [one, one]), Unlike)


def test_what_was_given_is_known_when_it_comes_back() -> None:
    made = matching()
    given = made.given({"to": "{{email_1}}", "order": "{{id_1}}", "copy": "{{email_1}}"})
    assert given["to"] == given["copy"] != "{{email_1}}"
    assert isinstance(take(made, {"who": "{{email_1}}"}, {"who": given["to"]}), Alike)
    assert isinstance(take(made, {"which": "{{id_1}}"}, {"which": given["order"]}), Alike)
    assert isinstance(take(made, {"who": "{{email_2}}"}, {"who": given["to"]}), Unlike)


def test_an_address_of_the_run_s_own_takes_the_place_of_one_that_was_made_up() -> None:
    made, own = matching(), "ada@example.org"
    assert made.given("{{email_1}}") != own
    assert isinstance(take(made, {"it": "{{email_1}}"}, {"it": own}), Alike)
    assert made.given("{{email_1}}") == own
    assert isinstance(take(made, {"it": "{{email_1}}"}, {"it": "eve@example.org"}), Unlike)


def test_an_id_is_the_one_that_the_run_was_given() -> None:
    made = matching()
    given = made.given("{{id_1}}")
    assert isinstance(take(made, {"it": "{{id_1}}"}, {"it": UUIDS[0]}), Unlike)
    assert isinstance(take(made, {"it": "{{id_1}}"}, {"it": given}), Alike)


def test_a_live_value_is_given_back_in_results() -> None:
    made = matching()
    take(made, {"to": "{{email_1}}"}, {"to": "ada@example.org"})
    call = RecordedCall(0, "tool_call", "send", {}, result={"sent": "to {{email_1}}"})
    assert made.answer(call).result == {"sent": "to ada@example.org"}


def test_times_are_valid_and_of_now_and_match_any_of_their_form() -> None:
    made = matching()
    given = made.given({"at": "{{timestamp_1}}", "day": "{{timestamp_2:YYYY-MM-DDThh:mm:ss.ffffff+00:00}}"})
    assert is_clocks(given["at"], NOW, NOW)
    assert datetime.fromisoformat(given["day"]).tzinfo is not None
    later = datetime.fromtimestamp(NOW / 1e9 + 3, UTC)
    assert isinstance(take(made, {"at": "{{timestamp_1}}"}, {"at": later.strftime("%Y-%m-%dT%H:%M:%SZ")}), Alike)
    assert isinstance(take(made, {"at": "{{timestamp_1}}"}, {"at": "soon"}), Unlike)
    assert isinstance(take(made, {"at": "{{timestamp_1}}"}, {"at": later.strftime("%d/%m/%Y %H:%M")}), Unlike)
    assert isinstance(take(made, {"at": "2001-02-03T04:05:06Z"}, {"at": "2001-02-03T04:05:07Z"}), Unlike)


def test_where_this_run_runs_is_given_back_and_compared() -> None:
    made = matching()
    assert made.given("{{cwd}}/out.txt") == "/srv/agents/booking/out.txt"
    assert isinstance(take(made, {"path": "{{cwd}}/out.txt"}, {"path": "/srv/agents/booking/out.txt"}), Alike)
    assert isinstance(take(made, {"path": "{{cwd}}/out.txt"}, {"path": "/srv/agents/other/out.txt"}), Unlike)
    assert isinstance(take(made, {"{{cwd}}/a": 1}, {"/srv/agents/booking/a": 1}), Alike)
    assert isinstance(take(made, {"{{cwd}}/a": 1}, {"/srv/agents/booking/a": 2}), Unlike)


def test_text_that_only_looks_like_a_placeholder_stays_itself() -> None:
    made = matching()
    assert made.given("{{!id_1}} and {{!!email_2}}") == "{{id_1}} and {{!email_2}}"
    assert isinstance(take(made, {"text": "{{!id_1}}"}, {"text": "{{id_1}}"}), Alike)
    assert isinstance(take(made, {"text": "{{!id_1}}"}, {"text": UUIDS[0]}), Unlike)
    assert isinstance(take(made, {"text": "{{unknown_1}}"}, {"text": "{{unknown_1}}"}), Alike)


def test_secrets_are_compared_without_being_told() -> None:
    key = "sk-" + "proj-" + "Zq8" * 12
    known = "-".join(("vK8q", "hunter2", "rose", "77Xz"))
    made = matching(secrets={"SERVICE_KEY": known})
    recorded = {"key": "[redacted]", "text": "log in with [redacted]", "n": 1}
    live = {"key": key, "text": f"log in with {known}", "n": 1}
    assert isinstance(take(made, recorded, live), Alike)
    assert isinstance(take(made, recorded, {**live, "text": "log in with a smile"}), Unlike)
    assert isinstance(take(made, recorded, {**live, "key": "none"}), Unlike)
    found = take(made, {**recorded, "n": 2, "key": "other"}, live)
    assert isinstance(found, Unlike)
    assert key not in repr(found)


def test_a_secret_that_is_younger_than_the_recording_is_taken_out_of_both_sides() -> None:
    word = "correct-horse" + "-battery"
    made = matching(secrets={"SERVICE_TOKEN": word})
    assert isinstance(take(made, {"say": word}, {"say": word}), Alike)


def test_a_recorded_failure_says_the_values_of_this_run() -> None:
    made = matching()
    take(made, {"to": "{{email_1}}"}, {"to": "ada@example.org"})
    raised = {"$py": "exception", "type": "builtins:ValueError", "args": ["no {{email_1}}"]}
    call = RecordedCall(0, "tool_call", "send", {}, error=StepError("ValueError", "no {{email_1}}"), raised=raised)
    answer = made.answer(call)
    assert answer.error == StepError("ValueError", "no ada@example.org")
    assert answer.raised == {**raised, "args": ["no ada@example.org"]}


def test_a_long_text_with_many_placeholders_is_read_in_one_pass() -> None:
    recorded = "".join(f"item {{{{id_{number}}}}}; " for number in range(1, 2001))
    live = "".join(f"item w{number}q; " for number in range(1, 2001))
    made = matching()
    assert isinstance(take(made, {"text": recorded}, {"text": live}), Alike)
    assert isinstance(take(made, {"text": recorded}, {"text": live[:-2] + "!"}), Unlike)
