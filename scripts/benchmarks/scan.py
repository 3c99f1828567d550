"""check-redaction on files of 50 MB, end to end, in multiples of `json.loads` on the same text.

usage: python scripts/benchmarks/scan.py [CORPUS]

CORPUS is a folder of JSON lines; without it conversations are made up, streamed ones among them. Three files are made
of the lines, repeated: one JSON array, JSON lines, and an array of those lines alone in which nothing is found.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from measure import Report, alternate

SIZE = 50 << 20
BOUND = 2.1
KNOWN = 1000


def main(arguments: list[str]) -> int:
    report = Report()
    lines = list(_recorded(Path(arguments[0])) if arguments else _made_up())
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        check = _checker(Path(folder))
        clean = _without_findings(lines, Path(folder), check)
        for name, chosen, form in (
            ("an array", lines, "json"),
            ("JSON lines", lines, "jsonl"),
            ("an array without findings", clean, "json"),
        ):
            text = _repeated(chosen, form)
            path = Path(folder) / f"large.{form}"
            path.write_text(text)
            loads, checked = alternate(5, _loader(text, form), lambda path=path: check(path, 0))
            report.at_most(f"check-redaction on 50 MB, {name} / json.loads", checked / loads, BOUND)
        few, many = alternate(3, lambda: check(path, 0), lambda: check(path, KNOWN))
        report.at_most(f"check-redaction with {KNOWN:,} known values / with none", many / few, 3)
    return report.code


def _checker(folder: Path) -> Callable[[Path, int], int]:
    """Runs the command in an empty folder, with so many secrets in its environment; its exit code."""
    program = str(Path(sys.executable).with_name("stepfork"))
    drawn = random.Random(7)
    names = [f"SERVICE_{number}_PASSWORD" for number in range(KNOWN)]
    values = {name: f"{drawn.getrandbits(96):x}" for name in names}
    bare = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "VIRTUAL_ENV")}
    empty = folder / "empty"
    empty.mkdir()

    def check(path: Path, known: int) -> int:
        environment = bare | dict(list(values.items())[:known])
        nowhere = subprocess.DEVNULL
        command = (program, "check-redaction", str(path))
        done = subprocess.run(command, check=False, cwd=empty, env=environment, stdout=nowhere, stderr=nowhere)
        assert done.returncode in (0, 1), f"check-redaction could not read {path.name}"
        return done.returncode

    return check


def _without_findings(lines: list[str], folder: Path, check: Callable[[Path, int], int]) -> list[str]:
    path = folder / "one.jsonl"
    path.write_text("\n".join(lines))
    program = str(Path(sys.executable).with_name("stepfork"))
    if check(path, 0) == 0:
        return lines
    command = (program, "check-redaction", "--json", str(path))
    told = subprocess.run(command, check=False, cwd=folder, stdout=subprocess.PIPE)
    found = {int(item["path"].split()[1]) for item in json.loads(told.stdout)["findings"]}
    return [line for number, line in enumerate(lines, 1) if number not in found]


def _repeated(lines: list[str], form: str) -> str:
    once = sum(map(len, lines)) + 2 * len(lines)
    every = lines * (SIZE // once + 1)
    return "\n".join(every) if form == "jsonl" else "[" + ",\n ".join(every) + "]"


def _loader(text: str, form: str) -> Callable[[], object]:
    if form == "jsonl":
        return lambda: [json.loads(line) for line in text.splitlines()]
    return lambda: json.loads(text)


def _recorded(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("*.jsonl")):
        yield from (line for line in path.read_text().splitlines() if line.strip())


def _made_up() -> Iterator[str]:
    drawn = random.Random(11)
    words = (
        "refund",
        "order",
        "customer",
        "please",
        "total",
        "lookup",
        "token",
        "amount",
        "policy",
        "answer",
        "parcel",
    )
    for number in range(400):
        said = [" ".join(drawn.choices(words, k=60)) for _ in range(12)]
        messages = [{"role": "user", "content": text} for text in said]
        pieces = [{"choices": [{"index": 0, "delta": {"content": f" {word}"}}]} for word in said[0].split()]
        stream = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n"
        answer = {"id": f"chatcmpl-{drawn.getrandbits(96):x}", "usage": {"total_tokens": 900}, "choices": [messages[0]]}
        body = stream if number % 3 == 0 else json.dumps(answer)
        yield json.dumps({"request": {"model": "gpt-4.1", "messages": messages}, "body": body, "at": time.time()})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
