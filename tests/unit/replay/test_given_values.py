"""Values that are given back: well-formed, unique, and known again wherever a program writes them."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import pytest

from stepfork.normalize import rules
from stepfork.normalize.emails import find_emails
from stepfork.normalize.prefixes import PREFIXES
from stepfork.normalize.times import is_clocks, moments, same_form, spell, whole_moment
from stepfork.normalize.told import is_distinctive
from stepfork.redact.redactor import redact_text
from stepfork.redact.secrets import Secrets
from stepfork.replay.inventing import Inventor
from stepfork.replay.retrying import patient
from stepfork.trace.exchange import Response

NONE = Secrets({})
KINDS = ("email", "conversation", "device", "account", "session", "opaque")


def inventor(seed: str = "s") -> Inventor:
    return Inventor(seed, lambda kind, value: False)


@pytest.mark.parametrize("prefix", rules.ID_PREFIXES)
@pytest.mark.parametrize("api", ["chat_completions", "messages"])
def test_ids_fit_the_rules_of_their_prefix_and_are_told_apart(prefix: str, api: str) -> None:
    made = [inventor().make("id", f"{{{{id_{number}}}}}", prefix, api) for number in range(1, 30)]
    assert len(set(made)) == len(made)
    for value in made:
        assert value.startswith(prefix)
        assert rules.ID.fullmatch(value), value
        assert PREFIXES.of(value) == prefix
        assert redact_text(value, NONE) == value


def test_an_id_without_a_prefix_is_a_uuid() -> None:
    made = inventor().make("id", "{{id_1}}")
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", made)
    assert is_distinctive(made)


@pytest.mark.parametrize("kind", KINDS)
def test_other_kinds_are_well_formed_and_no_secrets(kind: str) -> None:
    made = [inventor().make(kind, f"{{{{{kind}_{number}}}}}") for number in range(1, 30)]
    assert len(set(made)) == len(made)
    for value in made:
        text = json.dumps({"signature": value, kind: value})
        assert redact_text(text, NONE) == text
        if kind == "email":
            assert [email.value for email in find_emails(value)] == [value]
            assert value.endswith("@example.com")


def test_the_seed_decides_and_what_is_taken_is_not_made_again() -> None:
    one = inventor().make("email", "{{email_1}}")
    assert inventor().make("email", "{{email_1}}") == one
    assert inventor("t").make("id", "{{id_1}}") != inventor().make("id", "{{id_1}}")
    assert inventor("t").make("email", "{{email_1}}") == one
    assert Inventor("s", lambda kind, value: value == one).make("email", "{{email_1}}") != one


SHAPES = [
    "YYYY-MM-DDThh:mm:ssZ", "YYYY-MM-DD hh:mm:ss", "YYYY-MM-DDThh:mm:ss.fff+hh:mm", "YYYY-MM-DDThh:mm:ss,ffffff+hhmm",
    "YYYY-MM-DDThh:mm:ss.fffffffffZ", "YYYY-MM-DDThh:mm+hh", "YYYYMMDDThhmmssZ", "Www, DD Mmm YYYY hh:mm:ss GMT",
    "Www, DD Mmm YYYY hh:mm:ss +hhmm", "Www Mmm DD hh:mm:ss YYYY", "Www Mmm DD hh:mm:ss UTC YYYY",
    "Www Mmm D hh:mm:ss YYYY +hhmm", "Www Mmm DD YYYY hh:mm:ss GMT+hhmm", "YYYY/MM/DD hh:mm:ss.ffffff",
    "YYYY-MM-DD hh:mm:ss +hhmm", "M/D/YYYY, h:mm:ss AM", "DD/MM/YYYY, hh:mm:ss", "D.M.YYYY, hh:mm:ss",
    "DD/Mmm/YYYY:hh:mm:ss +hhmm", "Wwww, Mmmm D, YYYY at h:mm:ss AM UTC", "Mmmm D, YYYY h:mm:ss",
    "epoch", "epoch-ms", "epoch-us", "epoch-ns",
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("day", [3, 29])
def test_a_time_is_spelled_in_its_shape(shape: str, day: int) -> None:
    when = datetime(2026, 12, day, 7, 8, 9, 123456, tzinfo=UTC)
    made = spell(shape, when)
    assert whole_moment(made) == shape
    said = [one.when if one.when.tzinfo else one.when.replace(tzinfo=UTC) for one in moments(made)]
    if said:
        assert min(abs((one - when).total_seconds()) for one in said) < 60
        now = int(when.timestamp() * 10**9)
        assert is_clocks(made, now, now)


def test_shapes_that_no_capture_writes_are_spelled_somehow() -> None:
    when = datetime(2026, 12, 3, tzinfo=UTC)
    assert [spell(shape, when) for shape in ("x", "+hh", "hhhh", "f" * 40)]


def test_a_fraction_that_a_language_left_out_is_the_same_form() -> None:
    assert same_form("YYYY-MM-DDThh:mm:ss.fffZ", "YYYY-MM-DDThh:mm:ssZ")
    assert not same_form("YYYY-MM-DDThh:mm:ssZ", "YYYY-MM-DDThh:mm:ss+hh:mm")


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503, 529])
def test_nobody_waits_after_a_recorded_failure(status: int) -> None:
    assert patient(Response(status)).headers == {"retry-after-ms": "1"}
    assert patient(Response(status, headers={"retry-after": "20"})).headers["retry-after"] == "0"


@pytest.mark.parametrize("status", [200, 400, 401, 404, 422])
def test_other_answers_keep_their_headers(status: int) -> None:
    response = Response(status, headers={"retry-after": "20"})
    assert patient(response) is response
