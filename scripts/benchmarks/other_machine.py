"""Would a recorded run be the same bytes on another machine, another day, with other ids? For every run of a folder.

    python scripts/benchmarks/other_machine.py RUNS [FRAMEWORK...]

Each run (as equal_runs.py reads it) is rewritten: ids are drawn again in their own alphabet, clocks are set forward,
folders, user and host get other names. Both are normalised and compared in canonical bytes. Exits 1 if any differ.
"""

from __future__ import annotations

import random
import re
import string
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from equal_runs import differences, form, read_run

from stepfork.canonical.encode import dumps
from stepfork.normalize.normalize import normalize_run

LATER = timedelta(days=11, hours=3, seconds=7)
HERE = {"cwd": "/home/dev/refunds", "home": "/home/dev", "user": "devuser9", "hostname": "box7dev", "tmp": "/tmp"}
THERE = {
    "cwd": "/srv/ci/77/refunds", "home": "/var/lib/zoe99", "user": "zoe_ci_1", "hostname": "host-99", "tmp": "/scratch",
}  # fmt: skip
_IDS = re.compile(
    r"(?<![A-Za-z0-9_])(?:chatcmpl-|call_|resp_|msg_0?1?|fc_|rs_|toolu_01|req_0?1?1?|pyd_ai_|aitxt-|fp_|lc_run--)"
    r"(?P<id>[A-Za-z0-9]{8,})|(?P<uuid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
    r"|(?<![0-9a-f])(?P<hex>[0-9a-f]{64})(?![0-9a-f])"
)
_CLOCK = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{3,6})?(?:Z|\+00:00)?")
_SECONDS = (1.6e9, 2.2e9)


class Elsewhere:
    """Rewrites values as another run would have had them; equal ids stay equal."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._ids: dict[str, str] = {}

    def value(self, value: Any) -> Any:
        match value:
            case str():
                return self.text(value)
            case bool() | None:
                return value
            case int() | float():
                return type(value)(value + LATER.total_seconds()) if _SECONDS[0] < value < _SECONDS[1] else value
            case dict():
                return {self.text(name): self.value(item) for name, item in value.items()}
            case list() | tuple():
                return type(value)(map(self.value, value))
            case msgspec.Struct():
                names = (name for name in value.__struct_fields__ if name != "order")
                return msgspec.structs.replace(value, **{name: self.value(getattr(value, name)) for name in names})
        return value

    def text(self, text: str) -> str:
        text = _IDS.sub(self._again, text)
        text = _CLOCK.sub(_later, text)
        text = re.sub(r"(?<![0-9A-Za-z.-])1[6-9][0-9]{8}(?![0-9A-Za-z])", _later_seconds, text)
        for name, here in sorted(HERE.items(), key=lambda item: -len(item[1])):
            text = text.replace(here, THERE[name])
        return text

    def _again(self, match: re.Match[str]) -> str:
        word = match[match.lastgroup or 0]
        if word not in self._ids:
            self._ids[word] = "".join(map(self._drawn(set(word)), word))
        return match[0].replace(word, self._ids[word])

    def _drawn(self, used: set[str]) -> Any:
        if used <= set("0123456789abcdef-"):
            return lambda mark: mark if mark == "-" else self._random.choice("0123456789abcdef")
        kinds = (string.digits, string.ascii_lowercase, string.ascii_uppercase)
        return lambda mark: self._random.choice(next(kind for kind in kinds if mark in kind))


def _later(match: re.Match[str]) -> str:
    moved = (datetime.fromisoformat(match[0]) + LATER).isoformat()
    return moved.replace("+00:00", "Z") if match[0].endswith("Z") else moved


def _later_seconds(match: re.Match[str]) -> str:
    return str(int(match[0]) + int(LATER.total_seconds()))


def main(arguments: list[str]) -> int:
    root = Path(arguments[0])
    chosen = arguments[1:] or sorted(path.name for path in root.iterdir() if path.is_dir())
    unequal = 0
    for folder in (run for name in chosen for run in sorted((root / name).iterdir())):
        if not (folder / "exchanges.jsonl").is_file():
            continue
        run, context = read_run(folder)
        nanoseconds = int(LATER.total_seconds()) * 10**9
        here = msgspec.structs.replace(context, **HERE)
        there = msgspec.structs.replace(
            context, started_ns=context.started_ns + nanoseconds, ended_ns=context.ended_ns + nanoseconds, **THERE
        )
        moved = Elsewhere(7).value(run)
        one, two = form(normalize_run(run, here)), form(normalize_run(moved, there))
        equal = dumps(one) == dumps(two)
        unequal += not equal
        print(f"{folder.parent.name:24} {folder.name:20} {'equal' if equal else 'DIFFERENT'}")
        for path, left, right in [] if equal else list(differences(one, two))[:4]:
            print(f"    {path}\n      - {left}\n      + {right}")
    return 1 if unequal else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
