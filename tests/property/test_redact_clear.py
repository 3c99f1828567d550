"""A step that is told to be clear in one pass is one in which reading it piece by piece changes nothing."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepfork.redact.redactor import Redactor
from stepfork.redact.rules import Rules
from stepfork.redact.secrets import Secrets
from stepfork.rewrite.run import rewrite_trace
from stepfork.trace.step import Step, StepError, Trace
from tests.unit.redact.samples import EVERY, OPENAI, PASSWORD

KNOWN = "correct" + "horse77"
SECRETS = Secrets.collect({"A_SECRET": KNOWN}, {}, Rules(keys=("session",)))

secrets = st.sampled_from([*EVERY, PASSWORD, KNOWN, "1234567890123"])
names = st.sampled_from(
    ["a", "password", "text", "thinking", "details", "logprobs", "session", "encoding", "value", "name", "$py", "kind"]
)
words = st.sampled_from(["plain", "password", "base64", "dict", "Secret", "data:", "", "a b", "O-17"]) | secrets
halves = secrets.map(lambda one: [one[: len(one) // 2], one[len(one) // 2 :]])
texts = (
    words
    | st.builds(lambda one: json.dumps({"k": [one, one]}), words)
    | st.builds(lambda one: base64.b64encode(one.encode()).decode(), words)
)
values = st.recursive(
    texts | st.integers() | st.booleans() | st.none() | halves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)


class _Reader(Redactor):
    """Reads everything."""

    def keeps(self, value: dict[str, Any]) -> bool:
        return False


@given(values, values, texts, st.none() | texts)
def test_what_is_told_to_be_clear_is_so_piece_by_piece(
    arguments: Any, result: Any, name: str, said: str | None
) -> None:
    error = None if said is None else StepError("Error", said)
    trace = Trace("instrumented", (Step("tool_call", name, 1, 2, arguments=arguments, result=result, error=error),))
    quick, slow = Redactor(SECRETS), _Reader(SECRETS)
    assert rewrite_trace(trace, quick) == rewrite_trace(trace, slow)
    assert quick.findings == slow.findings


def test_most_steps_are_told_to_be_clear() -> None:
    asked: list[str] = []

    class Counting(Redactor):
        def document(self, value: Any, place: Any) -> None:
            asked.append(str(place))
            super().document(value, place)

    steps = tuple(
        Step("tool_call", "look_up", 2 * at, 2 * at + 1, arguments={"order": f"O-{at}", "fields": ["state", "lines"]})
        for at in range(50)
    )
    rewrite_trace(Trace("instrumented", steps), Counting(SECRETS))
    assert asked == []


@pytest.mark.parametrize(
    "held",
    [
        {"$py": "dict", "value": [[1, "one"], ["password", PASSWORD]]},
        {"text": json.dumps({"$py": "dict", "value": [["password", PASSWORD], [2, 1]]})},
        [OPENAI[:9], OPENAI[9:]],
    ],
)
def test_what_only_its_surroundings_tell_is_not_clear(held: Any) -> None:
    trace = Trace("instrumented", (Step("tool_call", "t", 1, 2, result={"held": held}),))
    assert PASSWORD not in str(rewrite_trace(trace, Redactor(SECRETS)))
    assert OPENAI[9:] not in str(rewrite_trace(trace, Redactor(SECRETS)))
