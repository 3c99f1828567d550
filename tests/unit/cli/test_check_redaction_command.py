from __future__ import annotations

import base64
import gzip
import json
import os
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from stepfork.cli.check_redaction import main
from stepfork.workflows import files_on_disk
from tests.unit.redact.samples import GITHUB, OPENAI


def check(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    shown = capsys.readouterr()
    assert OPENAI not in shown.out + shown.err
    assert GITHUB not in shown.out + shown.err
    return code, shown.out, shown.err


def test_a_clean_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a.json").write_text('{"max_tokens": 5}')
    assert check(capsys, "a.json") == (0, "stepfork check-redaction: no secret in 1 file\n", "")


def test_a_finding_names_file_place_and_rule(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "b").mkdir()
    (project / "b" / "x.json").write_text(json.dumps({"k": [OPENAI]}))
    (project / "b" / "clean.txt").write_text("hello")
    code, out, _ = check(capsys, "b")
    assert code == 1
    assert out.splitlines()[:2] == [
        "stepfork check-redaction: 1 finding in 1 of 2 files",
        "  b/x.json   /k/0   openai-key",
    ]


def test_the_store_is_checked_where_no_path_is_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / ".stepfork" / "objects").mkdir(parents=True)
    (project / ".stepfork" / "objects" / "o.json").write_text(json.dumps({"m": OPENAI}))
    (project / "sub").mkdir()
    os.chdir(project / "sub")
    code, out, _ = check(capsys)
    assert code == 1
    assert "1 file of the store" in out


def test_c047_nothing_scanned_is_said_and_is_not_clean_for_a_named_path(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "empty").mkdir()
    for word in ("no-such", "*.nothing", "empty"):
        code, out, err = check(capsys, word)
        assert code == 2
        assert word in err
        assert "no file was scanned" in out
    assert check(capsys)[0] == 2, "no store and no path"
    assert check(capsys, "")[0] == 2
    (project / ".stepfork").mkdir()
    code, out, _ = check(capsys)
    assert (code, "no file was scanned" in out) == (0, True)


def test_c109_odd_arguments_get_one_line_each(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "zero").write_bytes(b"")
    (project / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0" + bytes(range(256)))
    (project / "loop").symlink_to("loop")
    (project / "nowhere").symlink_to("gone")
    (project / "old.zip").write_bytes(b"PK\x03\x04....")
    (project / "latin.txt").write_bytes("caf\xe9".encode("latin-1"))
    os.mkfifo(project / "pipe")
    expected = {
        "zero": (0, "an empty file"),
        "logo.png": (0, "a PNG image"),
        "loop": (2, "circle"),
        "nowhere": (2, "link to nothing"),
        "old.zip": (2, "zip archive"),
        "latin.txt": (2, "no UTF-8 text"),
        "pipe": (2, "a pipe"),
    }
    for name, (wanted, words) in expected.items():
        code, _, err = check(capsys, name)
        assert code == wanted, name
        assert words in err
        assert err.count("\n") == 1
    assert check(capsys, *expected)[0] == 2


def test_a_body_that_cannot_be_inflated_is_named_and_its_file_counts_as_not_scanned(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = base64.b64encode(gzip.compress(b"x")[:10] + b"\xff" * 60).decode()
    (project / "a.json").write_text(
        json.dumps({"\x1bbody": {"base64_string": packed}, "other": {"base64_string": packed}})
    )
    (project / "b.json").write_text("{}")
    code, out, err = check(capsys, ".")
    assert code == 2
    assert out == "stepfork check-redaction: no secret in 1 file, 1 file not scanned\n"
    assert err.splitlines() == [
        "stepfork check-redaction: a.json: /\\x1bbody/base64_string holds gzip data that is damaged",
        "stepfork check-redaction: a.json: /other/base64_string holds gzip data that is damaged",
    ]


def test_a_secret_that_was_found_outweighs_a_file_that_was_not_read(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "x.txt").write_text(OPENAI)
    code, out, err = check(capsys, "x.txt", "gone.txt")
    assert code == 1
    assert "x.txt" in out
    assert "gone.txt" in err


def test_values_of_the_environment_and_of_the_dotenv_file_are_known(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", "letters only words")
    (project / ".env").write_text("export MY_SECRET='another phrase'\n")
    (project / "x.txt").write_text("letters only words\nanother phrase\n")
    code, out, err = check(capsys, "x.txt")
    assert code == 1
    assert "value of SERVICE_TOKEN" in out
    assert "value of MY_SECRET" in out
    assert "letters only" not in out + err


def test_a_dotenv_file_that_cannot_be_used_is_an_error(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / ".env").mkdir()
    code, out, err = check(capsys, ".")
    assert (code, out) == (2, "")
    assert err.startswith("stepfork check-redaction: ")
    assert err.count("\n") == 1


def test_what_the_disk_does_not_hand_over_is_not_clean(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever runs the tests may read everything, so the refusals come from here."""

    def refusing(path: str) -> Any:
        if os.fspath(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    scandir = os.scandir
    (project / "tree" / "shut").mkdir(parents=True)
    (project / "tree" / "a.txt").write_text("clean")
    (project / "tree" / "large.txt").write_text("clean, and longer than that")
    monkeypatch.setattr(os, "scandir", refusing)
    monkeypatch.setattr(files_on_disk, "MAX_BYTES", 10)
    code, out, err = check(capsys, "tree")
    assert (code, out) == (2, "stepfork check-redaction: no secret in 1 file, 2 files not scanned\n")
    assert err.splitlines() == [
        "stepfork check-redaction: tree/large.txt: is larger than 0 MiB and was not scanned",
        "stepfork check-redaction: tree/shut: cannot be read (Permission denied) and was not scanned",
    ]


def test_json_output_follows_its_schema(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "x.txt").write_text(OPENAI)
    (project / "z").write_text("")
    code, out, _ = check(capsys, "x.txt", "z", "gone", "--json")
    document = json.loads(out)
    schema = json.loads(resources.files("stepfork").joinpath("schemas/check-redaction.schema.json").read_text())
    jsonschema.validate(document, schema)
    assert code == 1
    assert document["findings"] == [{"file": "x.txt", "path": "line 1", "rule": "openai-key"}]
    assert document["problems"] == [{"file": "gone", "reason": "is no file or folder"}]


def test_names_from_outside_are_made_safe(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "a\x1b[31m.txt").write_text(OPENAI)
    (project / f"{GITHUB}.txt").write_text(OPENAI)
    (project / os.fsdecode(b"b\xff.txt")).write_text(OPENAI)
    (project / "c.json").write_text(json.dumps({"\x1b]8;;x\x07k": OPENAI}))
    code, out, _ = check(capsys, ".")
    assert code == 1
    assert "\x1b" not in out
    assert "[redacted].txt" in out


def test_c050_a_dotenv_file_that_cannot_be_parsed_is_not_quoted(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".env").write_text(f"A_TOKEN='{OPENAI}\n{GITHUB} = = =\n")
    (project / "x.txt").write_text("clean")
    code, _, err = check(capsys, "x.txt")
    assert (code, err) == (0, "")
    (project / ".env").write_bytes(b"A_TOKEN=" + OPENAI.encode() + b"\xff\n")
    assert check(capsys, "x.txt")[0] == 2


def test_bad_words_are_one_line_and_exit_2(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = check(capsys, "--fixx=secret")
    assert (code, out) == (2, "")
    assert err == "stepfork check-redaction: no such option --fixx; stepfork check-redaction --help lists them\n"
    assert "--json takes no value; write --json alone" in check(capsys, "--json=1")[2]
    assert check(capsys, "--help")[0] == 0


def test_a_refusal_does_not_repeat_a_secret_that_was_typed(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STEPFORK_DIR", OPENAI)
    refused = "stepfork check-redaction: [redacted]: there is no such store; stepfork init makes one\n"
    assert check(capsys, ".") == (2, "", refused)


def test_c108_a_legacy_console_gets_no_traceback(project: Path) -> None:
    (project / "消息.json").write_text(json.dumps({"密钥": OPENAI}))
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "stepfork", "check-redaction", "消息.json"], env=environment, capture_output=True
    )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"openai-key" in done.stdout


def test_a_reader_that_leaves_early_gets_no_traceback(project: Path) -> None:
    (project / "x.json").write_text(json.dumps([f"{OPENAI}{index}" for index in range(5000)]))
    command = f"{sys.executable} -m stepfork check-redaction x.json | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_a_clean_check_loads_neither_regular_expressions_nor_json(project: Path) -> None:
    (project / "a.json").write_text(
        json.dumps({"usage": {"total_tokens": 5}, "text": "see the store. Then path_store."})
    )
    code = (
        "import sys\nbefore = set(sys.modules)\nfrom stepfork.cli.main import main\n"
        "code = main(['check-redaction', 'a.json'])\n"
        "heavy = 're json typing array collections dataclasses pathlib subprocess msgspec tomllib'\n"
        "print(code, sorted(set(heavy.split()) & (set(sys.modules) - before)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1] == "0 []", done.stdout + done.stderr


@pytest.mark.parametrize("word", ["--help", "-h", "--json", "--staged", "-rf.json", "--accepted-from=main"])
def test_a_file_whose_name_reads_as_an_option_changes_no_check(
    project: Path, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    (project / word).write_text("clean")
    (project / "leak.txt").write_text(OPENAI)
    code, out, err = check(capsys, word, "leak.txt")
    assert (code, out) == (2, "")
    assert err == (
        f"stepfork check-redaction: {word}: is a file here, and reads as an option; write -- before names of files\n"
    )
    assert check(capsys, "--", word, "leak.txt")[0] == 1
    assert check(capsys, "--", word)[0] == 0
