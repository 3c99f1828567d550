"""JSON values as source: exact, readable, and as a formatter would have them."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from stepfork.drafting.literals import WIDTH, assigned, called, path_called, printable, string, wrapped


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("plain", '"plain"'),
        ("it's", '"it\'s"'),
        ('say "hi"', "'say \"hi\"'"),
        ("\"'", '"\\"\'"'),
        ("a\nb\tc\\", '"a\\nb\\tc\\\\"'),
        ("\x1b[31m\u2028\u202e\ud800", '"\\x1b[31m\\u2028\\u202e\\ud800"'),
        ("Zürich 東京 😀", '"Zürich 東京 😀"'),
        ("\U000e0001", '"\\U000e0001"'),
    ],
)
def test_a_text_is_one_literal_without_anything_invisible(text: str, source: str) -> None:
    assert string(text) == source
    assert ast.literal_eval(source) == text


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        (["python", "agent.py"], ['X = ["python", "agent.py"]']),
        ([], ["X = []"]),
        ({"a": None, "b": [True, 1.0, 1e22, 2]}, ['X = {"a": None, "b": [True, 1.0, 1e22, 2]}']),
        (
            ["a" * 50, "b" * 50],
            ["X = [", f'    "{"a" * 50}",', f'    "{"b" * 50}",', "]"],
        ),
        (
            {"deep": {"one": "a" * 40, "two": ["b" * 40]}},
            [
                "X = {",
                '    "deep": {',
                f'        "one": "{"a" * 40}",',
                f'        "two": ["{"b" * 40}"],',
                "    },",
                "}",
            ],
        ),
    ],
)
def test_a_value_stands_on_one_line_or_one_item_a_line(value: Any, lines: list[str]) -> None:
    assert list(assigned("X = ", value)) == lines


def test_a_long_text_is_cut_into_pieces_that_python_joins() -> None:
    text = "the agent's program, " * 20
    lines = list(assigned("X = ", [text]))
    assert ast.literal_eval("\n".join(lines).removeprefix("X = ")) == [text]
    assert all(len(line) <= WIDTH for line in lines)


def test_a_call_has_its_arguments_on_one_line_or_each_on_its_own() -> None:
    assert list(called(".f", [("", "a"), ("per=", "b")], indent=4)) == ['    .f("a", per="b")']
    assert list(called(".f", [("", "a" * 80), ("at_most=", 1)])) == [".f(", f'    "{"a" * 80}",', "    at_most=1,", ")"]


def test_a_comment_holds_nothing_that_ends_it() -> None:
    assert printable("tool\nimport os\r\x85\u2028\x0c") == "tool\\nimport os\\r\\x85\\u2028\\x0c"
    assert wrapped("word " * 40 + "\nimport os", indent=8)
    assert all(line.startswith("        # ") for line in wrapped("word " * 40 + "\nimport os", indent=8))


def test_a_long_path_is_cut_behind_its_slashes() -> None:
    way = "/".join(["recordings-of-the-agent"] * 6 + ["failure.sftrace"])
    lines = list(path_called("TRACE_PATH = ROOT.joinpath", way))
    assert len(lines) > 4
    assert all(len(line) <= WIDTH for line in lines)
    assert any(line.endswith('failure.sftrace"') for line in lines)
    call = ast.parse("\n".join(lines)).body[0].value  # type: ignore[attr-defined]
    assert [ast.literal_eval(argument) for argument in call.args] == [way]
