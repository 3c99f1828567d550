from __future__ import annotations

import pytest

from stepfork.diff.values import FieldChange, Line, MessageChange, ModelChange, RequestDiff
from stepfork.replay.first_difference import SHOWN, first_difference
from stepfork.replay.report import Miss


def told(difference: RequestDiff) -> tuple[str, ...]:
    miss = Miss(0, "changed", "messages", "openai", 0, difference)
    return first_difference(miss, lambda text: text.replace("hush", "[redacted]"))


def message(*lines: str, fields: tuple[FieldChange, ...] = ()) -> RequestDiff:
    made = tuple(Line("-" if line[0] == "-" else "+", line[1:]) for line in lines)
    return RequestDiff(messages=(MessageChange(0, "changed", "user", "", made, fields, at=(0, 0)),))


@pytest.mark.parametrize(
    ("difference", "lines"),
    [
        (RequestDiff(), ()),
        (RequestDiff(model=ModelChange("a", "b")), ("- a", "+ b")),
        (RequestDiff(params=(FieldChange("/t", "added", new=0.2),)), ("+ /t: 0.2",)),
        (message("-hush a", "+hush b"), ("- [redacted] a", "+ [redacted] b")),
        (message("+\x1b[2Jhush"), ("+ \\x1b[2J[redacted]",)),
        (message("-hush", "+[redacted]"), ("- [redacted]", "+ [redacted]   (differs in what is redacted)")),
        (message("-a b", "+a  b"), ("- a b", "+ a b   (differs in white space)")),
        (
            message(fields=(FieldChange("/x", "changed", {"k": "hush"}, None),)),
            ('- /x: {"k": "[redacted]"}', "+ /x: null"),
        ),
    ],
)
def test_the_first_part_that_differs_is_shown_redacted_and_escaped(
    difference: RequestDiff, lines: tuple[str, ...]
) -> None:
    assert told(difference) == lines


def test_long_and_many_lines_are_cut_to_what_differs() -> None:
    old, new = told(message(f"-{'x' * 9000}a{'y' * 9000}", f"+{'x' * 9000}b{'y' * 9000}"))
    assert (len(old) < 250, len(new) < 250, old[1:] != new[1:]) == (True, True, True)
    many = told(message(*[f"+line {number}" for number in range(20)]))
    assert (len(many), many[-1]) == (SHOWN, "… 15 more")
