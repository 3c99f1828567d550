from __future__ import annotations

import random
import string

import pytest

from stepfork.redact.secrets import Secrets
from stepfork.redact.token_spots import token_spots
from stepfork.redact.tokens import RULE, tokens_in

MATCHER = Secrets({}).matcher
ALNUM = string.ascii_letters + string.digits


def drawn(size: int, alphabet: str = ALNUM, seed: int = 4) -> str:
    lot = random.Random(seed)
    return "".join(lot.choice(alphabet) for _ in range(size))


HEX = "0123456789abcdef"
UNKNOWN = [
    ("acme_live_", drawn(24)),
    ("acme-secret-", drawn(24)),
    ("nc_pat_", drawn(32)),
    ("acme_api_key_", drawn(32, HEX)),
    ("privy_app_secret_", drawn(80)),
    ("lmnr_", drawn(64)),
    ("xyz-", drawn(40)),
    ("ACME-", drawn(40)),
    ("x2y_", drawn(36)),
    ("q7-", drawn(36)),
    ("zzzzz_", drawn(12) + "-" + drawn(22, seed=5) + "_" + drawn(9, seed=6)),
]


@pytest.mark.parametrize(("prefix", "body"), UNKNOWN)
@pytest.mark.parametrize("around", ["use {} now", "KEY_A={}\n", '"{}"', "({}).", "见{}。", "It is {}."])
def test_a_token_of_no_known_service_goes_whole(around: str, prefix: str, body: str) -> None:
    text = around.format(prefix + body)
    [span] = MATCHER.find(text)
    assert text[span.start : span.end] == prefix + body
    assert list(token_spots(text.encode(), 0, len(text.encode())))


@pytest.mark.parametrize(("prefix", "body"), UNKNOWN)
def test_it_is_expected_behind_an_escape_too(prefix: str, body: str) -> None:
    text = f'{{"stdout": "done\\n{prefix}{body}\\n"}}'
    assert [text[span.start : span.end] for span in MATCHER.find(text)] == [prefix + body]
    assert list(token_spots(text.encode(), 0, len(text.encode())))


IDS = [
    *(
        "chatcmpl-",
        "msg_01",
        "toolu_01",
        "call_",
        "run_",
        "thread_",
        "user_2",
        "pi_3",
        "cs_test_a1",
        "PR_kwDO",
        "file-",
    ),
    *("req_011C", "org-", "srvtoolu_01", "seti_1", "cus_", "evt_1", "snap_", "prj_", "tooluse_", "gen-1700000000-"),
]


@pytest.mark.parametrize("prefix", IDS)
def test_ids_of_services_are_none(prefix: str) -> None:
    assert list(tokens_in(f'{{"id": "{prefix}{drawn(22)}"}}')) == []


@pytest.mark.parametrize(
    "text",
    [
        f"resp_{drawn(48, HEX)} fc_{drawn(48, HEX)} vs_{drawn(32, HEX)} lc_run--{drawn(32, HEX)}",
        f"cache_key_{drawn(64, HEX)} public_key_{drawn(40)} sha256-{drawn(43)}= nonce-{drawn(32)}",
        f"acme/web:prod-{drawn(20, HEX)} app-{drawn(20)}.js index-{drawn(40)}.css",
        f"data:font/woff2;base64,d09_{drawn(40)}/{drawn(40)}+{drawn(40)}",
        f"rsn_{drawn(60)}/{drawn(60)}==",
        f"https://cdn.example/assets/pack_{drawn(40)}",
        "test_whenTheUserHas2ItemsThenBothAreReturned test_live_UserService2CreatesAccountInDatabase",
        "my_secret_value_of_the_first_configuration_2024 get-api-key-from-environment-variables-2",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        f"v1_{drawn(70)}",
        f"f79f-{drawn(12)}_{drawn(30, seed=5)} qt-{drawn(30)}-{drawn(30, seed=5)}",
        f"role/eks-service-role-AWSServiceRoleForAmazonEKS-{drawn(12)}",
        "self.messages.GoogleCloudAiplatformV1beta1Port() SEC_PointerToPKCS12CertAndCRLBagTemplate",
        f"test-ap-{drawn(34, string.ascii_lowercase + string.digits)}-s3alias",
        f'{{"UploadId": "exampleuoh_{drawn(60)}", "cursor": "qrs-{drawn(40)}"}}',
        f"100%25 rsn_{drawn(120)}+{drawn(80)}",
        f'{{"of": "apikey_01{drawn(22)}", "by": "deps_key_{drawn(64, HEX)}"}}',
        f"cache_key_{drawn(32, HEX)} my-key-{drawn(32, HEX)} my_live_{drawn(35, HEX)[:-12]}",
        f"x-api-key{drawn(32, HEX)} access_token{drawn(40)}",
    ],
)
def test_what_only_resembles_one_is_left_alone(text: str) -> None:
    assert [text[span.start : span.end] for span in MATCHER.find(text) if span.rule == RULE] == []


@pytest.mark.parametrize("name", ["cursor", "next_page_token", "uploadId", "etag", "run_ids", "content_hash"])
def test_what_its_name_calls_an_id_is_none(name: str) -> None:
    value = f"qq_{drawn(60)}"
    assert MATCHER.find(f'{{"{name}": "{value}"}}') == []
    assert MATCHER.find(value, name) == []
    assert MATCHER.find(value, "note")
    assert MATCHER.find(f"see {value}", name)


def test_a_prefix_that_is_a_word_begins_nothing_after_another_word() -> None:
    text = f"cache_key_{drawn(32, HEX)} deps-key-{drawn(32, HEX)} us_live_{drawn(35, HEX)} web-app-{drawn(24)}"
    assert [span for span in MATCHER.find(text) if span.rule != RULE] == []


def test_a_token_inside_a_blob_is_none() -> None:
    blob = "".join(random.Random(9).choice(ALNUM + "-_") for _ in range(4000))
    assert [span for span in tokens_in(blob) if span.rule == RULE] == []
