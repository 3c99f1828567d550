from __future__ import annotations

import pytest

from stepfork.redact.judging import is_plausible, shows_password
from stepfork.redact.names import PASSWORD, STRONG, WEAK
from stepfork.redact.redactor import redact_text
from stepfork.redact.secrets import Secrets
from tests.unit.redact.samples import BEARER, HEX32

SECRETS = Secrets({})
DRAWN = "egMFaNlEgenhGKRN" + "JGGslufCVWvgEMSE"


@pytest.mark.parametrize(
    ("value", "kind", "plausible"),
    [
        (HEX32, STRONG, True),
        (HEX32, WEAK, True),
        (DRAWN, STRONG, True),
        ("_EllipticCurvePrivateKey", STRONG, False),
        ("SyncX509WorkloadIdentityAuth", WEAK, False),
        ("types-auth0-python", WEAK, False),
        (r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}", WEAK, False),
        (f"api_key={HEX32}", STRONG, False),
        ("projects/my-project/secrets/my-secret/versions/2", STRONG, False),
        ("[a-zA-Z0-9/_+=.@-]+", STRONG, False),
        ("list[V1ObjectReference]", STRONG, False),
        ("V1SecretVolumeSource", STRONG, False),
        ("{registry_id}-auth-token1", PASSWORD, False),
        ("(value1", PASSWORD, False),
        ("ngy5r8zcuaydd3cxaolkzqfkfpqhfyydx7dh", STRONG, True),
        ("wJalrXUt" + "nFEMI/K7MDENG/bPxRfiCYzq", STRONG, True),
        ("hunter22!", PASSWORD, True),
        ("Passwörter", PASSWORD, False),
        ("パスワードを入力", PASSWORD, False),
        ("required|min:8|confirmed", PASSWORD, False),
        ("nullable|string|max:255", PASSWORD, False),
        ("!vault", PASSWORD, False),
        ("vault:secret/data/app#password", PASSWORD, False),
        ("%env(DB_PASSWORD)%", PASSWORD, False),
        ("[REDACTED]", PASSWORD, False),
        ("{password!r}", PASSWORD, False),
        ("{drawn.getrandbits(96):x}", PASSWORD, False),
        ("{settings['login']:>12}", PASSWORD, False),
        ("&#x3C;string", PASSWORD, False),
        ("------------", PASSWORD, False),
        ("abandon ability able about above absent absorb abstract absurd abuse access accident", PASSWORD, True),
        ("Enter your new password", PASSWORD, False),
    ],
)
def test_what_a_value_looks_like(value: str, kind: str, *, plausible: bool) -> None:
    assert is_plausible(value, kind) is plausible


@pytest.mark.parametrize("value", ["SecretStr", "HTTPPasswordMgr", "_PasswordType", "local_tree_pass2", ":py:data"])
def test_without_quotes_it_may_be_the_name_of_something(value: str) -> None:
    assert not is_plausible(value, PASSWORD, is_bare=True)
    assert redact_text(f"def f(password: {value} = None)", SECRETS) == f"def f(password: {value} = None)"


def test_a_value_that_says_its_name_once_more_is_none() -> None:
    assert not is_plausible("challengePassword", PASSWORD, "CHALLENGE_PASSWORD")
    assert is_plausible("challenge9Password!", PASSWORD, "CHALLENGE_PASSWORD")


def test_a_password_in_a_sentence_shows_that_it_is_one() -> None:
    assert shows_password("Sommer2024!")
    assert not any(map(shows_password, ("required2", "Incorrect", "hunter2", "2024-11-05")))


SCHEMES = [
    *(
        "Token",
        "Token token=",
        "ApiKey",
        "Api-Key",
        "Key",
        "Splunk",
        "GenieKey",
        "Bot",
        "SSWS",
        "App",
        "JWT",
        "sso-key",
    ),
    *("OAuth", "AccessKey", "Zoho-oauthtoken", "Klaviyo-API-Key", "DeepL-Auth-Key", "hmac", "SharedKey"),
]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_scheme_of_a_header_stays(scheme: str) -> None:
    lead = scheme if scheme.endswith("=") else f"{scheme} "
    assert redact_text(f"Authorization: {lead}{BEARER}\r\n", SECRETS) == f"Authorization: {lead}[redacted]\r\n"
