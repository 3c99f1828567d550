"""A value has one digest, whatever spells it."""

from __future__ import annotations

import json

import pytest

from stepfork.redact.finding import Finding
from stepfork.redact.scan import scan_bytes
from stepfork.redact.secrets import Secrets
from tests.unit.redact.samples import OPENAI, PEM

KNOWN = {"phrase with / and \u00fc": "A_SECRET"}
ASKED = Secrets(KNOWN, digests=True)


def found(text: str, name: str = "", secrets: Secrets = ASKED) -> list[Finding]:
    return scan_bytes(text.encode(), secrets, name)


def digests(text: str, name: str = "") -> set[tuple[str, str]]:
    return {(item.rule, item.digest) for item in found(text, name)}


@pytest.mark.parametrize("value", [OPENAI, PEM, next(iter(KNOWN))], ids=["shape", "lines", "known"])
def test_every_kind_of_file_gives_one_digest(value: str) -> None:
    document = {"notes": ["before", value]}
    once = json.dumps(document)
    forms = {
        "text": f"see {value} there\n",
        "windows": f"see {value} there\n".replace("\n", "\r\n"),
        "json": once,
        "ascii in json in json": json.dumps({"arguments": once}),
        "jsonl": f'{{"a": 1}}\n{once}\n',
        "json in text": f"got {once} back\n",
        "repr": f"got {document!r} back\n",
        "stream": "".join(f"data: {json.dumps({'x': piece})}\n\n" for piece in ("first", value)),
    }
    made = {form: digests(text) for form, text in forms.items()}
    made["yaml"] = digests(f"notes:\n  - {json.dumps(value, ensure_ascii=False)}\n", "a.yaml")
    assert len(made["json"]) == 1, made
    assert {frozenset(one) for one in made.values()} == {frozenset(made["json"])}, made
    assert len(next(iter(made["json"]))[1]) == 64


def test_a_percent_encoded_value_has_the_digest_of_what_it_spells() -> None:
    assert digests("/x?q=phrase%20with%20%2F%20and%20%C3%BC") == digests(next(iter(KNOWN)))


def test_two_values_at_one_place_are_two_findings_where_digests_are_asked_for() -> None:
    text = json.dumps([f"{OPENAI} and {OPENAI[:-1]}Z"])
    assert len(found(text)) == 2
    assert len(found(text, secrets=Secrets({}))) == 1


def test_the_joined_text_of_a_stream_is_what_counts() -> None:
    def event(piece: str) -> str:
        delta = {"choices": [{"index": 0, "delta": {"content": piece}}]}
        return f"data: {json.dumps(delta)}\n\n"

    split = "".join(map(event, (OPENAI[:9], OPENAI[9:20], OPENAI[20:])))
    assert digests(split) == digests(OPENAI)


def test_nothing_is_computed_unasked() -> None:
    assert [item.digest for item in found(OPENAI, secrets=Secrets({}))] == [""]
