"""Loose ingest, up to the final sync, against `git add` of the same files."""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

from bodies import bodies
from measure import Report, alternate

from stepfork.canonical.encode import dumps
from stepfork.canonical.names import name_of
from stepfork.store.layout import object_file
from stepfork.store.objects import ObjectFolder


def main(corpus: str | None = None) -> int:
    report = Report()
    objects = {name_of(data): data for data in map(dumps, bodies(corpus))}
    objects |= {name_of(data): data for data in (dumps({"n": n, "text": "word " * 100}) for n in range(1000))}
    # In memory where that can be had: a busy disk makes both as slow as itself.
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as scratch:
        files, rounds = Path(scratch) / "files", itertools.count()
        for name, data in objects.items():
            path = files / object_file(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

        def ingest() -> None:
            store = Path(scratch) / f"store-{next(rounds)}"
            ObjectFolder(store / "objects").write_all(objects)

        def add() -> None:
            repository = Path(scratch) / f"repository-{next(rounds)}.git"
            git = ["git", f"--git-dir={repository}", f"--work-tree={files}", "-c", "core.bare=false"]
            subprocess.run([*git, "init", "-q"], cwd=files, check=True)
            subprocess.run([*git, "add", "."], cwd=files, check=True)

        ours, theirs = alternate(5, ingest, add)
    report.at_least(f"ingest of {len(objects)} objects / git add (speed)", theirs / ours, 3)
    return report.code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
