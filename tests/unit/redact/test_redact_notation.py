from __future__ import annotations

import re

import pytest

from stepfork.redact import notation


@pytest.mark.parametrize(
    ("written", "found", "not_found"),
    [
        ("{hex 4}", "a1b2", "a1b"),
        ("{hex 4}", "a1b2", "a1b2c"),
        ("{hex 4+}", "a1b2c3", "a1b"),
        ("{hex 2-4}.{upper 2}", "a1b.A2", "a1b2c.A2"),
        ("{hex 4}[-{digit 1-2}]", "a1b2", "a1b2-"),
        ("{hex 4}[-{digit 1-2}]", "a1b2-12", "a1b2-123"),
        ("x.y$z/{digit 1}", "x.y$z/1", "xay$z/1"),
        ("{uuid}", "3f9a1c7e-5b2d-4e8f-9a6c-1d7b3e5f2a9c", "3f9a1c7e-5b2d-4e8f-9a6c-1d7b3e5f2a9"),
        ("{base64 4}==", "a+/Z==", "a+-Z=="),
        ("id{digit 2}end", "id12end", "id12ends"),
    ],
)
def test_a_form_is_read_as_a_pattern(written: str, found: str, not_found: str) -> None:
    pattern = re.compile(notation.source(written))
    assert pattern.fullmatch(found)
    assert not pattern.fullmatch(not_found)


def test_round_brackets_mark_the_secret() -> None:
    match = re.fullmatch(notation.source("hooks/{digit 2}/({hex 4}[/{hex 2}])"), "hooks/12/a1b2/c3")
    assert match is not None
    assert match.group(1) == "a1b2/c3"


@pytest.mark.parametrize(
    "written", ["{hex 8}", "a.{alnum 4}-({base32 6})", "{uuid}:{lower 3+}", "{digit 2}[x{hex 3}]!"]
)
def test_an_example_has_the_form_and_one_that_is_short_has_not(written: str) -> None:
    pattern = re.compile(notation.source(written))
    assert pattern.fullmatch(notation.example(written))
    assert not pattern.fullmatch(notation.example(written, short=True))


def test_what_does_not_end_with_a_letter_may_be_followed_by_one() -> None:
    assert re.match(notation.source("{hex 2}=="), "a1==x")
    assert not re.match(notation.source("{hex 2}"), "a1x")
    assert re.match(notation.source("{hex 2}", bounded=False), "a1x")
