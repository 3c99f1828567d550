"""Texts that nearly fit a rule, over and over: four times as long, about four times the processor's time.

Prints the worst ratio of redaction, of the look for personal data, and of normalisation.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from measure import Report

from stepfork.normalize.known import Context
from stepfork.normalize.normalize import normalize_run
from stepfork.redact.personal import Personal
from stepfork.redact.rules import CLASSES
from stepfork.redact.secrets import Secrets
from stepfork.trace.body import JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Run, Source
from stepfork.trace.step import Trace

BOUND = 8
"""As the square of the length it would be 16."""
SHORT, LONG = 8_000, 32_000
CREDENTIALS = (
    "sk-",
    "sk",
    "xoxb-",
    "password=",
    "x-api-key: ",
    "eyJ",
    "-----BEGIN ",
    "AKIA",
    "https://",
    "a1-",
    "\\u0041",
)
PERSONAL = ("0", "1 ", "+1 ", "(", "phone ", "GB82", "4111 ", "01 ", "0-", "Ada ", "+44 20 7946 0958 ", "+(", "1/")
VOLATILE = (
    "a",
    "request id ",
    "%40",
    "a%40",
    "ref: ",
    "AIMessage(id='",
    "/tmp/",
    " 10:10:10",
    "datetime(",
    "at 0x",
    "Aa",
)


def main() -> int:
    report = Report()
    matcher = Secrets({}).matcher
    personal = Personal(CLASSES, ("Ada Lovelace",))
    for name, pieces, work in (
        ("redaction", CREDENTIALS, matcher.find),
        ("personal data", PERSONAL, personal.find),
        ("normalisation", VOLATILE, _normalized),
    ):
        ratio, piece = max((_ratio(piece, work), piece) for piece in pieces)
        report.at_most(f"{name}: 4 x the text, worst of {len(pieces)} ({piece!r})", ratio, BOUND)
    return report.code


def _ratio(piece: str, work: Callable[[str], object]) -> float:
    work(piece * 10)  # what is compiled when first asked for
    return _seconds(piece, LONG, work) / _seconds(piece, SHORT, work)


def _seconds(piece: str, length: int, work: Callable[[str], object]) -> float:
    text = piece * (length // len(piece))
    best = float("inf")
    for _ in range(3):
        begun = time.process_time()
        work(text)
        best = min(best, time.process_time() - begun)
    return max(best, 1e-4)


def _normalized(text: str) -> object:
    body = JsonBody({"error": text, "id": text})
    failed = Exchange("openai", "other", Request("POST", "/x"), Response(500, body=body))
    run = Run(Source("command", True, ()), Trace("spans", ()), (failed,))
    return normalize_run(run, Context(started_ns=0, ended_ns=1, cwd="/srv/app", home="/home/ada", tmp="/tmp"))


if __name__ == "__main__":
    sys.exit(main())
