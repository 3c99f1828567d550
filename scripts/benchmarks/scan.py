"""check-redaction on files of 50 MB, end to end, in multiples of `json.loads` on the same text (of each line in turn
where the file is JSON lines) in a process that has it in memory. And its worst cases: how time grows with the file, and
the memory that it takes.

usage: python scripts/benchmarks/scan.py [CORPUS]

CORPUS is a folder of JSON lines; without it conversations are made up, streamed ones among them. Three files are made
of the lines, repeated: one JSON array, JSON lines, and an array of those lines alone in which nothing is found. In a
fourth no line is like another.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from measure import Report, alternate

SIZE = 50 << 20
BOUND = 2.1
DISTINCT = 8
"""The bound where no line stands in the file twice, with one processor."""
KNOWN = 1000
PROGRAM = str(Path(sys.executable).with_name("stepfork"))


def main(arguments: list[str]) -> int:
    report = Report()
    lines = list(_recorded(Path(arguments[0])) if arguments else _made_up(400))
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        folder = Path(name)
        check = _checker(folder)
        path = folder / "large.json"
        clean = _without_findings(lines, folder, check)
        for said, chosen, form in (
            ("an array", lines, "json"),
            ("JSON lines", lines, "jsonl"),
            ("an array without findings", clean, "json"),
            ("no line twice", _unlike(lines), "json"),
        ):
            path = folder / f"large.{form}"
            text = _repeated(chosen, form)
            path.write_text(text)
            loads, checked = alternate(5, _loader(text, form), partial(check, path, 0))
            bound = DISTINCT if said == "no line twice" else BOUND
            report.at_most(f"check-redaction on 50 MB, {said} / json.loads", checked / loads, bound)
        few, many = alternate(3, partial(check, path, 0), partial(check, path, KNOWN))
        report.at_most(f"check-redaction with {KNOWN:,} known values / with none", many / few, 3)
        for said, make in WORST.items():
            _measure_worst(said, make, path, check, report)
    return report.code


def _checker(folder: Path) -> Callable[..., int]:
    """Runs the command in an empty folder, with so many secrets in its environment; the memory that it took."""
    drawn = random.Random(7)
    values = {f"SERVICE_{n}_PASSWORD": format(drawn.getrandbits(96), "x") for n in range(KNOWN)}
    bare = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "VIRTUAL_ENV")}
    empty = folder / "empty"
    empty.mkdir()

    def check(path: Path, known: int, *, is_measured: bool = False) -> int:
        environment = bare | dict(list(values.items())[:known])
        wrapper = (sys.executable, "-c", _MEASURED) if is_measured else ()
        command = (*wrapper, PROGRAM, "check-redaction", str(path))
        done = subprocess.run(command, check=False, cwd=empty, env=environment, capture_output=True, text=True)
        assert done.returncode in (0, 1), f"check-redaction could not read {path.name}"
        return int(done.stderr) if is_measured else 0

    return check


_MEASURED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(most if sys.platform == "darwin" else most << 10, file=sys.stderr)
sys.exit(done.returncode)
"""
"""What a process takes that is started from a large one would count the large one, too."""


def _without_findings(lines: list[str], folder: Path, check: Callable[..., int]) -> list[str]:
    path = folder / "one.jsonl"
    path.write_text("\n".join(lines))
    check(path, 0)
    command = (PROGRAM, "check-redaction", "--json", str(path))
    told = subprocess.run(command, check=False, cwd=folder, stdout=subprocess.PIPE)
    found = {int(item["path"].split()[1]) for item in json.loads(told.stdout)["findings"]}
    return [line for number, line in enumerate(lines, 1) if number not in found]


def _repeated(lines: list[str], form: str) -> str:
    once = sum(map(len, lines)) + 2 * len(lines)
    every = lines * (SIZE // once + 1)
    return "\n".join(every) if form == "jsonl" else "[" + ",\n ".join(every) + "]"


def _unlike(lines: list[str]) -> list[str]:
    """The lines, repeated, with a word more in each."""
    once = sum(map(len, lines)) + 20 * len(lines)
    return [
        f'{{"number": {number}, {line.lstrip()[1:]}' if line.lstrip().startswith("{") else f"[{number}, {line}]"
        for number, line in enumerate(lines * (SIZE // once + 1))
    ]


def _loader(text: str, form: str) -> Callable[[], object]:
    if form == "jsonl":
        return lambda: [json.loads(line) for line in text.splitlines()]
    return lambda: json.loads(text)


def _recorded(folder: Path) -> Iterator[str]:
    for path in sorted(folder.glob("*.jsonl")):
        yield from (line for line in path.read_text().splitlines() if line.strip())


_WORDS = """
refund order customer please total lookup amount policy answer parcel address street delivery invoice number when today
which would could return label printer ticket support agent reply thanks account token balance currency date of the a an
and to for with from is are was that this it we you they on in at by as be have has will not
""".split()  # noqa: SIM905


def _made_up(count: int) -> Iterator[str]:
    """Calls of agents as they are recorded: headers, conversations that grow, answers as one document or streamed."""
    drawn = random.Random(11)
    messages: list[dict[str, str]] = []
    for number in range(count):
        if number % 8 == 0:
            messages = [{"role": "system", "content": _said(drawn, 120)}]
        messages.append({"role": "user", "content": _said(drawn, 40)})
        marks = [["content-type", "application/json"], ["x-request-id", f"req_{drawn.getrandbits(96):x}"]]
        usage = {"prompt_tokens": 900 + number, "completion_tokens": 60, "total_tokens": 960 + number}
        said = _said(drawn, 60)
        head = {"id": f"chatcmpl-{drawn.getrandbits(96):x}", "created": 1_760_000_000 + number, "model": "gpt-4.1"}
        answer = head | {"choices": [{"index": 0, "message": {"role": "assistant", "content": said}}], "usage": usage}
        body = _stream(head, said) if number % 3 == 0 else json.dumps(answer)
        request = {"model": "gpt-4.1", "temperature": 0.2, "max_tokens": 400, "messages": messages}
        yield json.dumps(
            {"method": "POST", "url": "/v1/chat/completions", "headers": marks, "request": request}
            | {"status": 200, "duration_ms": drawn.randrange(200, 4000), "body": body}
        )
        messages.append({"role": "assistant", "content": said})


def _said(drawn: random.Random, count: int) -> str:
    return " ".join(drawn.choices(_WORDS, k=count))


def _stream(head: dict[str, object], said: str) -> str:
    pieces = [head | {"choices": [{"index": 0, "delta": {"content": f" {word}"}}]} for word in said.split()]
    return "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n"


def _one_stream(size: int) -> str:
    stream = _stream({"id": "chatcmpl-1", "model": "gpt-4.1"}, _said(random.Random(3), 2000))
    return json.dumps({"body": stream * (size // len(stream))})


def _three_deep(size: int) -> str:
    drawn = random.Random(5)
    item = json.dumps(json.dumps(json.dumps({"said": _said(drawn, 40), "amount": 12.5}, separators=(",", ":"))))
    return "[" + ",".join([item] * (size // len(item))) + "]"


WORST: dict[str, Callable[[int], str]] = {
    "one event stream": _one_stream,
    "JSON text three deep": _three_deep,
    "one string of words": lambda size: json.dumps((_said(random.Random(9), 4000) + " ") * (size // 20000)),
    "one string of base64": lambda size: json.dumps("Ab3dEf7hIj1kLm5n" * (size // 16)),
}


def _measure_worst(
    said: str, make: Callable[[int], str], path: Path, check: Callable[..., int], report: Report
) -> None:
    """How time grows where the file is twice as large, and the memory that it takes."""
    half = path.with_name("half.json")
    half.write_text(make(SIZE // 2))
    path.write_text(make(SIZE))
    less, more = alternate(2, partial(check, half, 0), partial(check, path, 0))
    report.at_most(f"{said}: time of 50 MB / of 25 MB", more / less, 2.6)
    report.at_most(f"{said}: memory / file", check(path, 0, is_measured=True) / path.stat().st_size, 6)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
