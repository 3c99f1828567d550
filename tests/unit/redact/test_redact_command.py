from __future__ import annotations

import pytest

from stepfork.redact.redactor import Redactor
from stepfork.redact.secrets import Secrets
from tests.unit.redact.samples import BEARER

R = "[redacted]"


def redact(*arguments: str) -> tuple[str, ...]:
    return Redactor(Secrets({})).command(arguments)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (("agent", "--api-key", "5p1"), ("agent", "--api-key", R)),
        (("agent", "--api-key=5p1", "run"), ("agent", f"--api-key={R}", "run")),
        (("agent", "-token", "5p1"), ("agent", "-token", R)),
        (("env", "DB_PASSWORD=x", "make"), ("env", f"DB_PASSWORD={R}", "make")),
        (("agent", "--auth", "--verbose"), ("agent", "--auth", "--verbose")),
        (("agent", "--auth"), ("agent", "--auth")),
        (("agent", "-p", "5p14V"), ("agent", "-p", "5p14V")),
        (("agent", "--max-tokens", "100"), ("agent", "--max-tokens", "100")),
        (("agent", "--name", "x411RygZx"), ("agent", "--name", "x411RygZx")),
        (("env", "HOME=/root", "PWD=/srv"), ("env", "HOME=/root", "PWD=/srv")),
        (("sh", "-c", "DB_PASSWORD=x1 run --token abc -p 1"), ("sh", "-c", f"DB_PASSWORD={R} run --token {R} -p 1")),
        (("sh", "-c", "run --api-key 'a b' next"), ("sh", "-c", f"run --api-key {R} next")),
    ],
)
def test_flags_and_variables(given: tuple[str, ...], kept: tuple[str, ...]) -> None:
    assert redact(*given) == kept
    assert redact(*kept) == kept


def test_c040_a_header_on_the_command_line() -> None:
    made = redact("curl", "-H", f"Authorization: Bearer {BEARER}", "https://api.example")
    assert made == ("curl", "-H", f"Authorization: Bearer {R}", "https://api.example")


def test_a_finding_names_the_argument() -> None:
    redactor = Redactor(Secrets({}))
    redactor.command(("agent", "--token", "abc"))
    assert [(found.rule, found.path) for found in redactor.findings] == [("command-line flag", "/source/command/2")]
