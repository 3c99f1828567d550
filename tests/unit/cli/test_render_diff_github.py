"""The report as annotations."""

from __future__ import annotations

import msgspec

from stepfork.cli.render.diff_github import MOST, annotated
from stepfork.diff.fixture_diff import FixtureDiff
from stepfork.diff.values import Change, Grade

CHANGE = Change("system", "changed", "authored", "", "system", exchanges=(0, 1, 2))


def diff(name: str, *grades: Grade) -> FixtureDiff:
    changes = tuple(
        msgspec.structs.replace(CHANGE, grade=grade, breaks="tool x is gone" if grade == "breaking" else "")
        for grade in grades
    )
    return FixtureDiff(name, "changed" if changes else "unchanged", 3, 3, changes=changes)


def lines(*diffs: FixtureDiff) -> list[str]:
    return list(annotated(diffs, str, lambda diff: f"{diff.name}.json"))


def test_the_gravest_change_is_the_level() -> None:
    made = lines(diff("a", "info"), diff("b", "changed", "info"), diff("c", "breaking", "changed"), diff("d"))
    assert made == [
        "::error file=c.json,title=stepfork diff c::2 authored changes, 3 exchanges%0ABREAKING tool x is gone%0A"
        "system (exchanges 0–2)",
        "::warning file=b.json,title=stepfork diff b::2 authored changes, 3 exchanges%0A"
        "system (exchanges 0–2)%0Asystem (exchanges 0–2)",
        "::notice file=a.json,title=stepfork diff a::1 authored change, 3 exchanges%0Asystem (exchanges 0–2)",
    ]


def test_a_fixture_that_came_is_a_warning() -> None:
    assert lines(FixtureDiff("a", "added", 0, 2)) == ["::warning file=a.json,title=stepfork diff a::added, 2 exchanges"]


def test_what_a_runner_would_drop_is_counted() -> None:
    made = lines(*(diff(f"f{number:02}", "breaking") for number in range(25)), diff("z", "info"))
    assert len(made) == MOST + 1
    assert made[MOST - 1] == "::error title=stepfork diff::16 more fixtures differ"


def test_many_changes_are_counted() -> None:
    (line,) = lines(diff("a", *["changed"] * 30))
    assert line.count("%0A") == 9
    assert line.endswith("… 22 more changes")


def test_every_string_of_an_annotation_is_redacted_again() -> None:
    word = "hunter" + "2" * 6
    change = msgspec.structs.replace(CHANGE, section="tools", subject=word, grade="breaking", breaks=f"{word} is gone")
    after = msgspec.structs.replace(CHANGE, cause="consequence", summary=word)
    made = FixtureDiff(word, "changed", 1, 1, changes=(change, msgspec.structs.replace(change, breaks=""), after))
    (line,) = annotated([made], lambda text: text.replace(word, "[redacted]"), lambda _: "a.json")
    assert word not in line
    assert line.count("[redacted]") == 4
