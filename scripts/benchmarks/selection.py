"""`stepfork select --changed` beside `git status`, on a generated repository of 55,000 files and 5,000 test files.

Prints both times and their ratio; exits 1 when the ratio is over the limit. ``--folder DIR`` keeps the repository
there and uses it again; other arguments are those of other benchmarks. (Not called select.py: a script's folder comes
first where Python looks for modules, and there is one of that name.)
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 1.7
FILES = 55_000
TESTS = 5_000
FIXTURES = 200
ROUNDS = 25
GIT = ("git", "-c", "user.name=Bench", "-c", "user.email=bench@example.com", "-c", "commit.gpgsign=false")
ENVIRONMENT = {
    key: value
    for key, value in os.environ.items()
    if not key.startswith("GIT_") and key not in ("CI", "STEPFORK_DIR", "PYTHONDONTWRITEBYTECODE")
}


def generate(top: Path) -> None:
    """A store, tests of which one in 25 uses a fixture, and sources; one fixture edited on a branch, one more in the
    work tree."""
    paths = [".stepfork/config.toml", ".stepfork/.gitattributes", "pyproject.toml"]
    write(top, paths[0], "format = 1\n")
    write(top, paths[1], "fixtures/** -text -merge\nobjects/** -text -merge\n")
    write(top, paths[2], '[project]\nname = "bench"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n')
    for number in range(FIXTURES):
        identity = f"{number:064x}"
        write(top, f".stepfork/fixtures/case-{number}.json", manifest(number, "first"))
        write(top, f".stepfork/objects/{identity[:2]}/{identity[2:]}.json", f'{{\n  "number": {number}\n}}\n')
    for number in range(TESTS):
        write(top, f"tests/part_{number % 100}/test_module_{number}.py", test_module(number))
    for number in range(FILES - TESTS - 2 * FIXTURES - len(paths)):
        ending = ("py", "ts", "md")[number % 3]
        write(top, f"src/part_{number % 500}/module_{number}.{ending}", f"value = {number}\n" * 20)
    git(top, "init", "--quiet", "--initial-branch=main")
    git(top, "add", ".")
    git(top, "commit", "--quiet", "--message=base")
    git(top, "checkout", "--quiet", "-b", "change")
    write(top, ".stepfork/fixtures/case-3.json", manifest(3, "second"))
    git(top, "commit", "--quiet", "--all", "--message=change")
    write(top, ".stepfork/fixtures/case-4.json", manifest(4, "second"))


def manifest(number: int, note: str) -> str:
    return (
        f'{{\n  "fixture_version": 1,\n  "name": "case-{number}",\n  "note": "{note}",\n'
        f'  "objects": [\n    "{number:064x}"\n  ]\n}}\n'
    )


def test_module(number: int) -> str:
    tests = [
        f"def test_{index}():\n    value = compute({number}, {index})\n"
        f"    assert value == {{'a': {number}, 'b': {index}}}, f'wrong for {number}: {{value}}'\n\n\n"
        for index in range(12)
    ]
    if number % 25 == 0:
        tests.append(f"def test_replayed():\n    assert playback('case-{number // 25}').output == {number}\n")
    return "import pytest\n\nfrom product import compute, playback\n\n\n" + "".join(tests)


def write(top: Path, path: str, text: str) -> None:
    place = top / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)


def git(top: Path, *arguments: str) -> None:
    subprocess.run([*GIT, *arguments], cwd=top, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)


def timed(top: Path, command: list[str]) -> tuple[float, str]:
    start = time.perf_counter()
    done = subprocess.run(command, cwd=top, check=True, capture_output=True, text=True, env=ENVIRONMENT)
    return time.perf_counter() - start, done.stdout


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path)
    folder = parser.parse_known_args()[0].folder
    with tempfile.TemporaryDirectory() as scratch:
        top = (folder or Path(scratch)) / "repository"
        if not top.exists():
            generate(top)
            os.sync()  # what was just written must not be on its way to the disk while others read
        program = Path(sys.executable).with_name("stepfork")
        start = [str(program)] if program.exists() else [sys.executable, "-m", "stepfork"]
        select = [*start, "select", "--changed", "--base", "main"]
        best = {"select": 9.0, "status": 9.0}
        expected = "tests/part_0/test_module_100.py::test_replayed\ntests/part_75/test_module_75.py::test_replayed\n"
        for _ in range(ROUNDS):  # alternating, so that a slow moment of the machine strikes both
            best["status"] = min(best["status"], timed(top, ["git", "status"])[0])
            seconds, selected = timed(top, select)
            best["select"] = min(best["select"], seconds)
            if selected != expected:
                sys.stderr.write(f"select printed something else:\n{selected}")
                return 1
    ratio = best["select"] / best["status"]
    print(
        f"select --changed, {FILES} files, {TESTS} test files: {best['select'] * 1000:.0f} ms, "
        f"git status {best['status'] * 1000:.0f} ms, ratio {ratio:.2f} (at most {LIMIT})"
    )
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    raise SystemExit(main())
