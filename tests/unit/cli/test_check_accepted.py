"""Findings that are no secrets: accepted by rule and value, wherever the value stands."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from stepfork.cli.check_redaction import main
from stepfork.redact.finding import digest_of
from tests.unit.redact.samples import GITHUB, OPENAI

SCHEMA = json.loads(resources.files("stepfork").joinpath("schemas/check-redaction.schema.json").read_text())
OTHER = OPENAI[:-1] + "Z"


@pytest.fixture
def checked(project: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    (project / ".stepfork").mkdir()

    def check(*words: str) -> tuple[int, str]:
        code = main(list(words))
        said = capsys.readouterr()
        assert not [value for value in (OPENAI, OTHER, GITHUB) if value in said.out + said.err]
        return code, said.out + said.err

    return check


def accept(value: str = OPENAI, rule: str = "openai-key", reason: str = "documented example") -> None:
    entry = f'[[redact.accepted]]\nrule = "{rule}"\nblake3 = "{digest_of(value)}"\nreason = "{reason}"\n'
    with (Path(".stepfork") / "config.toml").open("a") as config:
        config.write(entry)


def test_an_accepted_value_passes_and_is_counted(checked: Any, project: Path) -> None:
    (project / "a.json").write_text(json.dumps({"key": OPENAI, "again": [f"see {OPENAI}"]}))
    assert checked("a.json")[0] == 1
    accept()
    assert checked("a.json") == (0, "stepfork check-redaction: no secret in 1 file (2 findings accepted)\n")


def test_another_value_or_another_rule_is_not_accepted(checked: Any, project: Path) -> None:
    accept()
    accept(GITHUB)
    (project / "a.json").write_text(json.dumps({"both": f"{OPENAI} {OTHER}", "rule": GITHUB}))
    code, said = checked("a.json")
    assert code == 1
    assert said.splitlines() == [
        "stepfork check-redaction: 2 findings in 1 of 1 file, 1 accepted",
        "  a.json   /both   openai-key",
        "  a.json   /rule   github-token",
        "Redact in place: the same with --fix, and change any secret that left this machine",
    ]


def test_c049_an_accepted_finding_is_bound_to_its_value_alone(checked: Any, project: Path) -> None:
    accept()
    (project / "a.txt").write_text(f"key: {OPENAI}\n")
    assert checked("a.txt")[0] == 0
    (project / "a.txt").write_text(f"added above\n\nand here\nkey: {OPENAI}\n")
    (project / "moved.json").write_text(json.dumps({"deep": [{"inside": json.dumps([OPENAI])}]}))
    (project / "lines.jsonl").write_text(f'{{"a": 1}}\n{json.dumps({"b": OPENAI})}\n')
    (project / "case.yaml").write_text(f"folded: >-\n  {OPENAI}\n")
    chunks = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in (OPENAI[:9], OPENAI[9:])]
    (project / "stream.txt").write_text("".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks))
    names = ("a.txt", "moved.json", "lines.jsonl", "case.yaml", "stream.txt")
    assert checked(*names) == (0, "stepfork check-redaction: no secret in 5 files (5 findings accepted)\n")


def test_the_document_lists_what_was_accepted_and_why(checked: Any, project: Path) -> None:
    accept()
    (project / "a.json").write_text(json.dumps({"a": OPENAI, "b": OTHER}))
    code, said = checked("a.json", "--json")
    document = json.loads(said)
    jsonschema.validate(document, SCHEMA)
    assert code == 1
    assert document["findings"] == [{"file": "a.json", "path": "/b", "rule": "openai-key"}]
    accepted = {"file": "a.json", "path": "/a", "rule": "openai-key", "reason": "documented example"}
    assert document["accepted"] == [accepted]


def test_hash_prints_entries_that_need_a_reason_alone(checked: Any, project: Path) -> None:
    (project / "a.json").write_text(json.dumps({"a": OPENAI, "b": [OPENAI, GITHUB]}))
    code, said = checked("a.json", "--hash")
    assert code == 1
    assert "# a.json /a, and 1 place more\n[[redact.accepted]]\n" in said
    config = project / ".stepfork" / "config.toml"
    config.write_text(said)
    code, refused = checked("a.json")
    assert (code, "entry 1 of redact.accepted has no reason" in refused) == (2, True)
    config.write_text(said.replace('reason = ""', 'reason = "made up"'))
    assert checked("a.json")[0] == 0


def test_hashes_are_never_shown_unasked(checked: Any, project: Path) -> None:
    (project / "a.json").write_text(json.dumps({"a": OPENAI}))
    accept(GITHUB)
    digest = digest_of(OPENAI)
    for words in ((), ("--json",), ("--format", "github"), ("--format", "github", "--hash")):
        shown = checked("a.json", *words)[1]
        assert (digest in shown) == ("--hash" in words), words
    annotations = [line for line in checked("a.json", "--format", "github", "--hash")[1].splitlines() if "::" in line]
    assert annotations
    assert digest not in "".join(annotations)
    document = json.loads(checked("a.json", "--json", "--hash")[1])
    jsonschema.validate(document, SCHEMA)
    assert [item["blake3"] for item in document["findings"]] == [digest]


def test_a_capture_redacts_what_is_accepted(checked: Any, project: Path) -> None:
    from stepfork.config.redaction import project_rules
    from stepfork.redact.redactor import redact_text
    from stepfork.redact.secrets import Secrets

    accept()
    assert redact_text(OPENAI, Secrets({}, project_rules(".", None))) == "[redacted]"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--format", "xml"), "--format is text or github"),
        (("--format",), "--format takes a value"),
        (("--format", "--json"), "--format takes a value"),
        (("--accepted-from=",), "--accepted-from takes a value"),
        (("--json", "--format=github"), "both want stdout"),
        (("--accepted-from", "main", "a.txt"), "this is no git repository"),
    ],
)
def test_words_that_cannot_be_used(checked: Any, project: Path, words: tuple[str, ...], said: str) -> None:
    (project / "a.txt").write_text("")
    code, shown = checked(*words)
    assert (code, shown.count("\n")) == (2, 1)
    assert said in shown


def test_rules_that_cannot_be_used_end_a_check(checked: Any, project: Path) -> None:
    (project / ".stepfork" / "config.toml").write_text("[redact]\nkey = 1\n")
    (project / "a.txt").write_text("clean")
    code, said = checked("a.txt")
    assert code == 2
    assert said.startswith("stepfork check-redaction: .stepfork/config.toml: unknown key redact.'key'")
    assert said.count("\n") == 1
