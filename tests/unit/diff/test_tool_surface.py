"""What a run offers its models, compared alone."""

from __future__ import annotations

from typing import Any

from stepfork.diff.fixture_diff import DiffOptions, FixtureDiff, diff_fixtures
from stepfork.trace.exchange import Exchange
from tests.unit.diff.conversations import asks, fixture

TOOLS = DiffOptions(tools_only=True)


def tool(name: str, description: str = "", **parameters: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "parameters": {"type": "object", **parameters}}


def offering(*each: list[dict[str, Any]], **body: Any) -> list[Exchange]:
    """An exchange for each list of tools."""
    listed = ([{"type": "function", "function": one} for one in tools] for tools in each)
    return [asks(f"{n}", tools=tools, **body) for n, tools in enumerate(listed)]


def compare(old: list[Exchange], new: list[Exchange]) -> FixtureDiff:
    assert not diff_fixtures(fixture(old), fixture(old), TOOLS).changed
    return diff_fixtures(fixture(old), fixture(new), TOOLS)


def told(diff: FixtureDiff) -> list[tuple[str, str, str, tuple[int, ...]]]:
    return [(change.subject, change.change, change.rule, change.exchanges) for change in diff.changes]


def test_nothing_but_the_tools_counts_and_equal_ones_say_so() -> None:
    diff = compare(offering([tool("a"), tool("b")], seed=1), offering([tool("b"), tool("a")], [tool("a")], seed=2))
    assert (diff.change, diff.notes) == ("unchanged", ("2 tools are offered; nothing else was compared",))
    assert compare([asks("x")], [asks("y")]).notes == ("no tool is offered; nothing else was compared",)


def test_tools_that_came_went_and_changed() -> None:
    old = offering([tool("a"), tool("b", properties={"n": {}})], [tool("c")])
    new = offering([tool("b", properties={"n": {}}, required=["n"])], [tool("d"), tool("c", "better")])
    diff = compare(old, new)
    assert told(diff) == [
        ("a", "removed", "tool-removed", (0,)),
        ("b", "changed", "schema-narrowed", (0,)),
        ("c", "changed", "tool-changed", (1,)),
        ("d", "added", "tool-added", (1,)),
    ]
    assert diff.grade == "breaking"
    assert (diff.exchanges, [change.breaks for change in diff.changes][1]) == ((), "tool b: requires n now")


def test_versions_of_a_tool_pair_in_order_and_else_the_last_ones() -> None:
    one, two, three = (tool("a", word) for word in ("one", "two", "three"))
    assert [fields for *_, fields in told(compare(offering([one], [two]), offering([one], [three])))] == [(1,)]
    [change] = compare(offering([one], [two]), offering([two])).changes
    assert (change.summary, change.rule) == ("a is offered in 1 version, was 2", "tool-changed")
    [change] = compare(offering([one]), offering([one], [three])).changes
    assert [field.path for field in change.fields] == ["/description"]


def test_tools_without_a_name_are_not_passed_over() -> None:
    old, new = ([asks("x", tools=[{"type": "function", "strict": value}])] for value in (1, 2))
    assert compare(old, new).changed == diff_fixtures(fixture(old), fixture(new)).changed
