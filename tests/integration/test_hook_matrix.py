"""check-redaction as a plain hook: each way to commit, with a secret (stopped) and without one (through)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.conftest import Stand
from tests.integration.hooked import FILE, Work
from tests.unit.redact.samples import OPENAI

# Each way prepares a commit of `note` and gives git's words; where they run may be another folder.

Way = Callable[[Work, str], "tuple[str | bytes, ...]"]


def staged(work: Work, note: str) -> tuple[str, ...]:
    work.write("new.json", note)
    work.git("add", "new.json")
    return ("commit", "-qm", "staged")


def all_tracked(work: Work, note: str) -> tuple[str, ...]:
    work.write(FILE, note)
    return ("commit", "-qam", "all")


def one_path(work: Work, note: str) -> tuple[str, ...]:
    work.write(FILE, note)
    work.write("beside.json", OPENAI)  # staged, and no part of the commit
    work.git("add", "beside.json")
    return ("commit", "-qm", "path", "--", FILE)


def included_path(work: Work, note: str) -> tuple[str, ...]:
    work.write(FILE, note)
    return ("commit", "-qm", "include", "--include", FILE)


def amended(work: Work, note: str) -> tuple[str, ...]:
    work.write(FILE, note)
    work.git("add", FILE)
    return ("commit", "-q", "--amend", "--no-edit")


def partly_staged(work: Work, note: str) -> tuple[str, ...]:
    other = "working copy" if note == OPENAI else OPENAI
    work.write(FILE, note)
    work.git("add", FILE)
    work.write(FILE, other)
    return ("commit", "-qm", "partly")


def renamed_with_an_edit(work: Work, note: str) -> tuple[str, ...]:
    work.git("mv", FILE, "tests/fixtures/moved.json") if (work.folder / FILE).exists() else None
    work.write("tests/fixtures/moved.json", note)
    work.git("add", ".")
    return ("commit", "-qm", "rename")


def became_executable(work: Work, note: str) -> tuple[str, ...]:
    work.write(FILE, note).chmod(0o755)
    work.git("add", FILE)
    return ("commit", "-qm", "mode")


def became_a_link(work: Work, note: str) -> tuple[str, ...]:
    (work.folder / FILE).unlink()
    (work.folder / FILE).symlink_to(f"{note}.json")
    work.git("add", FILE)
    return ("commit", "-qm", "link")


def name_of_any_bytes(work: Work, note: str) -> tuple[str, ...]:
    work.write(b"caf\xe9-\xff.json", note)
    work.git("add", ".")
    return ("commit", "-qm", "bytes")


def names_that_mean_something_elsewhere(work: Work, note: str) -> tuple[str, ...]:
    for name in ("-rf.json", "two\nlines.json", "a \"quote' .json", ":(top)x.json", "*.json", " blank .json", "@{u}"):
        work.write(name, note)
    work.git("add", "--all")
    return ("commit", "-qm", "names")


def beside_a_folder_that_was_a_file(work: Work, note: str) -> tuple[str, ...]:
    path = work.folder / FILE
    if path.is_file():
        path.unlink()
    work.write(f"{FILE}/inside.json", note)
    work.git("add", "--all")
    return ("commit", "-qm", "folder")


def binary(work: Work, note: str) -> tuple[str, ...]:
    (work.folder / "data.bin").write_bytes(bytes(range(256)) * 40 + note.encode() + b"\0" * 64)
    work.git("add", "data.bin")
    return ("commit", "-qm", "binary")


def png_with_text(work: Work, note: str) -> tuple[str, ...]:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    head = chunk(b"IHDR", bytes.fromhex("0000000100000001080000000000"[:26]))
    text = chunk(b"tEXt", b"Comment\0" + note.encode())
    pixels = chunk(b"IDAT", zlib.compress(b"\0\0"))
    (work.folder / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + head + text + pixels + chunk(b"IEND", b""))
    work.git("add", "logo.png")
    return ("commit", "-qm", "png")


def on_the_last_line_of_a_large_file(work: Work, note: str) -> tuple[str, ...]:
    line = "2026-12-01T07:00:00Z INFO handled in 12 ms, 200 OK, path=/v1/items/8817\n"
    (work.folder / "large.log").write_text(line * 20_000 + f"key {note}\n")
    work.git("add", "large.log")
    return ("commit", "-qm", "large")


def with_carriage_returns(work: Work, note: str) -> tuple[str, ...]:
    work.git("config", "core.autocrlf", "true")
    (work.folder / "notes.txt").write_bytes(f"one\r\n{note}\r\nthree\r\n".encode())
    work.git("add", "notes.txt")
    return ("commit", "-qm", "crlf")


def in_a_sparse_checkout(work: Work, note: str) -> tuple[str, ...]:
    if not (work.folder / "kept").exists():
        work.write("kept/a.json", "a")
        work.write("left/out/b.json", "b")
        work.git("add", ".")
        work.git("commit", "-q", "--no-verify", "-m", "two folders")
        work.git("sparse-checkout", "set", "--cone", "--sparse-index", "kept")
    work.write("kept/a.json", note)
    return ("commit", "-qam", "sparse")


def intent_to_add(work: Work, note: str) -> tuple[str, ...]:
    work.write("later.json", OPENAI)
    work.git("add", "--intent-to-add", "later.json")  # its content is no part of the commit
    work.write(FILE, note)
    work.git("add", FILE)
    return ("commit", "-qm", "intent")


def after_a_merge_conflict(work: Work, note: str) -> tuple[str, ...]:
    if work.run("rev-parse", "-q", "--verify", "MERGE_HEAD")[0]:
        conflict(work, "merge")
    work.write(FILE, note)
    work.git("add", FILE)
    return ("commit", "-qm", "merge")


def after_a_cherry_pick_conflict(work: Work, note: str) -> tuple[str, ...]:
    if work.run("rev-parse", "-q", "--verify", "CHERRY_PICK_HEAD")[0]:
        conflict(work, "cherry-pick")
    work.write(FILE, note)
    work.git("add", FILE)
    return ("-c", "core.editor=true", "cherry-pick", "--continue")


def conflict(work: Work, verb: str) -> None:
    work.git("checkout", "-q", "-b", "side")
    work.write(FILE, "side")
    work.git("commit", "-q", "--no-verify", "-am", "side")
    work.git("checkout", "-q", "main")
    work.write(FILE, "main")
    work.git("commit", "-q", "--no-verify", "-am", "main")
    assert work.run(verb, "side")[0] == 1


WAYS: list[Way] = [
    staged,
    all_tracked,
    one_path,
    included_path,
    amended,
    partly_staged,
    renamed_with_an_edit,
    became_executable,
    became_a_link,
    name_of_any_bytes,
    names_that_mean_something_elsewhere,
    beside_a_folder_that_was_a_file,
    binary,
    png_with_text,
    on_the_last_line_of_a_large_file,
    with_carriage_returns,
    in_a_sparse_checkout,
    intent_to_add,
    after_a_merge_conflict,
    after_a_cherry_pick_conflict,
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_commit_with_a_secret_is_stopped_and_one_without_goes_through(work: Work, way: Way) -> None:
    words = way(work, OPENAI)
    before = work.head()
    code, shown = work.run(*words)
    assert code == 1, shown
    assert "openai-key" in shown
    assert "nothing was committed" in shown
    assert work.head() == before
    words = way(work, "clean")
    code, shown = work.run(*words)
    assert code == 0, shown
    assert work.head() != before


def stopped_then_through(work: Work, write: Callable[[str], object], *words: str, at: Path, **environ: str) -> None:
    """A commit of what `write` writes: stopped with a secret, through without one."""
    write(OPENAI)
    code, shown = work.run(*words, at=at, **environ)
    assert (code, "openai-key" in shown) == (1, True), shown
    write("clean")
    code, shown = work.run(*words, at=at, **environ)
    assert code == 0, shown


def test_the_plain_hook_of_the_manual(work: Work) -> None:
    manual = (Path(__file__).parents[2] / "docs" / "how-to" / "pre-commit.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```console\n(cat > \.git/hooks/pre-commit .*?)^```", manual, re.MULTILINE | re.DOTALL)
    (work.folder / ".git" / "hooks" / "pre-commit").unlink()
    subprocess.run(["sh", "-c", block], cwd=work.folder, check=True)
    path = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    stopped_then_through(work, lambda note: work.write(FILE, note), "commit", "-qam", "x", at=work.folder, **path)


def test_hooks_of_another_folder(work: Work) -> None:
    shutil.rmtree(work.folder / ".git" / "hooks")
    work.install(folder=work.folder / "tools" / "hooks")
    work.git("config", "core.hooksPath", "tools/hooks")
    stopped_then_through(work, lambda note: work.write(FILE, note), "commit", "-qam", "x", at=work.folder / "tests")


def test_git_told_by_variables_where_the_repository_is(work: Work, tmp_path: Path) -> None:
    where = {"GIT_DIR": str(work.folder / ".git"), "GIT_WORK_TREE": str(work.folder)}
    stopped_then_through(work, lambda note: work.write(FILE, note), "commit", "-qam", "x", at=tmp_path, **where)
    words = (f"--git-dir={where['GIT_DIR']}", f"--work-tree={where['GIT_WORK_TREE']}", "commit", "-qam", "y")
    stopped_then_through(work, lambda note: work.write(FILE, f"{note} again"), *words, at=Path("/"))


def test_an_index_of_one_s_own(work: Work) -> None:
    index = {"GIT_INDEX_FILE": str(work.folder / "own-index")}
    work.git("read-tree", "HEAD", **index)

    def write(note: str) -> None:
        work.write("x.json", note)
        work.git("add", "x.json", **index)

    stopped_then_through(work, write, "commit", "-qm", "x", at=work.folder, **index)


def test_inside_a_submodule_and_the_submodule_s_own_entry(work: Work, hooked_template: Path) -> None:
    work.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(hooked_template), "vendor")
    inner = work.folder / "vendor"
    work.install(folder=work.folder / ".git" / "modules" / "vendor" / "hooks")
    work.git("commit", "-qm", "an entry that is no file")

    def write(note: str) -> None:
        (inner / "x.json").write_text(note)
        work.git("add", "x.json", at=inner)

    stopped_then_through(
        work, write, "-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-qm", "x", at=inner
    )
    work.git("commit", "-qam", "another entry that is no file")


def test_the_very_first_commit(tmp_path: Path) -> None:
    work = Work(tmp_path)
    work.git("init", "-q")
    work.install()

    def write(note: str) -> None:
        work.write(FILE, note)
        work.git("add", ".")

    stopped_then_through(work, write, "commit", "-qm", "first", at=tmp_path)


def test_a_merge_is_judged_where_the_hook_has_that_name_too(work: Work) -> None:
    work.git("checkout", "-q", "-b", "side")
    work.write("side.json", OPENAI)
    work.git("add", ".")
    work.git("commit", "-q", "--no-verify", "-m", "a secret that came another way")
    work.git("checkout", "-q", "main")
    work.write("main.json", "clean")
    work.git("add", ".")
    work.git("commit", "-qm", "main")
    work.install("pre-merge-commit")
    code, shown = work.run("merge", "-q", "--no-edit", "side")
    assert code == 1
    assert "side.json" in shown
    work.git("merge", "--abort")
    work.git("checkout", "-q", "side")
    work.write("side.json", "clean")
    work.git("commit", "-q", "--amend", "-a", "--no-edit")
    work.git("checkout", "-q", "main")
    work.git("merge", "-q", "--no-edit", "side")


NAMES = (
    "\x1b]0;owned\x07.json",
    "\u202egnp.json",
    "\u043f\u0430\u0440\u043e\u043b\u044c \u2713.json",
    "\u79d8\u5bc6\n.json",
)


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "xx_YY.nothing", "TERM": "dumb"},
    ],
    ids=["usual", "cp1252", "ascii", "C", "no locale"],
)
def test_c108_names_that_the_output_cannot_carry(work: Work, environ: dict[str, str]) -> None:
    def write(note: str) -> None:
        for name in NAMES:
            work.write(name, note)
        work.git("add", "--all")

    write(OPENAI)
    code, shown = work.run("commit", "-qm", "x", **environ)
    assert code == 1, shown
    assert "4 findings in 4 of 4 staged files" in shown
    assert not any(mark in shown for mark in "\x1b\x07\u202e")
    assert "\\x1b]0;owned\\x07.json" in shown
    assert "\\n.json" in shown
    write("clean")
    code, shown = work.run("commit", "-qm", "x", **environ)
    assert code == 0, shown


@pytest.mark.parametrize(
    "hook",
    ["exec {check} >&-", "exec {check} 2>&-", "exec {check} >&- 2>&- <&-", "unset HOME XDG_CONFIG_HOME; exec {check}"],
    ids=["no stdout", "no stderr", "nothing open", "no home"],
)
def test_whatever_the_hook_is_run_with_its_answer_is_the_exit_code(work: Work, hook: str) -> None:
    check = f"{sys.executable} -m stepfork check-redaction"
    work.install().write_text(f"#!/bin/sh\n{hook.format(check=check)}\n")
    work.write(FILE, OPENAI)
    code, shown = work.run("commit", "-qam", "x")
    assert code == 1
    assert ("openai-key" in shown) is not hook.endswith("<&-")
    assert work.git("status", "--porcelain") == f" M {FILE}\n"
    work.write(FILE, "clean")
    code, shown = work.run("commit", "-qam", "x")
    assert code == 0, shown


def test_a_work_tree_inside_another_repository_is_judged_by_the_one_that_commits(work: Work, tmp_path: Path) -> None:
    """Configuration files kept by `git --git-dir=… --work-tree=…`, say."""
    outer = Work(tmp_path / "outer")
    outer.folder.mkdir()
    outer.git("init", "-q")
    home = outer.folder / "home"
    home.mkdir()
    words = (f"--git-dir={work.folder / '.git'}", f"--work-tree={home}")

    def write(note: str) -> None:
        (home / "x.json").write_text(note)
        work.git(*words, "add", "x.json", at=home)

    stopped_then_through(work, write, *words, "commit", "-qm", "x", at=home)


@pytest.mark.parametrize("count", [3, 60])
def test_c109_names_given_to_a_hook_have_a_line_each_where_they_are_no_text(work: Work, count: int) -> None:
    more = [f"more/{number}.json" for number in range(count - 3)]
    for name in more:
        work.write(name, "clean")
    (work.folder / "zero").write_bytes(b"")
    (work.folder / "loop").symlink_to("loop")
    (work.folder / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    inner = work.git("rev-parse", "HEAD").strip()
    work.git("update-index", "--add", "--cacheinfo", f"160000,{inner},vendor")
    (work.folder / "vendor").mkdir()
    (work.folder / "vendor" / "secret.txt").write_text(OPENAI)  # committed inside the submodule, if at all
    work.git("add", "zero", "loop", "logo.png", "more" if more else "zero")
    work.install(words=" ".join(["zero", "loop", "logo.png", "vendor", "tests", *more]))
    shown = work.git("commit", "-qm", "odd")
    assert shown.splitlines() == [
        "vendor: a submodule, whose files are committed inside it",
        "logo.png: a PNG image, read for the text in it",
        "zero: an empty file",
        f"stepfork check-redaction: no secret in {count + 1} files of the commit",
    ]
    work.install(words="vendor")
    work.write(FILE, "again")
    assert "no file was scanned" in work.git("commit", "-qam", "entry")
    os.mkfifo(work.folder / "pipe")
    work.install(words="pipe tests")
    work.write(FILE, "and again")
    code, shown = work.run("commit", "-qam", "pipe")
    assert code == 1
    assert "pipe: is a pipe and was not scanned" in shown


def test_c107_names_of_files_that_the_commit_deletes(work: Work) -> None:
    """As `git diff --cached --name-only | xargs` passes them on; and a secret that is taken out of git goes out."""
    work.write("leaked.json", OPENAI)
    work.write("moved.json", "clean")
    work.git("add", ".")
    work.git("commit", "-q", "--no-verify", "-m", "leak")
    work.install(words=f"leaked.json {FILE} moved.json there.json")
    work.git("rm", "-q", "--cached", "leaked.json")
    work.git("rm", "-q", FILE)
    work.git("mv", "moved.json", "there.json")
    shown = work.git("commit", "-qm", "delete")
    assert "leaked.json: deleted by this commit\n" in shown
    assert f"{FILE}: deleted by this commit\n" in shown
    assert "no secret in 1 file of the commit" in shown
    assert OPENAI in (work.folder / "leaked.json").read_text()
    work.install(words="leaked.json")  # of which git knows nothing now
    assert work.run("commit", "-q", "--allow-empty", "-m", "x")[0] == 1


def test_a_secret_among_many_names(work: Work) -> None:
    names = [f"more/{number}.json" for number in range(60)]
    for name in names:
        work.write(name, "clean")
    work.install(words=" ".join(names))

    def write(note: str) -> None:
        work.write(names[41], note)
        work.git("add", "more")

    stopped_then_through(work, write, "commit", "-qm", "many", at=work.folder)


@pytest.mark.parametrize(
    ("environ", "says"),
    [
        ({"PATH": "/nonexistent"}, "the git program was not found; install git or put it on the PATH"),
        ({"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}, "git config --global --add safe.directory "),
    ],
    ids=["no git", "another's repository"],
)
@pytest.mark.parametrize("words", [[], ["--staged"], [FILE]], ids=" ".join)
def test_git_that_does_not_answer_is_exit_2_and_one_line(
    work: Work, environ: dict[str, str], says: str, words: list[str]
) -> None:
    command = [sys.executable, "-m", "stepfork", "check-redaction", *words]
    told = {**os.environ, "GIT_INDEX_FILE": ".git/index", **environ}
    done = subprocess.run(command, cwd=work.folder, env=told, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert says in done.stderr


def test_c105_a_command_recorded_in_a_hook_works_in_its_own_repositories(
    stand: Stand, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(work.folder / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(work.folder / ".git" / "index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(work.folder))
    before = (work.folder / ".git" / "index").read_bytes()
    program = (
        "import subprocess, tempfile\nask('hi')\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    for words in ('init -q', 'add .'):\n"
        "        open(folder + '/x', 'w').close()\n"
        "        subprocess.run(['git', '-C', folder, *words.split()], check=True)\n"
        "    print(subprocess.check_output(['git', '-C', folder, 'ls-files'], text=True), end='')\n"
    )
    assert stand.capture(program).out == "x\n"
    assert (work.folder / ".git" / "index").read_bytes() == before
