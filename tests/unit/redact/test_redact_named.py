from __future__ import annotations

import json

import pytest

from stepfork.redact.named import is_named_secret, is_variable_secret
from stepfork.redact.names import is_secret_flag, is_secret_parameter, is_secret_variable, qualified, strength, words
from stepfork.redact.redactor import redact_text
from stepfork.redact.secrets import Secrets
from tests.unit.redact.samples import BEARER, HEX32, PASSWORD

SECRETS = Secrets({})


def redact(text: str) -> str:
    return redact_text(text, SECRETS)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("x-api-key", ["x", "api", "key"]),
        ("OPENAI_API_KEY", ["openai", "api", "key"]),
        ("SecretAccessKey", ["secret", "access", "key"]),
        ("ocp-apim-subscriptionKey", ["ocp", "apim", "subscription", "key"]),
        ("APIKey2", ["api", "key", "2"]),
        ("clé_token", ["cl", "token"]),
        ("", []),
    ],
)
def test_a_name_is_read_as_its_words(name: str, parts: list[str]) -> None:
    assert words(name) == parts


SECRET_NAMES = """
    api-key apiKey api_key apikey x-api-key subscription-key ocp-apim-subscription-key access-key AccessKey
    client_secret clientSecret secret_access_key sessionToken AWS_SESSION_TOKEN OPENAI_API_KEY mailgun_key AccountKey
    password passwd DB_PASSWORD smtp_password user_pass authorization access_token private_key GITHUB_TOKEN
    PGPASSWORD userpassword dbpass keystorePass storePassword requirepass Passwort motdepasse mnemonic seed_phrase
    telegram_api_hash appCertificate service_role_key presharedKey psk code_verifier client_assertion x-rapidapi-key
    COSMOS_KEY speech_key client-key-data SECRET_KEY_BASE api_key_prod openaiapikey identitytoken recoveryCodes"""
OTHER_NAMES = """
    max_tokens total_tokens prompt_tokens tokens eos_token next_page_token pageToken token_type pad_token_id tokenizer
    cache_key public_key primary_key idempotency_key partition_key mapKey key keys keyboard monkey author author_id
    signature secretary passenger compass api_version bearerFormat tokenUrl
    publicKeyToken resumeToken forwardToken consistency_token changeToken sort_key api_key_id key_id api_key_header
    token_endpoint token_expires_at password_policy password_hash secret_name auth_url auth_type line_number hash
    AWS::ApiGateway::ApiKey certificate api_version compass bypass trespass encompass"""


@pytest.mark.parametrize("name", SECRET_NAMES.split())
def test_names_of_secrets(name: str) -> None:
    assert strength(name) is not None


@pytest.mark.parametrize("name", OTHER_NAMES.split())
def test_names_of_no_secret(name: str) -> None:
    assert strength(name) is None


TEMPLATES = [
    "{name}={value}",
    "{name}: {value}",
    '"{name}": "{value}"',
    "'{name}': '{value}'",
    '{name} = "{value}"',
    'curl -H "{name}: {value}" https://api.example/v1',
    "GET https://api.example/v1?page=2&{name}={value}&limit=50",
    '{{\\"{name}\\": \\"{value}\\"}}',
    "Use {name}={value}.",
    "<{name}>{value}</{name}>",
    "run --{name} {value} now",
]


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("api-key", HEX32),
        ("x-api-key", HEX32),
        ("client_secret", BEARER),
        ("DB_PASSWORD", PASSWORD),
        ("access_key", BEARER),
    ],
)
def test_a_value_goes_and_its_name_stays(template: str, name: str, value: str) -> None:
    text = template.format(name=name, value=value)
    assert redact(text) == template.format(name=name, value="[redacted]")


def test_a_long_value_goes_whole() -> None:
    value = (HEX32 + "Zq") * 40
    assert redact(f"x-api-key: {value}\r\n") == "x-api-key: [redacted]\r\n"


@pytest.mark.parametrize(
    "text",
    [
        f"trace_id={HEX32} cache_key={HEX32}",
        HEX32,
        '{"usage": {"prompt_tokens": 747, "total_tokens": 9123, "max_tokens": 4096}}',
        '{"api_key": null, "token": "", "password": null, "client_secret": false}',
        '"api_key": "{{ secrets.API_KEY }}"',
        "password=${DB_PASSWORD} token: <your token here> api_key='your-api-key-2024'",
        "const token = process.env.GITHUB_TOKEN_2;",
        "token = request.headers.get('authorization')",
        "api_key = os.environ['OPENAI_API_KEY_2']",
        "api_key=config.providers.openai.key2",
        "password = read_secret1(name), PASSWORD = pattern(r'[a-z]{8}')",
        '<label for="password">Password</label><input type="password" name="password">',
        '{"label": "Password", "type": "password", "name": "password", "autocomplete": "current-password"}',
        "He was the bearer of bad news.",
        "Basic information about the bearer token authentication scheme",
        '{"securitySchemes": {"bearerAuth": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}}}',
        "arn:aws:secretsmanager:eu-west-1:757336651851:secret:prod/db-7McttY",
        "Meeting 10:30@room-4; mailto:ann@example.com; ratio 3:4@5",
        "http://localhost:8080/users/ann@example.com and ssh://git@github.com:22/org/repo.git",
        '{"api_key":"[redacted]","password":"***"}',
        "postgres://app:[redacted]@db.example/main",
        "postgres://app:${PASSWORD}@db.example/main",
        '{"token": " Hello", "logprob": -0.25, "bytes": [32]}',
        '{"next_cursor": "eyJpZCI6IDYyNTQ3MjkxMSwgImRpciI6ICJuIn0=", "nextPageToken": "CAUQAA1b2c3d4e5f6g7h"}',
        "secret: none, password: required, token: string",
        "key: O-1042",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text


def test_a_schema_with_properties_called_token_and_password_stays() -> None:
    schema = {
        "properties": {"token": {"type": "string"}, "password": {"type": "string", "minLength": 8}},
        "required": ["token", "password"],
    }
    assert redact(json.dumps(schema)) == json.dumps(schema)


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("password", "hunter22!", True),
        ("password", "string", False),
        ("password", "Must be at least 12 characters", False),
        ("api_key", "The API key of the user, 32 characters", False),
        ("api_key", HEX32, True),
        ("token", "Hel", False),
        ("token", BEARER, True),
        ("token", "2024-11-05T10:00:00Z", False),
        ("sort_key", HEX32, False),
        ("authorization", "https://auth.example/authorize2", False),
        ("AWS_SECRET_ACCESS_KEY", "/K831FJ" + "txsogk3yL1TU" + "WvcxsbU/Y5XJS" + "3kU+QuY8", True),
        ("api_key", "/home/ann/keys/openai2.txt", False),
    ],
)
def test_a_value_that_stands_alone_under_its_name(name: str, value: str, *, secret: bool) -> None:
    assert is_named_secret(name, value) is secret


@pytest.mark.parametrize(
    "name", ["OPENAI_API_KEY", "TOKEN", "my_secret", "DB_PASS", "ADMIN_PWD", "SENTRY_DSN", "NPM_AUTH"]
)
def test_variables_that_hold_secrets(name: str) -> None:
    assert is_secret_variable(name)


@pytest.mark.parametrize(
    "name", ["PWD", "OLDPWD", "GIT_ASKPASS", "SSH_ASKPASS", "HOME", "KEYBOARD", "AUTHOR", "TOKENIZER", "COMPASS"]
)
def test_variables_that_hold_none(name: str) -> None:
    assert not is_secret_variable(name)


QUALIFIED = [
    *("AWS_BEARER_TOKEN_BEDROCK", "OPENAI_API_KEY_PROD", "API_KEY_2_EU", "GITHUB_TOKEN_READONLY", "CLIENT_SECRET_V2"),
    *("SECRET_KEY_BASE", "SIGNING_KEY_B64", "DB_PASSWORD_REPLICA", "MY_TOKEN_STAGING"),
]


@pytest.mark.parametrize("name", QUALIFIED)
def test_variables_whose_name_goes_on_hold_secrets_that_look_like_one(name: str) -> None:
    assert not is_secret_variable(name)
    assert qualified(name)
    assert is_variable_secret(name, "Zk4qYw8Rt2" + "Lm6Xv1Bn9c")
    assert not is_variable_secret(name, "production-west")


@pytest.mark.parametrize(
    "name",
    [
        *("TOKEN_URL", "SSH_AUTH_SOCK", "AUTH0_DOMAIN", "API_KEY_HEADER", "SECRET_NAME", "AWS_ACCESS_KEY_ID", "PATH"),
        *("PASSWORD_STORE_DIR", "AZURE_KEY_VAULT_NAME", "MAX_TOKENS_BEDROCK", "TOKENIZERS_PARALLELISM", "CACHE_KEY_V2"),
    ],
)
def test_what_is_told_of_a_secret_is_none(name: str) -> None:
    assert qualified(name) is None


def test_parameters_and_flags() -> None:
    assert all(map(is_secret_parameter, ("key", "api_key", "apikey", "access-key", "sig", "X-Amz-Signature", "token")))
    assert not any(map(is_secret_parameter, ("page", "alt", "keyword", "next", "monkey")))
    assert all(map(is_secret_flag, ("--api-key", "-token", "--db-password", "--credential-file", "--auth", "--pass")))
    assert not any(map(is_secret_flag, ("-p", "--name", "--max-tokens", "--author", "--keyboard", "--no-auth")))
