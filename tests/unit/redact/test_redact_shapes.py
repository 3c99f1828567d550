from __future__ import annotations

import base64
import random

import pytest

from stepfork.redact import notation
from stepfork.redact.matcher import Matcher
from stepfork.redact.prefilter import Prefilter
from stepfork.redact.randomness import is_mixed, looks_random
from stepfork.redact.secrets import Secrets
from stepfork.redact.shape import Shape
from stepfork.redact.shaped import shape_at
from stepfork.redact.shapes_syntax import SYNTAX_SHAPES
from stepfork.redact.table import SHAPES

MATCHER: Matcher = Secrets({}).matcher
PREFILTER: Prefilter = Secrets({}).prefilter
BY_NAME = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)


def rules(text: str) -> set[str]:
    return {span.rule for span in MATCHER.find(text)}


AROUND = ("key {} end", '"{}"', "({}).", "密钥是{}。请勿外传", "`{}`", "x\\n{}\\n", "a={}&b=1")


@BY_NAME
def test_the_example_is_found_wherever_it_stands(shape: Shape) -> None:
    example = shape.example
    [alone] = MATCHER.find(example)
    for around in AROUND:
        text = shown = around.format(example)
        for span in reversed(MATCHER.find(text)):
            shown = shown[: span.start] + shown[span.end :]
        assert example[alone.start : alone.end] not in shown, around
        assert len(text) - len(shown) <= alone.end - alone.start + 2, around
        assert PREFILTER.may_hold_secret(text), around


@BY_NAME
def test_the_example_is_called_by_its_name(shape: Shape) -> None:
    assert shape.name in rules(shape.example)


@BY_NAME
def test_the_counter_example_is_not(shape: Shape) -> None:
    assert shape.name not in rules(f"see {shape.counter} here")


WHOLE = [
    shape for shape in SHAPES if "(" not in shape.shown and shape.example[0].isalnum() and shape not in SYNTAX_SHAPES
]


@pytest.mark.parametrize("shape", WHOLE, ids=lambda shape: shape.name)
def test_a_word_that_goes_on_to_the_left_is_none(shape: Shape) -> None:
    at = 2 + shape.example.index(shape.prefixes[0])
    lead = shape.example[: at - 2]
    if not set(lead) & set("-_.:/"):  # else the later part of the lead begins anew
        assert shape_at(shape, ("Za" if not lead else "Z" * 90) + shape.example, at if not lead else at + 88) is None


BEGINNING_WITH_A_SIGN = [shape for shape in SHAPES if not shape.has_lead and not shape.prefixes[0][0].isalnum()]


@pytest.mark.parametrize("shape", BEGINNING_WITH_A_SIGN, ids=lambda shape: shape.name)
def test_what_begins_with_a_sign_is_one_right_after_a_word_too(shape: Shape) -> None:
    """``https://discord.com/api/webhooks/…`` is how a webhook really stands."""
    assert shape.name in rules("https://discord.com" + shape.example)


def test_names_are_unique_and_each_kind_has_a_literal_of_its_own() -> None:
    assert len({shape.name for shape in SHAPES}) == len(SHAPES)
    assert all(prefix for shape in SHAPES for prefix in shape.prefixes)
    looked_for = [anchor for shape in SHAPES for anchor in shape.anchors]
    assert min(map(len, looked_for)) >= 2 or [anchor for anchor in looked_for if len(anchor) < 2] == ["|"]


@BY_NAME
def test_each_literal_of_a_kind_leads_to_a_credential(shape: Shape) -> None:
    if shape.body or shape.lead:
        for prefix in shape.prefixes:
            assert shape.name in rules(notation.example(shape.lead) + prefix + notation.example(shape.body)), prefix


DRAWN = [shape for shape in SHAPES if not shape.has_lead and shape.needs != "value"]


@pytest.mark.parametrize("shape", DRAWN, ids=lambda shape: shape.name)
def test_words_after_a_literal_are_no_credential(shape: Shape) -> None:
    for prefix in shape.prefixes:
        for words in ("only-the-name-of-something-long-in-2024", "the_name_of_a_function_with_many_words_v2"):
            assert rules(f"see {prefix}{words} here") == set(), prefix


ESCAPED = (
    '{{"a": "{}"}}',
    '"{{\\"a\\": \\"\\\\n{}\\\\n\\"}}"',
    "https://api.example/v1?q=%20{}&b=1",
    "{{'a': b'\\x0a{}\\n'}}",
)


@pytest.mark.parametrize("around", ESCAPED)
def test_every_example_is_found_behind_escapes(around: str) -> None:
    for shape in SHAPES:
        if shape.spans_lines or "|" in shape.example or "!" in shape.example:
            continue
        text = around.format(shape.example)
        assert MATCHER.find(text), shape.name
        assert PREFILTER.may_hold_secret(text), shape.name


def test_a_base64_image_holds_no_credential() -> None:
    blob = base64.b64encode(random.Random(7).randbytes(300_000)).decode()
    assert MATCHER.find(f"data:image/png;base64,{blob}") == []
    inside = blob[:400] + "/AKIA" + "R7HUPQ62WEQEHEXK" + "/" + blob[400:800]
    assert MATCHER.find(inside) == []


def test_a_thinking_signature_in_url_safe_base64_holds_no_credential() -> None:
    blob = base64.urlsafe_b64encode(random.Random(8).randbytes(300_000)).decode()
    assert MATCHER.find(blob) == []
    assert MATCHER.find(blob[:500] + "-hf_" + blob[500:600].replace("-", "A").replace("_", "B")) == []


@pytest.mark.parametrize(
    "text",
    [
        "<task-notification>done</task-notification>",
        "risk-adjusted-2024 and desk-booking-0042-integration-tests",
        "flask-sqlalchemy-migrate-extended-utilities-2024",
        "sk-...",
        "export KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "hf_internal_testing and hf_hub_download",
        "xoxo-from-the-whole-team-2026",
        "claude-sonnet-4-5-20250929",
        "eyJ is how a base64 JSON object starts; header.payload.signature; version 1.22.333",
        "eyJpZCI6IDYyNTQ3MjkxMSwgImRpciI6ICJuIn0=",
        "pre_hook_store_with_long_names_everywhere_2024",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAImIyUKzONn7eRx+5TOpXqc/XKMjgtDzxaBgCDRV8s4nK ann@laptop",
        "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ2h1cmNo\n-----END CERTIFICATE-----",
        "image: example/app@sha256:362fa3e6f55cbe0a202071e290e273dd447be42145bc7a15f54c4792c5dbfe81",
        "toolu_01b2vMNqzWLtgVfj62C4hjqj call_PKQT3HWy7IoAz28IIS38PH9I msg_013a8yyLajG3Ip598tBk02Fd",
        "cus_TTkgp7mfTC3ftK pi_KXVlUbzi2IgfIDdTnYAu0U2a evt_SRZ2rIkLHgDWwTBs4ps6nkQY",
    ],
)
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert MATCHER.find(text) == []


@pytest.mark.parametrize(
    ("value", "random_looking"),
    [
        ("k7Qx2Vb9Zt4Lm8Rw3Hd6", True),
        ("8bd2ca21-afb7-4b4a-a6eb-04fd7e7216eb", True),
        ("QmFzZTY0VGV4dFdpdGhvdXREaWdpdHM", True),
        ("aKdJfHgLqPwOeIrUtYzXcVbN", True),
        ("token-based-authentication-2024", False),
        ("internal_testing_of_words", False),
        ("xxxxxxxxxxxxxxxxxxxxxxxx", False),
        ("2024-10-11-12-13-14-15-16", False),
        ("gettingElementsByclassname", False),
    ],
)
def test_what_looks_random(value: str, *, random_looking: bool) -> None:
    assert looks_random(value) is random_looking


@pytest.mark.parametrize(
    ("value", "mixed"),
    [
        ("k7Qx2Vb9Zt4Lm8Rw3Hd6", True),
        ("k7qx2vb9zt4lm8rw3hd6", False),
        ("whenTheUserHas2ItemsThenBothAreReturned", False),
        ("UserService2CreatesAccountInDatabase", False),
    ],
)
def test_what_is_mixed_by_lot(value: str, *, mixed: bool) -> None:
    assert is_mixed(value) is mixed
