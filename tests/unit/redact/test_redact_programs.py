from __future__ import annotations

import json
import shlex

import pytest

from stepfork.redact.redactor import redact_command, redact_text
from stepfork.redact.secrets import Secrets
from tests.unit.redact.samples import BEARER

SECRETS = Secrets({})
R = "[redacted]"
CALLS = [
    "curl -s -u ada:{} https://api.example/me",
    "curl --user ada:{} https://api.example/me",
    "curl --user=ada:{} https://api.example/me",
    "/usr/bin/curl --proxy-user ada:{} https://api.example/me",
    "http -a ada:{} https://api.example/me",
    "mysql -u root -p{} app",
    "mysqldump -uroot -p{} app",
    "docker login -u ada -p {} registry.example",
    "podman login -p {} registry.example",
    "helm registry login -u ada -p {} registry.example",
    "az login --service-principal -u x -p {}",
    "sshpass -p {} ssh ada@host.example",
    "redis-cli -h cache.example -a {} ping",
    "mongosh -u ada -p {} db",
    "sqlcmd -S db.example -U ada -P {}",
    "ldapsearch -x -D cn=ada -w {}",
    "zip -P {} a.zip b.txt",
    "7z x a.7z -p{}",
    "twine upload -u __token__ -p {} dist/a.whl",
    "smbclient -U ada%{} //host/share",
    "lftp -u ada,{} sftp://host.example",
    "kubectl create secret generic x --from-literal=db={}",
    "kubectl create secret generic x --from-literal db={}",
    "gh secret set X --body {}",
]


@pytest.mark.parametrize("call", CALLS)
def test_an_option_of_one_letter_counts_after_the_name_of_its_program(call: str) -> None:
    assert redact_command(shlex.split(call.format(BEARER)), SECRETS) == tuple(shlex.split(call.format(R)))
    assert redact_command(["sh", "-c", call.format(BEARER)], SECRETS) == ("sh", "-c", call.format(R))
    text = f"$ {call.format(BEARER)}\nok"
    assert redact_text(text, SECRETS) == f"$ {call.format(R)}\nok"
    inside = json.dumps({"arguments": json.dumps({"command": text})})
    assert SECRETS.prefilter.may_hold_secret(inside)
    assert redact_text(inside, SECRETS) == inside.replace(BEARER, R)


def test_openssl_says_what_kind_of_source_a_password_has() -> None:
    text = f"openssl rsa -passin pass:{BEARER} -in k.pem; openssl rsa -passin file:/srv/{BEARER}.txt"
    assert redact_text(text, SECRETS) == text.replace(BEARER, R, 1)


@pytest.mark.parametrize("call", ["curl -u 'ada:{}' https://x.example", 'curl --user "ada:{}" https://x.example'])
def test_quotes_stay(call: str) -> None:
    assert redact_text(call.format(BEARER), SECRETS) == call.format(R)
    assert redact_command(["sh", "-c", call.format(BEARER)], SECRETS) == ("sh", "-c", call.format(R))


OTHERS = [
    "agent -p K0dbrKcnO9",
    "curl -u ada https://api.example/me",
    "curl -u user:password https://api.example/me",
    'curl -u "$USER:$PASS" https://api.example/me',
    "mysql -u root -p app1",
    "docker run -p 8080:80 example/app1",
    "docker login -u ada -p $TOKEN registry.example",
    "docker login -u '<user>' -p '<token-1>' registry.example",
    "ssh -p 2222 host1.example",
    "mkdir -p build1/output2",
    "redis-cli -h cache1.example -p 6379 ping",
    "kubectl get pods -p name1",
    "7z a a1.7z b2",
    "echo curls -u ada:b1c2d3e4f5",
]


@pytest.mark.parametrize("call", OTHERS)
def test_other_options_are_recorded_as_they_are(call: str) -> None:
    assert redact_command(shlex.split(call), SECRETS) == tuple(shlex.split(call))
    assert redact_text(call, SECRETS) == call


def test_what_stands_in_angle_brackets_is_to_be_filled_in() -> None:
    text = "docker login -u <user> -p <token-1> registry.example"
    assert redact_text(text, SECRETS) == text


def test_what_follows_another_command_belongs_to_that() -> None:
    text = f"curl https://x.example | grep -u ada:{BEARER}; curl x && tar -u ada:{BEARER}"
    assert redact_text(text, SECRETS) == text


def test_a_call_goes_on_in_the_next_line_after_a_backslash() -> None:
    text = f"curl https://x.example \\\n  -H 'Accept: */*' \\\n  -u ada:{BEARER}\n-u eve:{BEARER}"
    assert redact_text(text, SECRETS) == text.replace(BEARER, R, 1)
