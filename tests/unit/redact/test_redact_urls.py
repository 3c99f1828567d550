from __future__ import annotations

import json

import pytest

from stepfork.redact.redactor import redact_text
from stepfork.redact.secrets import Secrets
from tests.unit.redact.samples import BEARER, PASSWORD

SECRETS = Secrets({})


@pytest.mark.parametrize(
    "url", ["https://{}@git.example/a/b.git", "https://{}:@git.example/a.git", "postgres://ada:{}@db.example/app"]
)
def test_what_stands_before_a_host_goes(url: str) -> None:
    assert redact_text(url.format(BEARER), SECRETS) == url.format("[redacted]")
    inside = json.dumps({"remote": url.format(BEARER)}).replace("/", "\\/")
    assert SECRETS.prefilter.may_hold_secret(inside)
    assert BEARER not in redact_text(inside, SECRETS)


@pytest.mark.parametrize(
    "text",
    [
        "https://ada@git.example/a/b.git",
        "https://some-long-user-name-of-a-team@git.example/a.git",
        "https://RegistryServiceAccount2024ForBuilds@git.example/a.git",
        "https://git.example/a/b@1234567890abcdef1234567890abcdef12345678",
        "ssh://git@github.com:22/acme/widgets.git",
    ],
)
def test_a_user_alone_stays(text: str) -> None:
    assert redact_text(text, SECRETS) == text


def test_a_parameter_after_the_password_of_a_connection_string_stays() -> None:
    text = f"Server=db.example;User Id=ada;Password={PASSWORD};Encrypt=True;"
    assert redact_text(text, SECRETS) == text.replace(PASSWORD, "[redacted]")
