from __future__ import annotations

import os
from pathlib import Path

import pytest

from stepfork.config.environment import MAX_DOTENV, environ, in_ci, read_dotenv, store_override
from stepfork.errors import ConfigError


def test_dotenv_semantics(project: Path) -> None:
    pem = "line one\nline two"
    (project / ".env").write_text(f"# comment\nexport A=plain\nB='single # not a comment'\nC=\"{pem}\"\nD=${{A}}\nE\n")
    values = read_dotenv(str(project))
    assert values == {"A": "plain", "B": "single # not a comment", "C": pem, "D": "${A}"}


def test_no_file_is_no_values_and_a_symlink_is_followed(project: Path) -> None:
    assert read_dotenv(str(project)) == {}
    (project / "real").write_text("A=1\n")
    (project / ".env").symlink_to("real")
    assert read_dotenv(str(project)) == {"A": "1"}


@pytest.mark.parametrize("kind", ["folder", "large", "binary", "loop"])
def test_what_cannot_be_read_is_an_error_that_quotes_nothing(kind: str, project: Path) -> None:
    path = project / ".env"
    if kind == "folder":
        path.mkdir()
    elif kind == "large":
        path.write_bytes(b"A=1\n" + b"#" * MAX_DOTENV)
    elif kind == "binary":
        path.write_bytes(b"A=\xff\xfe\n")
    else:
        path.symlink_to(".env")
    with pytest.raises(ConfigError) as caught:
        read_dotenv(str(project))
    assert ".env" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "expected"), [("true", True), ("1", True), ("", False), ("0", False), ("False", False)]
)
def test_ci_is_what_the_ci_says(value: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not in_ci()
    monkeypatch.setenv("CI", value)
    assert in_ci() is expected


def test_the_store_can_be_named_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert store_override() is None
    monkeypatch.setenv("STEPFORK_DIR", "elsewhere")
    assert store_override() == "elsewhere"


def test_a_variable_that_goes_while_they_are_copied_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    class Going(dict[str, str]):
        def get(self, name: str, default: str | None = None) -> str | None:  # type: ignore[override]
            return None if name == "GOES" else super().get(name, default)

        def __getitem__(self, name: str) -> str:
            raise KeyError(name)

    monkeypatch.setattr(os, "environ", Going(GOES="1", STAYS="2"))
    assert environ() == {"STAYS": "2"}
