"""The page that documents the rules names all that the rules name."""

import re
from pathlib import Path

import pytest

from stepfork.normalize import rules
from stepfork.normalize.placeholders import BY_POSITION, BY_VALUE, CONSTANT

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "placeholders.md").read_text(encoding="utf-8")
WORDS = set(re.findall(r"`([^`\n]+)`", PAGE))
FIELDS = (
    rules.ID_FIELDS
    | rules.ID_HEADERS
    | rules.OPAQUE_FIELDS
    | rules.TIME_FIELDS
    | rules.TIME_HEADERS
    | rules.DURATION_FIELDS
    | rules.DURATION_HEADERS
    | rules.FINGERPRINT_FIELDS
    | rules.PADDING_FIELDS
    | rules.UUID_FIELDS
)


@pytest.mark.parametrize("word", sorted(FIELDS | set(rules.ID_PREFIXES)))
def test_each_field_and_prefix_is_documented(word):
    assert word in WORDS


def test_each_prefix_that_the_page_lists_is_a_rule():
    listed = PAGE.partition("list: prefixes")[2].partition("end -->")[0]
    assert set(re.findall(r"`([^`\n]+)`", listed)) == set(rules.ID_PREFIXES)


def test_each_kind_is_documented():
    for kind in (*BY_VALUE, BY_POSITION):
        assert f"{{{{{kind}_N}}}}" in WORDS
    for kind in CONSTANT:
        assert f"{{{{{kind}}}}}" in WORDS
