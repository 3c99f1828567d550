"""A project's own names and patterns, in every position: nothing is missed, nothing else is touched, twice is once."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from stepfork.redact import documents
from stepfork.redact.decoding import of_text
from stepfork.redact.marker import is_template
from stepfork.redact.redactor import Redactor, redact_text
from stepfork.redact.rules import Rules
from stepfork.redact.scan import scan_bytes
from stepfork.redact.secrets import Secrets
from stepfork.rewrite.place import Place
from stepfork.rewrite.value import rewrite_value

R = "[redacted]"
OWN = Secrets(
    {},
    Rules(
        keys=("x-acme-session", "crew code"),
        variables=("ACME_LICENCE",),
        patterns={"long": r"\bacme_[a-z0-9]{8}\b", "whole": "^crew [a-z]+$", "taken": r"seat (\d+)([A-F])"},
    ),
)
NAMES = (
    "x-acme-session",
    "X-Acme-Session",
    "x_acme_session",
    "XACME_SESSION",
    "xAcmeSession",
    "ACME_LICENCE",
    "CrewCode",
)
few = settings(max_examples=80, deadline=None)
values = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30).filter(
    lambda text: bool(text.strip()) and not is_template(text) and text[:1] not in '{["' and R not in text
)
others = st.dictionaries(st.sampled_from(["a", "session", "acme", "x-acme", "code"]), st.integers() | st.just("kept"))


@few
@given(values, st.sampled_from(NAMES), others, st.integers(0, 3))
def test_the_value_of_an_own_name_goes_at_every_depth_and_nothing_else_does(
    value: str, name: str, around: dict[str, Any], depth: int
) -> None:
    document: Any = {**around, name: [value, {"deeper": value}]}
    for level in range(depth):
        document = {"k": [json.dumps(document, ensure_ascii=bool(level % 2)), around]}
    made = rewrite_value(document, Place(()), Redactor(OWN))
    assert rewrite_value(made, Place(()), Redactor(OWN)) == made
    for _ in range(depth):
        assert made["k"][1] == around
        made = json.loads(made["k"][0])
    assert made == {**around, name: [R, {"deeper": R}]}


# What a pattern takes may end in the middle of a word, which is another word afterwards: here it does not.
bits = st.sampled_from(
    [
        *NAMES,
        *(
            "acme_ab12cd34 ",
            "crew blue",
            "seat 12C ",
            "ACME",
            "session",
            R,
            "[redacted",
            "${X}",
            "str",
            "abc",
            "a b",
            "Bearer ",
        ),
        *(
            ": ",
            ":",
            "=",
            " = ",
            "--",
            "?",
            "&",
            '"',
            "'",
            '\\"',
            "\\n",
            "\n",
            "\r\n",
            " ",
            ", ",
            ".",
            "(",
            ")",
            "[",
            "]",
            "{",
        ),
        *("}", "<", ">", "</", "%20", "%", "\\", ";", "`", "-H ", "password=", "api_key: "),
    ]
)
mixtures = st.lists(bits, max_size=9).map("".join)


@settings(max_examples=400, deadline=None)
@given(mixtures)
@example('x-acme-session: "abc')
@example("x-acme-session: [redacted] abc")
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redact_text(text, OWN)
    assert redact_text(once, OWN) == once


@few
@given(mixtures, st.integers(0, 3), st.booleans())
def test_the_look_ahead_misses_nothing_of_a_project(text: str, depth: int, ascii_only: bool) -> None:
    for level in range(depth):
        text = json.dumps({"k": ["first", text]} if level else [text], ensure_ascii=ascii_only)
    found = documents.scan(of_text(text, "a.txt"), OWN, None, [])
    assert {item.rule for item in scan_bytes(text.encode(), OWN, "a.txt")} == {item.rule for item in found}
