"""Loose ingest, up to the final sync, against `git add` of the same files."""

from __future__ import annotations

import shutil
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
    objects = {name_of(data): data for data in map(dumps, bodies(corpus) * 1)}
    objects |= {name_of(data): data for data in (dumps({"n": n, "text": "word " * 100}) for n in range(1000))}
    with tempfile.TemporaryDirectory() as scratch:
        files, store = Path(scratch) / "repository", Path(scratch) / "store"
        for name, data in objects.items():
            path = files / object_file(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

        def ingest() -> None:
            shutil.rmtree(store, ignore_errors=True)
            store.mkdir()
            ObjectFolder(store).write_all(objects)

        def add() -> None:
            shutil.rmtree(files / ".git", ignore_errors=True)
            subprocess.run(["git", "init", "-q"], cwd=files, check=True)
            subprocess.run(["git", "add", "."], cwd=files, check=True)

        ours, theirs = alternate(5, ingest, add)
    report.at_least(f"ingest of {len(objects)} objects / git add (speed)", theirs / ours, 3)
    return report.code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
