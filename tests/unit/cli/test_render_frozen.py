"""What a frozen replay's lines and document make of hostile names, of many causes, and of every kind of end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import stepfork
from stepfork.cli.render.frozen_json import frozen_document
from stepfork.cli.render.frozen_text import frozen_lines
from stepfork.replay.frozen_calls import RecordedCall
from stepfork.replay.frozen_faults import Fault, other_input
from stepfork.replay.frozen_values import ABSENT, Unlike
from stepfork.workflows.frozen import FrozenResult

SCHEMA = json.loads((Path(stepfork.__file__).parent / "schemas" / "frozen.schema.json").read_text(encoding="utf-8"))
ODD = "[/nope] \x1b[31m\u202e {{id_1}} \ud800"


def result(**changed: object) -> FrozenResult:
    given = {
        "name": "demo", "mode": "frozen", "value": None, "error": None, "calls": (), "causes": (), "substituted": {},
        "ran": {}, "recorded": 3, "passed": False,
    } | changed  # fmt: skip
    return FrozenResult(**given)  # type: ignore[arg-type]


RESULTS = [
    result(passed=True, substituted={ODD: 2, "b": 1}, ran={"c": 1}, same_output=True),
    result(causes=(ODD,), faults=(Fault("name", ODD, 2, ODD, ODD),)),
    result(causes=(ODD, "more"), faults=(other_input(2, 3, ODD, Unlike((ODD, 3), ODD, ABSENT)),)),
    result(causes=(ODD,), faults=(Fault("exhausted", ODD, 4, ODD),)),
    result(causes=(ODD,), faults=(Fault("closed", ODD),)),
    result(causes=tuple(f"{ODD} {n}" for n in range(50)), left=(RecordedCall(0, "tool_call", ODD, {}),)),
    result(ending=ODD, error=ValueError(ODD), same_output=None),
]


@pytest.mark.parametrize("one", RESULTS, ids=range(len(RESULTS)))
def test_every_result_is_printable_lines_and_a_valid_document(one: FrozenResult) -> None:
    lines = list(frozen_lines(one, str))
    assert all(line.isprintable() for line in lines)
    assert len(lines) < 30
    Draft202012Validator(SCHEMA).validate(json.loads(frozen_document(one, str)))


def test_all_that_is_shown_is_redacted() -> None:
    word = "t0p" + "secret"
    one = result(causes=(word,), ending=word, faults=(Fault("input", word, 1, word, word, word, word, word),))
    clean = lambda text: text.replace(word, "[redacted]")  # noqa: E731
    assert word not in "".join(frozen_lines(one, clean))
    assert word.encode() not in frozen_document(one, clean)


def test_headlines() -> None:
    told = [next(iter(frozen_lines(one, str))).split("  ")[0] for one in RESULTS]
    assert told == [
        "demo: replayed, 3 calls answered, 1 ran",
        "demo: diverged at call 2 of 3",
        "demo: diverged at call 2 of 3",
        "demo: diverged at call 4",
        "demo: diverged",
        "demo: diverged, 1 of 3 recorded calls not made",
        "demo: ended otherwise than recorded",
    ]
