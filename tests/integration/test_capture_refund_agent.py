"""The whole way, for real: SDK → proxy → scripted model, spans → receiver, redact, normalize, store, git."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.integration.conftest import AGENT, ROOT, Cli, git

STORE = ROOT / ".stepfork"
VARIANTS = sorted(path.stem for path in (STORE / "fixtures" / "refund").glob("*.json"))


def test_the_project_keeps_a_fixture_of_each_variant() -> None:
    assert sorted(f"{api}{end}" for api in ("chat", "responses", "messages") for end in ("", "-streamed")) == VARIANTS


@pytest.mark.parametrize("variant", VARIANTS)
def test_capturing_the_examples_again_writes_the_projects_own_fixtures(
    variant: str, shop: Path, stepfork: Cli, model_log: Path
) -> None:
    """Other ids, another clock, another folder: the same bytes as in the project's own store."""
    here = shop / "examples" / "refund_agent"
    shutil.copytree(AGENT, here, ignore=shutil.ignore_patterns("__pycache__"))
    api, _, streamed = variant.partition("-")
    words = ["python", "agent.py", "--api", api, *(["--stream"] if streamed else [])]
    stepfork("capture", "--name", f"refund/{variant}", "--", *words, cwd=here)
    made = {path.relative_to(shop / ".stepfork"): path for path in (shop / ".stepfork").rglob("*.json")}
    manifest = Path("fixtures") / "refund" / f"{variant}.json"
    ids = json.loads((STORE / manifest).read_text())["objects"]
    assert set(made) == {manifest} | {Path("objects") / name[:2] / f"{name[2:]}.json" for name in ids}
    for inside, path in made.items():
        assert path.read_bytes() == (STORE / inside).read_bytes(), inside
    stored = "".join(path.read_text() for path in made.values())
    given = model_log.read_text().split()[1::2]
    assert len(set(given)) == 4
    assert not [response_id for response_id in given if response_id in stored]
    assert "unused-key" not in stored
    assert "ada@example.com" not in stored


def test_capturing_twice_leaves_git_status_clean(shop: Path, stepfork: Cli, model_log: Path) -> None:
    words = ["capture", "--name", "refund", "--", "python", "agent.py", "--stream"]
    stepfork(*words)
    git(shop, "add", "-A")
    git(shop, "commit", "-q", "-m", "fixture")
    first = set(model_log.read_text().split()[1::2])
    for folder in ("objects", "fixtures"):
        shutil.rmtree(shop / ".stepfork" / folder)
    stepfork(*words)
    assert git(shop, "status", "--porcelain", "--ignored", ".stepfork") == ""
    assert not first & (set(model_log.read_text().split()[1::2]) - first)
    assert len(set(model_log.read_text().split()[1::2])) == 8


def test_the_manifest_reads_like_the_run(kept: Path) -> None:
    manifest = json.loads((kept / ".stepfork" / "fixtures" / "refund.json").read_text())
    assert manifest["fixture_version"] == 1
    assert manifest["verification"] is None
    assert manifest["source"]["command"] == ["python", "agent.py", "--api", "chat"]
    assert "cwd" not in manifest["source"]  # the folder that holds the store
    assert [exchange["label"] for exchange in manifest["exchanges"]] == ["openai chat_completions gpt-4.1"] * 4
    lines = [line for exchange in manifest["exchanges"] for line in exchange["says"]]
    assert lines[0] == "user: Please refund order O-1042."
    assert lines[1].startswith("→ lookup_order")
    assert lines[-1].startswith("assistant: Order O-1042 was refunded once")


def test_show_ls_and_validate_read_it_back(kept: Path, stepfork: Cli) -> None:
    shown = stepfork("show", "refund").stdout
    assert "openai chat_completions gpt-4.1" in shown
    assert re.search(r"tool_call +issue_refund", shown)
    assert "4 calls" in stepfork("ls").stdout
    assert "valid (4 exchanges, " in stepfork("validate", "refund").stdout
    assert json.loads(stepfork("show", "refund", "--json").stdout)["name"] == "refund"


def test_editing_one_prompt_line_prints_exactly_that_line_once(kept: Path, stepfork: Cli) -> None:
    prompt = kept / "prompt.md"
    prompt.write_text(prompt.read_text().replace("shop.", "mart."))
    report = stepfork("capture", "--refresh", "refund", "--yes").stderr
    changed = [line.strip() for line in report.splitlines() if line.strip().startswith(("- ", "+ "))]
    assert changed == [
        "- You are a refund agent for a small web shop.",
        "+ You are a refund agent for a small web mart.",
    ]
    assert "exchanges 0–3" in report
    names = git(kept, "status", "--porcelain", "-uall", ".stepfork").split()[1::2]
    assert len(names) <= 3  # the manifest, the new system object, the one that it replaces


def test_a_bundle_travels(shop: Path, stepfork: Cli, tmp_path: Path) -> None:
    bundle = str(tmp_path / "refund.sftrace")
    stepfork("capture", "--name", "refund", "--output", bundle, "--", "python", "agent.py")
    assert not list((shop / ".stepfork").glob("fixtures/*"))
    stepfork("unpack", bundle)
    assert stepfork("diff", bundle, "refund", "--exit-code").stdout == "refund: no semantic change (4 exchanges)\n"
    stepfork("pack", "refund", str(tmp_path / "again.sftrace"))
    first, again = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (tmp_path / "refund.sftrace", tmp_path / "again.sftrace")
    )
    assert first == again
    assert "1 fixture and 7 objects, all well" in stepfork("fsck", bundle).stderr
    next(path for path in Path(bundle).rglob("*.json") if path.name != "manifest.json").write_text("{}\n")
    assert "1 finding in" in stepfork("fsck", bundle, code=1).stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["capture", "--", "python", "agent.py"], "needs --name"),
        (["capture", "--name", "x"], "takes a command after -- or spans with --from"),
        (["capture", "--name", "../evil", "--", "python", "agent.py"], "evil"),
        (["capture", "--name", "x", "--", "no-such-program-here"], "no-such-program-here"),
        (["capture", "--name", "x", "--from", "absent.json"], "absent.json"),
        (["capture", "--nmae", "x"], "No such option"),
        (["show", "absent"], "'absent' is no fixture"),
        (["frobnicate"], "frobnicate"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(words: list[str], says: str, stepfork: Cli) -> None:
    done = stepfork(*words, code=2)
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""
