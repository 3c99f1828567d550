from __future__ import annotations

import base64
import hashlib
import json
import re
import urllib.parse

import pytest

from stepfork.redact.known import secrets_of
from stepfork.redact.redactor import Redactor, redact_text
from stepfork.redact.secrets import Secrets
from stepfork.rewrite.place import Place
from stepfork.rewrite.text import rewrite_text
from stepfork.rewrite.value import rewrite_value
from tests.unit.redact.samples import PASSWORD, PEM, PEM_BODY

R = "[redacted]"
AWKWARD = 'v6"fu2\\gbC pä$$Zm&l'
SECRETS = Secrets.collect({"SERVICE_TOKEN": AWKWARD}, {"OTHER_SECRET": "correct horse battery"})


@pytest.mark.parametrize(
    "spelled",
    [
        AWKWARD,
        json.dumps(AWKWARD)[1:-1],
        json.dumps(AWKWARD, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(AWKWARD))[3:-3],
        json.dumps(json.dumps(json.dumps(AWKWARD, ensure_ascii=False), ensure_ascii=False))[7:-7],
        urllib.parse.quote(AWKWARD, safe=""),
        re.sub("%..", lambda match: match.group().lower(), urllib.parse.quote(AWKWARD)),
        urllib.parse.quote_plus(AWKWARD),
        base64.b64encode(AWKWARD.encode()).decode(),
        base64.b64encode(b"user:" + AWKWARD.encode() + b":tail").decode(),
        base64.urlsafe_b64encode(b"xy" + AWKWARD.encode()).decode(),
        AWKWARD.replace("&", "&amp;").replace('"', "&quot;"),
        repr(AWKWARD)[1:-1],
    ],
)
def test_a_known_value_is_found_in_each_spelling(spelled: str) -> None:
    made = redact_text(f"before {spelled} after", SECRETS)
    assert made == "before [redacted] after"


def test_a_passphrase_of_letters_alone_is_found() -> None:
    assert redact_text("say correct horse battery twice", SECRETS) == "say [redacted] twice"


def test_values_that_are_too_short_or_not_secret_are_no_targets() -> None:
    assert (
        secrets_of(
            {"API_KEY": "3s0m8kd", "TOKEN": "test", "HOME": "/root/secret", "PWD": "/srv/app", "X": "abcdefghij"}
        )
        == {}
    )


def test_a_token_whose_name_goes_on_is_a_target_if_it_looks_like_one() -> None:
    value = "Zk4qYw8Rt2" + "Lm6Xv1Bn9c"
    assert secrets_of({"AWS_BEARER_TOKEN_BEDROCK": value, "AWS_BEARER_TOKEN_KIND": "long-lived"}) == {
        value: "AWS_BEARER_TOKEN_BEDROCK"
    }


def test_the_password_of_a_url_is_a_target_whatever_the_name() -> None:
    found = secrets_of({"BROKER": "amqp://app:" + "p%40ssw0rd!long@mq.example:5672/", "SITE": "https://api.example/v1"})
    assert set(found) == {"p%40ssw0rd!long", "p@ssw0rd!long"}


def test_c038_pieces_of_a_value_of_several_lines_are_no_targets_when_they_are_small() -> None:
    value = '{\n  "id": "EXAMPLE0notreal1",\n  "private": "EXAMPLE0notAreal1value2xyz"\n}'
    secrets = Secrets.collect({}, {"SERVICE_CREDENTIALS": value, "SHORT_TOKEN": "abc"})
    text = "if (x) {\n  abc\n}\n"
    assert redact_text(text, secrets) == text
    assert redact_text("use EXAMPLE0notAreal1value2xyz", secrets) == "use [redacted]"


@pytest.mark.parametrize(
    "spelled",
    [PEM, PEM.replace("\n", "\r\n"), PEM.replace("\n", "\\n"), f"log: {PEM_BODY}\nlog: {PEM_BODY[::-1]}", PEM_BODY],
)
def test_c039_a_value_of_several_lines_is_found_with_any_line_ends_and_line_by_line(spelled: str) -> None:
    secrets = Secrets.collect({"DEPLOY_KEY": PEM + "\n"}, {})
    made = redact_text(spelled, secrets)
    assert PEM_BODY not in made
    assert PEM_BODY[::-1] not in made


def test_c043_known_values_are_found_whatever_they_look_like() -> None:
    values = ["lettersonlysecret", "a pass phrase of words", "x" * 7 + "y" * 193, "user@example.com:pass"]
    secrets = Secrets.collect({f"V{index}_SECRET": value for index, value in enumerate(values)}, {})
    for value in values:
        assert redact_text(f"<{value}>", secrets) == "<[redacted]>"


def test_two_variables_with_one_name_are_both_targets() -> None:
    secrets = Secrets.collect({"A_TOKEN": "first-value-1"}, {"A_TOKEN": "second-value-2"})
    assert redact_text("first-value-1 second-value-2", secrets) == "[redacted] [redacted]"


def test_secrets_never_show_themselves() -> None:
    secrets = Secrets.collect({"A_TOKEN": PASSWORD}, {})
    assert PASSWORD not in repr(secrets) + str(secrets.known) + repr(secrets.matcher)


def test_a_longer_value_hides_a_shorter_one_inside_it() -> None:
    secrets = Secrets.collect({"A_TOKEN": "abcdefgh" + "12", "B_TOKEN": "abcdefgh" + "12345678"}, {})
    assert redact_text("abcdefgh" + "12345678", secrets) == "[redacted]"


@pytest.mark.parametrize("value", ['{"user": "ann", "word": "pass phrase"}', '["one two", "three"]', '"quoted secret"'])
def test_a_value_that_is_json_text_goes_whole_wherever_it_is_one(value: str) -> None:
    redactor = Redactor(Secrets.collect({"A_CREDENTIALS": value}, {}))
    document = {"text": value, "spaced": f" {value}\n", "inside": f"it is {value}.", "lines": f"{value}\n{value}"}
    expected = {"text": R, "spaced": f" {R}\n", "inside": f"it is {R}.", "lines": f"{R}\n{R}"}
    assert rewrite_value(document, Place(()), redactor) == expected
    assert json.loads(rewrite_text(json.dumps(document), Place(()), redactor)) == expected


@pytest.mark.parametrize("text", ["{0}\nfoo", "a {0}\r\n  foo {0}\n", "{0}\n{0}\n{0}\n", "x\n{0}\n\nfoo"])
def test_a_line_end_behind_a_long_value_stays(text: str) -> None:
    value = hashlib.sha256(b"long").hexdigest()
    secrets = Secrets({value: "A_TOKEN"})
    assert redact_text(text.format(value), secrets) == text.format(R)
    wrapped = base64.encodebytes(f"key {value} key".encode()).decode().replace("\n", "\r\n  ", 1)
    assert redact_text(f"{wrapped}foo", secrets) == f"{R}\nfoo"
    assert redact_text(json.dumps({"a": text.format(value)}), secrets) == json.dumps({"a": text.format(R)})
