"""The pattern that finds files worth parsing finds every text that the rules match."""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepfork.select.matcher import LOADERS, Matcher, search_pattern, tokens
from stepfork.select.shapes import HOLE, shape_of

NAMES = st.lists(
    st.from_regex(r"[a-zA-Z0-9]([a-zA-Z0-9._-]{0,6}[a-zA-Z0-9])?(/[a-z]{1,5})?", fullmatch=True), min_size=1, max_size=4
)


def shape(expression: str) -> str:
    return shape_of(ast.parse(expression, mode="eval").body, {})


def found(matcher: Matcher, line: str) -> bool:
    return re.search(search_pattern(matcher, ()), line, re.MULTILINE) is not None


@given(
    NAMES,
    st.sampled_from(
        ["'{}'", '"{}.json"', "'.stepfork/fixtures/{}.json'", "'fixtures/{}'", "'HEAD:{}'", "'stepfork replay {} -- x'"]
    ),
)
def test_literals(names: list[str], form: str) -> None:
    matcher = Matcher(names)
    for name in names:
        line = form.format(name)
        assert name in {hit.name for hit in matcher.hits(shape(line))}
        assert found(matcher, line)


@given(st.lists(st.from_regex(r"[a-z]{1,5}", fullmatch=True), min_size=2, max_size=4), st.data())
def test_computed_names_that_keep_their_first_or_last_word(words: list[str], data: st.DataObject) -> None:
    matcher = Matcher(["-".join(words)])
    cut = data.draw(st.integers(1, len(words) - 1))
    head, tail = "-".join(words[:cut]), "-".join(words[cut:])
    for line in (
        f"f'{head}-{{x}}'",
        f"f'{{x}}-{tail}'",
        f"'{head}-%s' % x",
        f"'%s-{tail}' % x",
        f"'{head}-{{}}'.format(x)",
        f"'{head}-' + x",
        f"x + '-{tail}'",
        f"'-'.join(['{head}', x])" if cut == 1 else f"'{head}-' + x",
        f"f'.stepfork/fixtures/{{x}}-{tail}.json'",
    ):
        assert matcher.hits(shape(line)), line
        assert found(matcher, line), line


@pytest.mark.parametrize(
    "line",
    [
        *(f"{name}(name)" for name in sorted(LOADERS)),
        "Path('.stepfork') / 'fixtures'",
        "x = '.stepfork/fixtures'",
        "glob('.stepfork/fixtures/*.json')",
        "f'.stepfork/fixtures/{x}.json'",
        "f'fixtures/{x}'",
        "playback(name)",
        "playback(\n    name)",
        "stepfork.testing.inspect_fixture( f'x')",
        "@pytest.mark.stepfork(name)",
    ],
)
def test_folders_and_loaders_are_found_whatever_changed(line: str) -> None:
    assert found(Matcher(["zebra"]), line)


def test_many_names_make_a_small_pattern_that_still_finds_each() -> None:
    names = [f"case-{number}" for number in range(500)] + ["refund-de", "billing/late-fee"]
    matcher = Matcher(names)
    assert len(search_pattern(matcher, ())) < 1000
    for line in ("'case-17'", "f'case-{x}'", "f'{x}-de'", "f'{x}-17'", "'late-fee.json'", "f'{x}-fee'"):
        assert found(matcher, line), line


def test_names_are_literal_in_patterns() -> None:
    matcher = Matcher(["a.b", "c+d"])
    assert found(matcher, "'a.b'")
    assert not found(matcher, "'axb'")
    assert found(matcher, "'c+d'")


def test_a_hole_alone_says_nothing() -> None:
    assert Matcher(["refund"]).hits(HOLE) == ()
    assert Matcher(["refund"]).hits(HOLE + ".json") == ()


def test_words_of_names() -> None:
    assert tokens("inc-1042_de.v2") == ["inc", "1042", "de", "v", "2"]
    assert tokens("возврат-2") == ["возврат", "2"]
