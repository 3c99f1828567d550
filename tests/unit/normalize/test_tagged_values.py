"""Ids and times inside tagged values become placeholders, and their tags stay."""

from __future__ import annotations

from typing import Any

import pytest

from stepfork.normalize.known import Context
from stepfork.normalize.normalize import normalize_run
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Step, Trace

START = 1_764_590_400 * 10**9  # 2025-12-01T12:00:00Z


def normalized(*results: Any) -> list[Any]:
    steps = tuple(
        Step("tool_call", "t", at, at, result=value, raised=value, instrumented=True)
        for at, value in enumerate(results)
    )
    run = Run(Source(kind="in_process", replay_capable=False), Trace("instrumented", steps))
    made = normalize_run(run, Context(START, START + 10**9))
    assert normalize_run(made, None, templated=True) == made
    return [step.result for step in made.trace.steps]


MADE = "215ed1c0-c208-45bb-8e64-4332abefa4fa"


def test_a_uuid_object_that_was_made_is_an_id_wherever_its_text_stands() -> None:
    tagged, text = normalized({"$py": "uuid", "value": MADE}, f"order {MADE}")
    assert tagged == {"$py": "uuid", "value": "{{id_1}}"}
    assert text == "order {{id_1}}"


@pytest.mark.parametrize("name", ["886313e1-3b8a-5372-9b90-0c9aee199e5d", "00000000-0000-0000-0000-000000000000"])
def test_a_uuid_that_is_computed_from_a_name_is_the_same_in_each_run(name: str) -> None:
    assert normalized({"$py": "uuid", "value": name}) == [{"$py": "uuid", "value": name}]


def test_a_clock_in_a_tag_and_an_address_in_a_dataclass() -> None:
    clock = {"$py": "datetime", "value": "2025-12-01T12:00:00.123456+00:00"}
    fixed = {"$py": "datetime", "value": "1999-01-01T00:00:00"}
    owner = {"$py": "dataclass", "type": "app:Owner", "value": {"email": "ann@example.com", "at": clock}}
    made = normalized([clock, fixed], owner)
    assert made[0][0]["$py"] == "datetime"
    assert made[0][0]["value"].startswith("{{timestamp_")
    assert made[0][1] == fixed
    assert made[1]["type"] == "app:Owner"
    assert made[1]["value"]["email"] == "{{email_1}}"
