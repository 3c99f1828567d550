"""What init, capture and doctor say of `[watch]`: proposals that nobody is bound to, hints, and what fits nothing."""

from __future__ import annotations

import json

import pytest

from stepfork.config.project import read_settings
from tests.integration.stand import Stand
from tests.integration.test_refresh_several import unusual

CONFIG = ".stepfork/config.toml"


@pytest.fixture
def shop(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> Stand:
    """A fixture `case` of an agent with a prompt and a helper, in a repository."""
    monkeypatch.chdir(stand.root)
    (stand.root / "helper.py").write_text("")
    (stand.root / "prompts").mkdir()
    (stand.root / "prompts/system.md").write_text("hello")
    stand.capture("import helper\nask('hi')")
    stand.git("init", "-q")
    return stand


def test_init_prints_lines_to_paste_and_leaves_the_file_alone(shop: Stand) -> None:
    before = (shop.root / CONFIG).read_bytes()
    said = shop.stepfork("init").out
    at = said.index("[watch]")
    assert "proposed in .stepfork/config.toml" in said[:at]
    assert said[at:] == '[watch]\ncase = ["agent.py", "helper.py", "prompts/system.md"]\n'
    assert (shop.root / CONFIG).read_bytes() == before
    (shop.root / CONFIG).write_text(f"format = 1\n{said[at:]}")
    assert read_settings(shop.root / ".stepfork").watch == {"case": ("agent.py", "helper.py", "prompts/system.md")}
    assert "proposed" not in shop.stepfork("init").out  # each fixture has its line


def test_init_adds_to_a_table_and_names_whose_files_it_cannot_tell(shop: Stand) -> None:
    unusual(shop, "inside", of="case", kind="in_process", command=())
    (shop.root / CONFIG).write_text('format = 1\n[watch]\nother = ["other.py"]\n')
    assert shop.stepfork("init").out.endswith(
        "proposed below [watch] in .stepfork/config.toml, from the commands of fixtures; paste what is right, it "
        'counts from then on:\ncase = ["agent.py", "helper.py", "prompts/system.md"]\n'
        "no file is known that these fixtures depend on: inside\n"
    )


def test_init_proposes_nothing_without_fixtures_or_a_repository(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(stand.root)
    stand.capture("ask('hi')")
    assert "watch" not in stand.stepfork("init").out
    stand.git("init", "-q")
    (stand.root / ".stepfork/fixtures/case.json").unlink()
    assert "watch" not in stand.stepfork("init").out


def test_a_capture_hints_only_where_there_is_a_table_without_it(shop: Stand) -> None:
    hint = "[watch] in .stepfork/config.toml has no files for new"
    assert "watch" not in shop.stepfork("capture", "--name", "new", "--", "python", "agent.py").err
    (shop.root / CONFIG).write_text('format = 1\n[watch]\ncase = ["agent.py"]\n')
    for words in (["--dry-run"], ["--output", "new.sftrace"]):
        assert hint not in shop.stepfork("capture", "--name", "new", *words, "--", "python", "agent.py").err
    assert hint in shop.stepfork("capture", "--name", "new", "--", "python", "agent.py").err
    (shop.root / CONFIG).write_text('format = 1\n[watch]\n"n*" = ["agent.py"]\n')
    assert "watch" not in shop.stepfork("capture", "--name", "new", "--", "python", "agent.py").err


def watch_check(stand: Stand) -> list[tuple[str, str]]:
    checks = json.loads(stand.stepfork("doctor", "--json").out)["checks"]
    return [(check["state"], check["text"]) for check in checks if check["name"] == "watch"]


def test_doctor_notes_what_fits_nothing(shop: Stand) -> None:
    assert watch_check(shop) == []
    (shop.root / CONFIG).write_text('format = 1\n[watch]\n"c*" = ["agent.py", "prompts/", "!prompts/old.md"]\n')
    assert watch_check(shop) == [("ok", "fits fixtures and files")]
    (shop.root / "ignored.md").write_text("")
    (shop.root / ".gitignore").write_text("ignored.md\n")
    (shop.root / CONFIG).write_text('format = 1\n[watch]\ngone = ["agent.py"]\ncase = ["ignored.md", "Prompts/*"]\n')
    assert watch_check(shop) == [
        ("note", "fits no fixture: gone; fits no file that git sees: ignored.md (case), Prompts/* (case)")
    ]
