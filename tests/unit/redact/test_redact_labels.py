from __future__ import annotations

import json

import pytest

from stepfork.redact.redactor import redact_text
from stepfork.redact.secrets import Secrets
from tests.unit.redact.samples import BEARER, HEX32, PASSWORD

SECRETS = Secrets({})
R = "[redacted]"


def redact(text: str) -> str:
    return redact_text(text, SECRETS)


LABELS = [
    "API Key: {}",
    "Your Secret Access Key: {}\nKeep it.",
    "- **API key**: `{}`",
    "- **Access Token:** {}",
    "| Client Secret | `{}` | never expires |",
    "| api_key | {} |",
    "<tr><td>API Key</td><td>{}</td></tr>",
    "<b>Auth Token</b>: <code>{}</code>",
    "The API key is {}.",
    "Your access token was {}, now revoked.",
    "api key = {}",
]


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("value", [HEX32, BEARER])
def test_a_label_introduces_a_value(label: str, value: str) -> None:
    text = label.format(value)
    assert redact(text) == label.format(R)
    inside = json.dumps({"stdout": f"done\n{text}\n"})
    assert SECRETS.prefilter.may_hold_secret(inside)
    assert redact(inside) == inside.replace(value, R)


@pytest.mark.parametrize(
    "label", ["Password: {}", "**Password**: {}", "| Password | {} |", "My password is {} .", "Das Passwort lautet: {}"]
)
def test_a_label_introduces_a_password(label: str) -> None:
    assert redact(label.format(PASSWORD)) == label.format(R)


@pytest.mark.parametrize(
    "text",
    [
        "The password is required2 and must be long.",
        "the api key is: see below, section 12",
        "API keys: 3 active, 2 revoked since 2024-11-05",
        "| API key | Required | string, 32 characters |",
        "| Key | Value |\n| --- | --- |\n| name | ada2 |",
        "Key: value-number-2 and another key: 0x1f",
        "primary key: 0fa5498923beb33783558d998ea0b303",
        "The secret is 100g of butter. A token is a short-lived string2.",
        "auth: SyncX509WorkloadIdentityAuth | AsyncX509WorkloadIdentityAuth | None = None",
        "- `api_key` (str): your API key, see https://example.com/keys2",
        "**Password** must have 8-64 characters. Password: at least 12, 1 digit",
        "<label>Password</label><input>",
        f'"AWS::ApiGateway::ApiKey": "{HEX32[:16]}"',
        "arn:aws:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[a-zA-Z0-9/_+=.@-]+$",
        f'{{"IdempotencyToken": "{HEX32}", "updateToken": "{HEX32}"}}',
        "PRIVATE_KEYS: T1552.004\n",
        "if path in path_to_secret:\n    secret_match1 = find(path)",
        "fds_to_pass = [listener.fileno(), alive_r2]; last_pass = std::move(pass2)",
    ],
)
def test_what_is_said_of_a_secret_stays(text: str) -> None:
    assert redact(text) == text


GAPS = [
    "ENV API_TOKEN {}",
    "FROM x\nARG DB_PASSWORD {}\nRUN y",
    "set -x OPENAI_API_KEY {}",
    "set -gx OPENAI_API_KEY {}",
    "setx OPENAI_API_KEY {}",
    "aws configure set aws_secret_access_key {}",
    "npm config set //registry.example/:_authToken {}",
    "heroku config:set API_TOKEN={} --app a",
    "machine api.example\n  login ada\n  password {}\n",
    "machine api.example login ada password {}",
    "requirepass {}",
    "run --api-key {} now",
]


@pytest.mark.parametrize("line", GAPS)
def test_a_blank_parts_some_names_from_their_value(line: str) -> None:
    text = line.format(BEARER)
    assert redact(text) == line.format(R)
    inside = json.dumps({"command": text})
    assert SECRETS.prefilter.may_hold_secret(inside)
    assert redact(inside) == inside.replace(BEARER, R)


@pytest.mark.parametrize(
    "text",
    [
        f"the password {HEX32} belongs to nobody",
        f"set token {HEX32}",
        "login with your password today1234",
        "git config set user.token --global",
        f"token {HEX32}",
    ],
)
def test_a_blank_alone_introduces_nothing(text: str) -> None:
    assert redact(text) == text
