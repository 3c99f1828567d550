"""Secrets inside tagged values: under the same names, what a plain object would lose goes from them too."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from stepfork.redact.redactor import redact_run
from stepfork.redact.rules import Rules
from stepfork.redact.secrets import Secrets
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Step, StepError, Trace

SECRET = "".join(["hunter2", "x", "q9"])


def redacted(value: Any) -> Any:
    step = Step("tool_call", "t", 1, 2, result=value, raised=value, arguments={"given": value}, instrumented=True)
    step = Step(**{**{name: getattr(step, name) for name in step.__struct_fields__}, "error": StepError("E", "m")})
    run = Run(Source(kind="in_process", replay_capable=False), Trace("instrumented", (step,)))
    (made,) = redact_run(run, Secrets({}, Rules()))[0].trace.steps
    assert made.result == made.raised == made.arguments["given"]
    return made.result


@pytest.mark.parametrize(
    "held",
    [
        SECRET,
        {"$py": "bytes", "value": SECRET},
        {"$py": "str", "type": "app:Secret", "value": SECRET},
        {"$py": "tuple", "value": [SECRET]},
        {"$py": "enum", "type": "app:Secret", "value": {"$py": "bytes", "value": SECRET}},
        {"$py": "bytes", "base64": base64.b64encode(SECRET.encode() + b"\xff").decode()},
    ],
)
def test_what_a_secrets_name_names_goes_in_any_form(held: Any) -> None:
    said = base64.b64encode(SECRET.encode() + b"\xff").decode() if "base64" in held else SECRET
    for value in (
        {"password": held},
        {"$py": "dataclass", "type": "app:Login", "value": {"password": held, "user": "ann"}},
        {"$py": "dict", "value": [[1, "one"], ["password", held]]},
        {"$py": "exception", "type": "app:Denied", "args": [{"password": held}]},
    ):
        made = redacted(value)
        assert said not in json.dumps(made)
        assert _kinds(made) == _kinds(value)
        for text in (json.dumps(value), json.dumps({"text": json.dumps(value)})):
            assert Secrets({}).may_stand_in(text)  # the journal asks no more than this


def _kinds(value: Any) -> list[Any]:
    """The tags stay, so that a replay gives an object of the same class back."""
    if isinstance(value, list):
        return [kind for item in value for kind in _kinds(item)]
    if not isinstance(value, dict):
        return []
    return [value.get("$py"), value.get("type"), *(kind for item in value.values() for kind in _kinds(item))]


def test_pairs_that_name_no_secret_are_left_alone() -> None:
    value = {"$py": "dict", "value": [[1, "one"], ["order", "O-1042"], [{"$py": "tuple", "value": [1]}, SECRET]]}
    assert redacted(value) == value
