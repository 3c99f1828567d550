"""check-redaction --fix on the disk: files, fixtures, bundles, and what cannot be redacted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from importlib import resources
from pathlib import Path

import jsonschema
import msgspec
import pytest

from stepfork.cli.check_redaction import main
from stepfork.redact.marker import MARKER
from stepfork.redact.rules import Rules
from stepfork.redact.secrets import Secrets
from stepfork.store.bundle import read_bundle, write_bundle
from stepfork.store.drafts import write_draft
from stepfork.store.fsck import fsck_bundle, fsck_store
from stepfork.store.manifest import read_manifest
from stepfork.store.store import Store
from stepfork.trace.body import BytesBody, JsonBody
from stepfork.trace.exchange import Exchange, Request, Response
from stepfork.trace.fixture import Fixture
from stepfork.trace.step import Step, Trace
from stepfork.workflows import fix_files, fix_on_disk
from stepfork.workflows.fix_fixtures import without_secrets
from stepfork.workflows.init import init_project
from tests.unit.redact.samples import GITHUB, HEX32, OPENAI
from tests.unit.store.sample_runs import fixture_of

CHANGE = "Change any secret that left this machine"


def check(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    shown = capsys.readouterr()
    assert OPENAI not in shown.out + shown.err
    assert GITHUB not in shown.out + shown.err
    return code, shown.out, shown.err


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def leaky(name: str = "refund", secret: str = OPENAI, text: str = "hello") -> Fixture:
    """A fixture made before anybody knew the rule: the secret stands in a message, an answer, the trace, a contract."""
    said = f"use {secret} please"
    asked = {
        "model": "m",
        "messages": [{"role": "system", "content": said + " x" * 600}, {"role": "user", "content": text}],
    }
    answered = {
        "choices": [{"message": {"role": "assistant", "content": json.dumps({"api_key": HEX32, "said": said})}}]
    }
    exchanges = [
        Exchange(
            "openai",
            "chat_completions",
            Request("POST", "/chat/completions", body=JsonBody(asked)),
            Response(200, "application/json", {}, JsonBody(answered)),
        ),
        Exchange(
            "files",
            "opaque",
            Request("GET", "/export"),
            Response(200, "application/zip", {}, BytesBody(b"\xff\x00" + secret.encode() + b"\x00\xfe")),
        ),
    ]
    steps = (Step("llm_call", "chat", 0, 1, exchange=0), Step("tool_call", "look_up", 2, 3, result={"note": said}))
    fixture = fixture_of(exchanges, name, Trace("exchanges", steps))
    contract = {"id": "output", "kind": "output_has", "value": said}
    verification = {"outcome": "verified", "verified": True, "causes": [said], "explained": {"path": "/a"}}
    return msgspec.structs.replace(fixture, contracts=(contract,), verification=verification, extensions={"note": said})


@pytest.fixture
def store(project: Path) -> Store:
    init_project(project)
    return Store(project / ".stepfork")


def test_files_are_redacted_where_they_stand(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.json").write_text(f'{{ "k": "{OPENAI}" }}')
    (project / "deep").mkdir()
    (project / "deep" / "b.yaml").write_text(f"k: x {OPENAI}\n# {GITHUB}\n")
    (project / "clean.txt").write_text("hello")
    (project / "deep" / "b.yaml").chmod(0o640)
    (project / "link.json").symlink_to("a.json")
    code, out, err = check(capsys, "--fix", "a.json", "deep", "clean.txt")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "stepfork check-redaction: 3 secrets redacted in 2 of 3 files",
        "  a.json        /k       openai-key",
        "  deep/b.yaml   /k       openai-key",
        "  deep/b.yaml   line 2   github-token",
        CHANGE,
    ]
    assert (project / "a.json").read_text() == f'{{ "k": "{MARKER}" }}'
    assert (project / "deep" / "b.yaml").stat().st_mode & 0o777 == 0o640
    assert names(project) == ["a.json", "clean.txt", "deep", "link.json"]
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*") if path.is_file()}
    assert check(capsys, "--fix", ".") == (0, "stepfork check-redaction: no secret in 4 files\n", "")
    assert before == {path: path.stat().st_mtime_ns for path in project.rglob("*") if path.is_file()}


def test_a_link_stays_a_link(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.txt").write_text(OPENAI)
    (project / "link").symlink_to("a.txt")
    assert check(capsys, "--fix", "link")[0] == 0
    assert (project / "link").is_symlink()
    assert (project / "a.txt").read_text() == MARKER


def test_what_cannot_be_redacted_is_said_and_the_answer_stays_no(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\xff" + OPENAI.encode())
    (project / "a.txt").write_text(OPENAI)
    code, out, err = check(capsys, "--fix", "logo.png", "a.txt")
    assert code == 1
    assert "logo.png: a PNG image, which cannot be redacted in place" in err
    assert out.splitlines() == [
        "stepfork check-redaction: 1 secret redacted in 1 of 2 files",
        "  a.txt   line 1   openai-key",
        "stepfork check-redaction: 1 secret not redacted in 1 file",
        "  logo.png   line 3   openai-key",
        CHANGE,
    ]
    code, out, err = check(capsys, "--fix", "logo.png")
    assert code == 1
    assert out.splitlines() == [
        "stepfork check-redaction: 1 secret not redacted in 1 file",
        "  logo.png   line 3   openai-key",
        CHANGE,
    ], "what was tried is not what to do next"
    (project / "other.png").write_bytes((project / "logo.png").read_bytes())
    assert "2 secrets not redacted in 2 files\n" in check(capsys, "--fix", ".")[1]
    (project / "old.zip").write_bytes(b"PK\x03\x04....")
    assert check(capsys, "--fix", "old.zip", "a.txt")[0] == 2


def test_a_file_that_someone_else_changes_meanwhile_stays(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project / "a.txt"
    path.write_text(OPENAI)
    write = fix_on_disk.DiskFix.write

    def late(self: fix_on_disk.DiskFix) -> None:
        path.write_text(f"{OPENAI} and more")
        write(self)

    monkeypatch.setattr(fix_on_disk.DiskFix, "write", late)
    code, _, err = check(capsys, "--fix", "a.txt")
    assert code == 1
    assert "was changed by someone else meanwhile" in err
    assert path.read_text() == f"{OPENAI} and more"
    assert names(project) == ["a.txt"]


def test_a_failure_before_the_end_leaves_every_file_as_it_was(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.txt", "b.txt"):
        (project / name).write_text(OPENAI)

    def stopped(self: fix_on_disk.DiskFix) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fix_on_disk.DiskFix, "write", stopped)
    with pytest.raises(KeyboardInterrupt):
        main(["--fix", "."])
    assert names(project) == ["a.txt", "b.txt"]
    assert (project / "a.txt").read_text() == OPENAI


def test_what_nobody_named_and_git_ignores_stays(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subprocess.run(["git", "init", "--quiet", "."], check=True)
    (project / ".gitignore").write_text("local/\n")
    (project / "local").mkdir()
    for name in ("a.txt", "local/b.txt"):
        (project / name).write_text(OPENAI)
    code, _, err = check(capsys, "--fix", ".")
    assert code == 1
    assert "local/b.txt: is ignored by git: name it to redact it" in err
    assert (project / "a.txt").read_text() == MARKER
    assert (project / "local" / "b.txt").read_text() == OPENAI
    assert check(capsys, "--fix", "local/b.txt")[0] == 0
    assert (project / "local" / "b.txt").read_text() == MARKER


def test_the_file_that_secrets_are_read_from_stays_unless_it_is_named(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".env").write_text("A_TOKEN=letters only words\n")
    (project / "a.txt").write_text("say letters only words\n")
    code, _, err = check(capsys, "--fix", ".")
    assert code == 1
    assert ".env: is where secrets are kept: name it to redact it" in err
    assert (project / ".env").read_text() == "A_TOKEN=letters only words\n"
    assert (project / "a.txt").read_text() == f"say {MARKER}\n"
    assert check(capsys, "--fix", ".env")[0] == 0
    assert (project / ".env").read_text() == f"A_TOKEN={MARKER}\n"


def test_a_link_in_a_folder_leads_nowhere_else(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "outside.txt").write_text(OPENAI)
    (project / "link").symlink_to(tmp_path / "outside.txt")
    code, _, err = check(capsys, "--fix", ".")
    assert code == 1
    assert "link: is a symbolic link: name it to redact what it leads to" in err
    assert (tmp_path / "outside.txt").read_text() == OPENAI


def test_a_secret_in_the_name_of_a_file_is_found_and_said(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / f"{GITHUB}.txt").write_text("clean")
    code, out, _ = check(capsys, ".")
    assert code == 1
    assert "  [redacted].txt   the file's name   github-token" in out
    code, _, err = check(capsys, "--fix", ".")
    assert code == 1
    assert "[redacted].txt: has a secret in its name, which is for you to change" in err


def test_a_folder_that_cannot_be_written_is_said(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "a.txt").write_text(OPENAI)

    def refused(path: Path, data: bytes) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(fix_files, "write_new", refused)
    code, _, err = check(capsys, "--fix", "a.txt")
    assert code == 1
    assert "a.txt: cannot be written (Permission denied)" in err
    assert names(project) == ["a.txt"]


def test_a_fixture_is_written_anew(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.write(leaky())
    store.write(leaky("shipped/late", text="other"))
    old = set(store.objects.names())
    code, out, err = check(capsys, "--fix")
    assert (code, err) == (0, "")
    assert "written anew, with new objects: .stepfork/fixtures/refund.json, .stepfork/fixtures/shipped/late.json" in out
    assert out.endswith(f"{CHANGE}\n")
    assert fsck_store(store).findings == ()
    assert set(store.objects.names()).isdisjoint(old - set(store.objects.names()))
    made = store.read("refund")
    whole = repr(made)
    assert OPENAI not in whole
    assert HEX32 not in whole
    assert made.contracts[0]["value"] == f"use {MARKER} please"
    assert made.verification["causes"] == [f"use {MARKER} please"]
    assert made.extensions == {"note": f"use {MARKER} please"}
    assert made.run.trace.steps[1].result == {"note": f"use {MARKER} please"}
    assert made.run.exchanges[1].response.body == BytesBody(b"\xff\x00" + MARKER.encode() + b"\x00\xfe")
    assert OPENAI.encode() not in b"".join(path.read_bytes() for path in store.root.rglob("*") if path.is_file())
    before = store.manifest("refund")
    assert check(capsys, "--fix")[:2] == (
        0,
        f"stepfork check-redaction: no secret in {len(list(store.root.rglob('*.json'))) + 3} files of the store\n",
    )
    assert store.manifest("refund") == before


def test_placeholders_are_numbered_anew_unless_contracts_name_some() -> None:
    asked = {"messages": [{"role": "user", "content": f"{{{{email_1}}}}:{OPENAI} then {{{{email_2}}}}"}]}
    secrets = Secrets({}, Rules(patterns={"own": r"\S+:sk-\S+"}))
    exchange = Exchange("openai", "chat_completions", Request("POST", "/c", body=JsonBody(asked)), Response(200))
    fixture = fixture_of([exchange])
    assert f"{MARKER} then {{{{email_1}}}}" in repr(without_secrets(fixture, secrets))
    fixture = msgspec.structs.replace(fixture, contracts=({"id": "x", "kind": "k", "value": "{{email_2}}"},))
    assert f"{MARKER} then {{{{email_2}}}}" in repr(without_secrets(fixture, secrets))


def test_naming_one_object_is_enough(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.write(leaky())
    store.write(leaky("other", secret=GITHUB))
    other = store.manifest("other")
    found = next(store.objects.path(name) for name in store.objects.names() if OPENAI.encode() in store.get(name))
    code, out, _ = check(capsys, "--fix", os.path.relpath(found))
    assert code == 0
    assert f"{os.path.relpath(found)}" in out
    assert not found.exists()
    assert OPENAI not in repr(store.read("refund"))
    assert store.manifest("other") == other, "the other fixture has nothing of that object"
    assert fsck_store(store).findings == ()


def test_an_object_that_two_fixtures_share_takes_both_along(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.write(leaky())
    store.write(leaky("twin"))
    name = next(name for name in store.objects.names() if OPENAI.encode() in store.get(name))
    assert store.users(name) == ["refund", "twin"]
    assert check(capsys, "--fix", os.path.relpath(store.objects.path(name)))[0] == 0
    assert OPENAI not in repr((store.read("refund"), store.read("twin")))


def test_bundles_and_drafts_are_written_anew(store: Store, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_bundle(project / "shared" / "one.sftrace", leaky()).path
    write_draft(store, "failed", leaky().run, [f"it said {OPENAI}"])
    code, out, _ = check(capsys, "--fix", ".")
    assert code == 0
    assert "shared/one.sftrace" in out
    assert OPENAI not in repr(read_bundle(path))
    assert fsck_bundle(path).findings == ()
    draft = read_bundle(store.root / "failed" / "failed.sftrace")
    assert OPENAI not in repr(draft)
    assert draft.extensions == {"causes": [f"it said {MARKER}"]}


def test_an_object_that_no_fixture_needs_goes(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.write(leaky())
    store.write(fixture_of([], "clean"))
    (kept,) = read_manifest(store.manifest("clean"), "").objects
    for name in ("refund", "clean"):
        store.manifest_path(name).unlink()
    assert check(capsys, "--fix")[0] == 0
    assert list(store.objects.names()) == [kept], "an object without a secret is for gc to remove"


@pytest.mark.parametrize("of", [".stepfork", "one.sftrace"])
def test_a_secret_typed_into_an_object_goes_with_the_name_that_it_had(
    of: str, store: Store, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.write(leaky(secret="plain text"))
    bundle = write_bundle(project / "one.sftrace", leaky(secret="plain text")).path
    path = next(path for path in project.glob(f"{of}/objects/*/*") if b"use plain text please" in path.read_bytes())
    path.write_text(path.read_text().replace("plain text", OPENAI))
    shown = os.path.relpath(path)
    code, out, err = check(capsys, "--fix", shown)
    assert code == 0
    assert err == f"stepfork check-redaction: {shown}: was edited by hand, and its fixture is written as it reads now\n"
    assert "1 secret redacted in 1 of 1 file" in out
    assert not path.exists()
    assert fsck_store(store).findings == fsck_bundle(bundle).findings == ()
    assert f"use {MARKER} please" in repr(store.read("refund") if of == ".stepfork" else read_bundle(bundle))
    assert check(capsys, "--fix")[2] == ""


def test_a_damaged_fixture_is_said(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    store.write(leaky())
    store.write(leaky("fine", text="other"))
    gone = next(name for name in store.objects.names() if store.users(name) == ["refund"])
    store.objects.path(gone).unlink()
    code, out, err = check(capsys, "--fix")
    assert code == 1
    assert "its fixture could not be redacted" in err
    assert "the object is missing" in err
    assert "not redacted" in out
    assert OPENAI not in repr(store.read("fine"))


def test_the_document_has_what_was_fixed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.txt").write_text(OPENAI)
    (project / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\xff" + GITHUB.encode())
    code, out, _ = check(capsys, "--fix", "--json", ".")
    document = json.loads(out)
    schema = json.loads(resources.files("stepfork").joinpath("schemas/check-redaction.schema.json").read_text())
    jsonschema.validate(document, schema)
    assert code == 1
    assert document["fixed"] == [{"file": "a.txt", "path": "line 1", "rule": "openai-key"}]
    assert [item["file"] for item in document["findings"]] == ["logo.png"]


def test_personal_data_that_a_project_asks_for_become_pseudonyms_in_a_fixture(
    store: Store, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.write(leaky(secret="clean", text="call +44 20 7946 0958 or +44 20 7946 0959"))
    (project / "a.txt").write_text("call +44 20 7946 0958\n")
    with (store.root / "config.toml").open("a") as config:
        config.write('\n[redact]\npersonal = ["phone"]\n')
    code, out, err = check(capsys, "--fix", ".")
    assert (code, err) == (0, "")
    assert "phone number" in out
    assert "call {{phone_1}} or {{phone_2}}" in repr(store.read("refund"))
    assert (project / "a.txt").read_text() == f"call {MARKER}\n"


@pytest.mark.parametrize("words", [("--fix", "--hash"), ("--fix", "--format", "github")])
def test_reports_that_a_fix_has_none_of_are_refused(
    words: tuple[str, ...], project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "a.txt").write_text(OPENAI)
    code, out, err = check(capsys, *words, "a.txt")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert (project / "a.txt").read_text() == OPENAI


def test_accepted_findings_stay(store: Store, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.txt").write_text(f"{OPENAI}\n{GITHUB}\n")
    code, out, _ = check(capsys, "--hash", "a.txt")
    entry = out.partition("[[redact.accepted]]")[2].partition("[[redact.accepted]]")[0]
    with (store.root / "config.toml").open("a") as config:
        config.write("\n[[redact.accepted]]" + entry.partition("#")[0].replace('reason = ""', 'reason = "documented"'))
    code, out, _ = check(capsys, "--fix", "a.txt")
    assert code == 0
    assert "1 secret redacted in 1 of 1 file" in out
    assert (project / "a.txt").read_text() == f"{OPENAI}\n{MARKER}\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_nothing_behind(
    number: signal.Signals, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "a.txt").write_text(OPENAI)
    outside = signal.signal(number, signal.SIG_DFL)  # under nohup the suite itself ignores one
    try:
        monkeypatch.setattr(fix_files.FileFix, "write", lambda _: signal.raise_signal(number))
        with pytest.raises(SystemExit) as ended:
            check(capsys, "--fix", "a.txt")
        assert signal.getsignal(number) == signal.SIG_DFL
    finally:
        signal.signal(number, outside)
    assert ended.value.code == 128 + number
    assert names(project) == ["a.txt"]
    assert (project / "a.txt").read_text() == OPENAI


def test_what_interrupts_the_writing_of_a_file_leaves_nothing_behind(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_: Path) -> None:
        raise KeyboardInterrupt

    (project / "a.txt").write_text(OPENAI)
    monkeypatch.setattr(fix_files, "sync_file", interrupt)
    with pytest.raises(KeyboardInterrupt):
        check(capsys, "--fix", "a.txt")
    assert names(project) == ["a.txt"]
