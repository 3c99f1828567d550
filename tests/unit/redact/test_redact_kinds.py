"""Documents that say by their kind which of their values are secrets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stepfork.redact.redactor import Redactor, redact_text
from stepfork.redact.secrets import Secrets
from stepfork.rewrite.place import Place
from stepfork.rewrite.value import rewrite_value
from tests.unit.redact.samples import BEARER, HEX32, PASSWORD

SECRETS = Secrets({})
R = "[redacted]"


def redacted(document: Any) -> Any:
    return rewrite_value(document, Place(()), Redactor(SECRETS))


def test_a_secret_of_kubernetes_in_json() -> None:
    held = {"kind": "Secret", "data": {"config": BEARER, "user": "ada"}, "stringData": {"db": PASSWORD}}
    left = {"kind": "Secret", "data": {"config": R, "user": "ada"}, "stringData": {"db": R}}
    assert redacted({"items": [held]}) == {"items": [left]}
    assert redacted(held | {"kind": "ConfigMap"}) == held | {"kind": "ConfigMap"}


MANIFEST = """\
apiVersion: v1
{before}kind: {kind}
metadata:
  name: a
  uid: {uid}
{after}---
kind: ConfigMap
data:
  config: {value}
"""
DATA = "data:\n  config: {}\n  user: admin\n"


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_secret_of_kubernetes_in_a_text(place: str) -> None:
    def manifest(value: str, kind: str = "Secret") -> str:
        parts = {"before": "", "after": "", place: DATA.format(value)}
        return MANIFEST.format(kind=kind, uid=HEX32, value=BEARER, **parts)

    assert redact_text(manifest(BEARER), SECRETS) == manifest(R)
    assert redact_text(manifest(BEARER, "SecretStore"), SECRETS) == manifest(BEARER, "SecretStore")
    inside = json.dumps({"stdout": manifest(HEX32[::-1])})
    assert SECRETS.prefilter.may_hold_secret(inside)
    assert redact_text(inside, SECRETS) == json.dumps({"stdout": manifest(R)})


def test_a_web_key() -> None:
    key = {"kty": "RSA", "n": BEARER * 4, "e": "AQAB", "kid": HEX32}
    assert redacted({"keys": [key | {"d": BEARER * 4, "p": BEARER}]}) == {"keys": [key | {"d": R, "p": R}]}
    assert redacted({"keys": [key]}) == {"keys": [key]}
    assert redacted({"kty": "oct", "k": BEARER}) == {"kty": "oct", "k": R}
