from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stepfork.config.expression import runs_away
from stepfork.config.project import read_settings
from stepfork.config.redaction import project_rules, read_rules, store_root
from stepfork.errors import ConfigError, UsageError

DIGEST = "0f" * 32
WHOLE = f"""
format = 1
[redact]
keys = ["x-acme-session"]
variables = ["ACME_LICENCE"]
personal = ["phone", "iban"]
names = ["Ada Lovelace"]
[redact.patterns]
acme-key = "acme_[a-z0-9]{{32}}"
[[redact.accepted]]
rule = "openai-key"
blake3 = "{DIGEST.upper()}"
reason = "documented example"
"""


def test_what_the_table_says(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(WHOLE)
    for rules in (read_settings(tmp_path).redact, read_rules(str(tmp_path))):
        assert rules.keys == ("x-acme-session",)
        assert rules.variables == ("ACME_LICENCE",)
        assert rules.personal == ("phone", "iban")
        assert rules.names == ("Ada Lovelace",)
        assert rules.patterns == {"acme-key": "acme_[a-z0-9]{32}"}
        assert [(one.rule, one.digest, one.reason) for one in rules.accepted] == [
            ("openai-key", DIGEST, "documented example")
        ]


ENTRY = f'rule = "a"\nblake3 = "{DIGEST}"\nreason = "b"'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("redact = 1", "redact is not a table"),
        ("[redact]\nkey = []", "unknown key redact.'key'"),
        ("[redact]\nkeys = 'sesame'", "redact.keys is not a list of names"),
        ("[redact]\nkeys = ['x', '--']", "entry 2 of redact.keys"),
        ("[redact]\nvariables = ['SESAME=1']", "entry 1 of redact.variables"),
        ("[redact]\npersonal = ['mail']", "entry 1 of redact.personal cannot be used; it may have phone, card, iban"),
        ("[redact]\nnames = ['X']", "entry 1 of redact.names"),
        ("[redact]\npatterns = 1", "redact.patterns is not a table"),
        ("[redact.patterns]\n'a b' = 'x'", "redact.patterns.'a b' is no name of a rule"),
        ("[redact.patterns]\na = 1", "redact.patterns.a is not a regular expression"),
        ("[redact.patterns]\na = '(sesame'", "redact.patterns.a does not compile; missing )"),
        ("[redact.patterns]\na = '[[a]'", "redact.patterns.a does not compile"),
        ("[redact.patterns]\na = 'x*'", "redact.patterns.a matches the empty text"),
        ("[redact.patterns]\na = '(?=k)'", "redact.patterns.a matches the empty text"),
        ("[redact.patterns]\na = '(x+)+y'", "redact.patterns.a repeats what already repeats"),
        ("[redact]\naccepted = ['sesame']", "redact.accepted is not a list of tables"),
        ("[redact.accepted]\nrule = 'a'", "redact.accepted is not a list of tables"),
        (f"[[redact.accepted]]\n{ENTRY}\n[[redact.accepted]]\nrule = 'a'", "entry 2 of redact.accepted has no blake3"),
        (f"[[redact.accepted]]\n{ENTRY}\nline = 3", "entry 1 of redact.accepted has an unknown key 'line'"),
        (f"[[redact.accepted]]\nrule = 'a'\nblake3 = '{DIGEST}'\nreason = ' '", "has no reason; say why"),
        ("[[redact.accepted]]\nrule = 'a'\nblake3 = 'sesame'\nreason = 'b'", "a blake3 that is no digest"),
        ("redact = [", "is not TOML"),
    ],
)
def test_an_error_names_the_key_on_one_line_and_no_entry(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(text)
    for read in (read_settings, read_rules):
        with pytest.raises(ConfigError) as caught:
            read(str(tmp_path))
        assert said in str(caught.value)
        assert "config.toml: " in str(caught.value)
        assert "\n" not in str(caught.value)
        assert "sesame" not in str(caught.value).lower()


@pytest.mark.parametrize(
    "source",
    [
        *("(a+)+", "(?:a*)*b", "([a-z]+)*", r"(\w+\s?)*", r"(\w+\s*)+$", "(.*,)*x", "((a+)+)", "(a|b+)+", "(a{2,})+"),
        *("x(?:[0-9]+|[a-z]*)+", r"(?P<n>\w+)*", r"([\s\S]+;)+", "((?:ab)+)+", r"(?:\w+-?){3,}"),
    ],
)
def test_a_pattern_that_may_take_time_without_end(source: str) -> None:
    assert runs_away(source)


@pytest.mark.parametrize(
    "source",
    [
        *(
            "acme_[a-z0-9]{32}",
            "(?:[A-Z]+-)+[0-9]+",
            "(a+)?b",
            "(?:ab)+",
            r"(?i)acme-(\w+)",
            "key=([^;]+);",
            "[a+)+]{3}",
        ),
        *(
            r"\(a+\)+",
            "(?:[a-z]{2,5})+",
            "(a|b)+",
            r"(?<=x)(?:\d{4}-){3}\d{4}",
            "(?:a+b)+",
            "(a+)(b+)",
            r"(?:\d{4}x*)+",
        ),
    ],
)
def test_a_pattern_that_does_not(source: str) -> None:
    assert not runs_away(source)


def test_where_the_rules_are_found(tmp_path: Path) -> None:
    store = tmp_path / ".stepfork"
    store.mkdir()
    (store / "config.toml").write_text(WHOLE)
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    other = tmp_path / "other"
    other.mkdir()
    assert store_root(str(below), None) == str(store)
    assert project_rules(str(below), None).keys == ("x-acme-session",)
    with pytest.raises(UsageError, match="is a folder and no store"):
        project_rules(str(below), str(other))
    (other / "config.toml").write_text("format = 1\n")
    assert not project_rules(str(below), str(other)).keys
    with pytest.raises(UsageError, match="no such store"):
        project_rules(str(below), "gone")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig", "latin-1"])
def test_an_encoding_hides_no_rules(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("# ü\n" + WHOLE, encoding)
    if encoding == "utf-8-sig":
        assert read_rules(str(tmp_path)).keys == ("x-acme-session",)
    else:
        with pytest.raises(ConfigError, match="is not TOML"):
            read_rules(str(tmp_path))
    (tmp_path / "config.toml").write_bytes(b'[select]\nbase = "\xff"\n')
    with pytest.raises(ConfigError, match="is not TOML"):
        read_rules(str(tmp_path))


def test_a_file_that_speaks_of_other_things_is_not_even_parsed(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[select]\nbase = "main"\n')
    code = (
        "import sys; from stepfork.config.redaction import read_rules; read_rules(sys.argv[1]); "
        "print(sorted({'tomllib', 're', 'json'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, tmp_path],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "[]\n", done.stderr
