from __future__ import annotations

from pathlib import Path

import pytest

from stepfork.config.project import read_settings
from stepfork.errors import ConfigError


def test_defaults_without_a_file(tmp_path: Path) -> None:
    assert read_settings(tmp_path).select_base is None


def test_what_a_project_set(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('format = 1\n[select]\nbase = "origin/develop"\n')
    assert read_settings(tmp_path).select_base == "origin/develop"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("format = 2", "upgrade stepfork"),
        ("format = true", "format is not a number; write format = 1"),
        ("format = '1'", "format is not a number; write format = 1"),
        ("[select]\nrevision = 'x'", "[select] has base"),
        ("frmat = 1", "'frmat'"),
        ("[select]\nbsae = 'x'", "select.'bsae'"),
        ("[select]\nbase = 3", "select.base is not a string; put it in quotes"),
        ("select = 3", "'select'"),
        ("a = = 1", "is not TOML"),
        ("\x00", "is not TOML"),
    ],
)
def test_anything_else_is_named(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_settings(tmp_path)
    assert says in str(caught.value)
    assert "config.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_errors_name_the_file_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".stepfork").mkdir()
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path / "src")
    for text in ("a = = 1", "format = true", "[routes]\nx = 1", "normalize = 1", "capture = 1"):
        (tmp_path / ".stepfork" / "config.toml").write_text(text)
        with pytest.raises(ConfigError) as caught:
            read_settings(tmp_path / ".stepfork")
        assert caught.value.where == "../.stepfork/config.toml"


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"\xff")
    with pytest.raises(ConfigError):
        read_settings(tmp_path)
